"""A growth for other tools: the mean over ages, and as effects what leads from it to the face at each knot's age."""

from shapedp.releases.kinds.growth import released
from shapedp.releases.kinds.point_export import PointModel
from shapedp.surfaces import curve_mesh


def points(path):
    """Return the PointModel of a released growth, with which it is exported to other tools."""
    growth = released.read(path)
    (mean, triangles), at_knots = curve_mesh.mesh(growth.mean, growth.radii), growth.surfaces()
    moved = {name: curve_mesh.mesh(curves, growth.radii)[0] - mean for name, curves in at_knots.items()}
    return PointModel.without_modes(mean, triangles, "mm", moved)
