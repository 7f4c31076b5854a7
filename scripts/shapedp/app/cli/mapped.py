"""The mapped mesh of each person, and landmarks carried from the template to each scan. Private: they show people.

All meshes have the vertices and triangles of the surface through the template's curves, as releases have them: vertex i
is the same place on everybody. A landmark lies in a triangle of the template, and in the same one of each mesh.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp import landmarks
from shapedp.app.cli.other_tools import format_markups
from shapedp.base import artifacts, writers
from shapedp.base.errors import ConfigError
from shapedp.base.storage import files
from shapedp.people import populations, samples
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.chain.kept import read_or_walk
from shapedp.surfaces.chain.step import ChainSettings, Scan, refuse_other_settings
from shapedp.surfaces.chain.steps import STEPS
from shapedp.surfaces.subjects.drawn import cells_of_drawn

PRIVATE = 0o700
# Of the template's size: a landmark farther off its surface is not of this template.
FAR = 0.05


def write_meshes(
    settings: Any, template: Path, cohort: str, output: Path, landmark_path: Path | None = None
) -> Iterator[str]:
    """Write a mesh a person with the same vertices for everybody, which other software can then compare point by point.

    They are .ply files beside template.ply, in the places and units of their scans; yield lines that say what.

    Parameters
    ----------
    settings : mapping
        Of a run.
    template : path
        Its template's artifact.
    cohort : str
        `faces`, or `reference` for the public people.
    output : path
        A private folder.
    landmark_path : path
        Landmarks on template.ply; then landmarks.tps, landmarks.csv and a .mrk.json a person hold where these lie on
        each scan.
    """
    chain_settings = ChainSettings(settings["faces"], template)
    refuse_other_settings(chain_settings)
    with artifacts.reader(template, artifacts.TEMPLATE) as source:
        radii, scale = source["radii"], source["scale"]
        vertices, triangles = curve_mesh.mesh(source["curves"] * scale, radii)
    template_places = (
        None
        if landmark_path is None
        else find_places(
            read_placed_landmarks(landmark_path, "template.ply"), vertices, triangles, FAR * scale, landmark_path
        )
    )
    output.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    files.write_bytes(output / "template.ply", writers.encode_surface(vertices, triangles, ".ply"))
    scans = [Scan(*sample.scan_inputs) for sample in populations.find_cohort(settings["faces"], cohort, cells_of_drawn)]
    landmarks_by_scan, rejected = {}, 0
    sheets = _find_sheets(settings["faces"]["scans"]) if cohort == "faces" else ()
    for face in read_or_walk(scans, STEPS, chain_settings, template.parent / cohort, "map faces", sheets):
        if face.refusal:
            rejected += 1
            continue
        mesh = curve_mesh.mesh(place_in_scan(face.records), radii)[0]
        files.write_bytes(output / f"{face.scan.name}.ply", writers.encode_surface(mesh, triangles, ".ply"))
        if template_places is not None:
            # All meshes have the same triangles, so that a landmark keeps its place within its triangle.
            inside, weights = template_places
            landmarks_by_scan[face.scan.name] = np.einsum("kc,kcd->kd", weights, mesh[triangles[inside]])
    yield f"{output}: template.ply and {len(scans) - rejected} meshes of {len(vertices)} vertices; {rejected} rejected"
    if template_places is not None:
        rows = ["id,landmark,x,y,z"]
        for name, points in landmarks_by_scan.items():
            rows += [
                f"{name},{number},{','.join(f'{x:.10g}' for x in point)}"
                for number, point in enumerate(points, start=1)
            ]
            files.write_text(output / f"{name}.mrk.json", format_markups(points))
        files.write_text(output / "landmarks.csv", "\n".join(rows) + "\n")
        files.write_text(
            output / "landmarks.tps",
            "".join(writers.format_tps(sample, name) for name, sample in landmarks_by_scan.items()),
        )
        yield (
            f"{output}: landmarks.tps, landmarks.csv and a .mrk.json each: {len(template_places[0])} landmarks of "
            f"{landmark_path}"
        )
    yield "Private: these files show people, and may not leave your machine."


def _find_sheets(scans):
    """Return the sample sheets of a cohort, since faces that a run kept count only as long as these have not changed.

    They are what `faces.scans` names, or lie in the folder that it names.
    """
    path = Path(scans)
    if path.is_file():
        return [path]
    return [file for file in path.glob("*") if samples.is_named_as_sheet(file)]


def place_in_scan(records: Any) -> NDArray[np.float64]:
    """Return the curves (J, 3, m) of a registered face moved back to its scan, so that the mapped mesh lies on it."""
    size, *centroid = records["registered"]["in_scan"]
    rotation = records["registered"]["rotation"]
    return np.einsum("jam,ab->jbm", records["curves"]["curves"], rotation) * size + np.array(centroid)[:, None]


def read_placed_landmarks(path: Path, surface: Path | str) -> NDArray[np.float64]:
    """Return landmarks (k, 3) that a user placed on one surface, to carry them to scans or to bend the surface by them.

    Parameters
    ----------
    path : path
        The file of landmarks.
    surface : path or str
        What they were placed on, for messages.
    """
    shapes = landmarks.read(path).shapes
    if len(shapes) != 1 or shapes.shape[2] != 3 or not np.isfinite(shapes).all():
        raise ConfigError(f"{path}: must hold one specimen in space with no landmark missing, placed on {surface}")
    return shapes[0]


def find_places(points, vertices, triangles, far, path) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return where landmarks lie on the template's mesh, so that they lie in the same places of each person's mesh.

    They are (triangle (k,), weights of its corners (k, 3)).

    Parameters
    ----------
    points : (k, 3) array
        Landmarks.
    vertices, triangles : (n, 3) and (t, 3) array
        The mesh.
    far : float
        A landmark farther off the mesh is refused.
    path : path
        The landmarks' file, for the message.
    """
    inside, weights, distance = curve_mesh.nearest(points, vertices, triangles)
    if distance.max() > far:
        raise ConfigError(
            f"{path}: landmark {distance.argmax() + 1} lies {distance.max():.3g} off the template; place landmarks "
            "on template.ply, which this command writes when no landmarks are given"
        )
    return inside, weights
