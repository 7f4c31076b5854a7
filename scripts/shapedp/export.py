"""A release in other formats: meshes for faces, tables and arrays for faces and shapes."""

import numpy as np

from shapedp import artifacts
from shapedp.errors import ArtifactError
from shapedp.landmarks import writing
from shapedp.storage import files
from shapedp.surfaces import curve_mesh, mesh_files

MESHES = (".ply", ".glb", ".obj", ".stl")
ENDINGS = (*MESHES, ".csv", ".npz")


def write(release_path, output):
    """Write a released face or shape to `output`; its ending decides how."""
    if output.suffix not in ENDINGS:
        raise ArtifactError(f"{output.name}: cannot write '{output.suffix}'; known: {', '.join(ENDINGS)}")
    name, _, _ = artifacts.header(release_path)
    if name == artifacts.MEAN_FACE.name:
        _face(release_path, output)
    elif name == artifacts.RELEASED_SHAPE.name:
        _shape(release_path, output)
    else:
        raise ArtifactError(f"{release_path}: holds '{name}'; only releases are exported")


def _face(release_path, output):
    with artifacts.reader(release_path, artifacts.MEAN_FACE) as release:
        curves, radii, sd, scale = (release[key] for key in ("curves", "radii", "noise_sd", "scale"))
    if output.suffix in MESHES:
        with files.atomic(output) as partial:
            partial.write_bytes(mesh_files.encode(*curve_mesh.mesh(curves * scale, radii), output.suffix))
    elif output.suffix == ".csv":
        rows = ["curve,sample,x_mm,y_mm,z_mm,noise_sd_x_mm,noise_sd_y_mm,noise_sd_z_mm"]
        for j, k in np.ndindex(curves.shape[0], curves.shape[2]):
            rows.append(
                ",".join([str(j + 1), str(k + 1), *(f"{v:.6g}" for v in (*curves[j, :, k] * scale, *sd[j] * scale))])
            )
        files.write_text(output, "\n".join(rows) + "\n")
    else:
        _arrays(output, curves=curves, radii=radii, noise_sd=sd, scale=scale)


def _shape(release_path, output):
    with artifacts.reader(release_path, artifacts.RELEASED_SHAPE) as release:
        landmarks, reach = release["landmarks"], release["noise_radius"]
    if output.suffix in MESHES:
        raise ArtifactError(f"{output.name}: landmarks have no surface; write .csv or .npz")
    if output.suffix == ".csv":
        files.write_text(output, writing.csv(landmarks))
    else:
        _arrays(output, landmarks=landmarks, noise_radius=reach)


def _arrays(output, **arrays):
    with files.atomic(output) as partial, partial.open("wb") as stream:
        np.savez(stream, **arrays)
