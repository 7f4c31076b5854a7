"""The releases of means."""

from typing import Any

from shapedp.releases.faces import MeanFace, Planned
from shapedp.releases.protocol import Settings
from shapedp.releases.shapes import MeanShape, PublicShapes


def plan_faces(planned: Planned, *_: Any) -> MeanFace:
    """Return the release of a mean face; no public people are taken beside what it is planned from."""
    return MeanFace.of(planned)


def plan_shapes(entry: Settings, settings: Settings, privacy: Settings, known: PublicShapes) -> MeanShape:
    """Return the release of a mean shape; the arguments are those of `MeanShape.of`."""
    return MeanShape.of(entry, settings, privacy, known)
