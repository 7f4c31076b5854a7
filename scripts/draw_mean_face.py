"""Make the surface, the picture and the map of the noise of a released mean face; all follow from the release alone."""

from pathlib import Path

import numpy as np
from PIL import Image

from shapedp import artifacts
from shapedp.figures import noise_map, render
from shapedp.runs.logs import logged
from shapedp.storage import files
from shapedp.surfaces import curve_mesh, mesh_files

VIEWS = ("front", "three-quarter")


def draw_mean_face(release_path, ply_path, glb_path, picture_path, noise_path):
    """The surface in mm of the template's size, as PLY, in metres as GLB, its picture from two sides, and the same with
    the size of the noise at each point.
    """
    with artifacts.reader(release_path, artifacts.MEAN_FACE) as release:
        vertices, triangles = curve_mesh.mesh(release["curves"] * release["scale"], release["radii"])
        noise = curve_mesh.at_vertices(release["noise_mm"])
    for path in map(Path, (ply_path, glb_path)):
        with files.atomic(path) as partial:
            partial.write_bytes(mesh_files.encode(vertices, triangles, path.suffix))
    for path, pixels in zip((picture_path, noise_path), pictures(vertices, triangles, noise), strict=True):
        with files.atomic(path) as partial:
            Image.fromarray(pixels).save(partial, format="png")


def pictures(vertices, triangles, noise):
    """The views side by side, at one scale: as clay, and coloured by the noise (n,) in mm."""
    colours, most = noise_map.colours(noise)
    seen = [render.look(vertices, triangles, render.fitted_camera([vertices], view)) for view in VIEWS]
    clay, coloured = (np.hstack([render.lit(one, shade) for one in seen]) for shade in (None, colours))
    return clay, noise_map.over_scale(coloured, most)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_mean_face(snakemake.params.release, *(snakemake.output[key] for key in ("ply", "glb", "picture", "noise")))
