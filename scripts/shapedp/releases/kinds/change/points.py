"""Differences for other tools: what they are drawn on, and as an effect what moves it."""

from shapedp.releases.kinds.change import released
from shapedp.releases.kinds.point_export import PointModel, place_points


def points(path):
    """Return the PointModel of a released difference, with which it is exported to other tools."""
    change = released.read(path)
    mean, triangles = place_points(change.reference, change.radii)
    unit = "unit size" if change.radii is None else "mm"
    return PointModel.without_modes(
        mean, triangles, unit, {"mean_difference": place_points(change.change, change.radii)[0]}
    )


def tps(path):
    """Return the shapes before, after and exaggerated, as a .tps file holds them."""
    return released.read(path).tps()
