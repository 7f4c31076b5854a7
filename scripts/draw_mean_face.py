"""Make the surface and the picture of a released mean face; both follow from the release alone."""

from pathlib import Path

import numpy as np
from PIL import Image

from shapedp import artifacts
from shapedp.figures import render
from shapedp.runs.logs import logged
from shapedp.storage import files
from shapedp.surfaces import curve_mesh, mesh_files

VIEWS = ("front", "three-quarter")


def draw_mean_face(release_path, ply_path, glb_path, picture_path):
    """The surface in mm of the template's size, as PLY, in metres as GLB, and its picture from two sides."""
    with artifacts.reader(release_path, artifacts.MEAN_FACE) as release:
        vertices, triangles = curve_mesh.mesh(release["curves"] * release["scale"], release["radii"])
    for path in map(Path, (ply_path, glb_path)):
        with files.atomic(path) as partial:
            partial.write_bytes(mesh_files.encode(vertices, triangles, path.suffix))
    with files.atomic(picture_path) as partial:
        Image.fromarray(picture(vertices, triangles)).save(partial, format="png", optimize=True)


def picture(vertices, triangles):
    """The views side by side, at one scale."""
    return np.hstack([render.render(vertices, triangles, render.fitted_camera([vertices], view)) for view in VIEWS])


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_mean_face(snakemake.params.release, snakemake.output.ply, snakemake.output.glb, snakemake.output.picture)
