"""Means for other tools: the vertices of the surface, or the landmarks."""

from shapedp.base import artifacts, writers
from shapedp.releases.kinds.point_export import PointModel
from shapedp.surfaces import curve_mesh


def points(path):
    """Return the PointModel of a released mean, with which it is exported to other tools."""
    if artifacts.header(path)[0] == artifacts.RELEASED_SHAPE.name:
        with artifacts.reader(path, artifacts.RELEASED_SHAPE) as source:
            return PointModel.without_modes(source["landmarks"], None, "unit size")
    with artifacts.reader(path, artifacts.MEAN_FACE) as source:
        vertices, triangles = curve_mesh.mesh(source["curves"] * source["scale"], source["radii"])
    return PointModel.without_modes(vertices, triangles, "mm")


def tps(path):
    """Return the landmarks of a released mean shape as a .tps file holds them."""
    with artifacts.reader(path, artifacts.RELEASED_SHAPE) as source:
        return writers.format_tps(source["landmarks"], path.stem, source["size"])
