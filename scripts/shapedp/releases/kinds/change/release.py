"""The releases of differences within each person."""

from typing import Any

from shapedp.releases.changes import MeanDifference, MeanShapeDifference
from shapedp.releases.faces import Planned
from shapedp.releases.protocol import Settings
from shapedp.releases.shapes import PublicShapes


def plan_faces(planned: Planned, *_: Any) -> MeanDifference:
    """Return the release of a difference of faces; no public people are taken beside what it is planned from."""
    return MeanDifference.of(planned)


def plan_shapes(entry: Settings, settings: Settings, privacy: Settings, known: PublicShapes) -> MeanShapeDifference:
    """Return the release of a difference of shapes; the arguments are those of `MeanShapeDifference.of`."""
    return MeanShapeDifference.of(entry, settings, privacy, known)
