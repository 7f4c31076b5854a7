"""Differences for other tools: what they are drawn on, and as an effect what moves it."""

from shapedp.releases.kinds.point_model import PointModel, place_points
from shapedp.releases.model import released_change


def points(path):
    """Return the PointModel of a released difference."""
    change = released_change.read(path)
    mean, triangles = place_points(change.reference, change.radii)
    unit = "unit size" if change.radii is None else "mm"
    return PointModel.without_modes(
        mean, triangles, unit, {"mean_difference": place_points(change.change, change.radii)[0]}
    )
