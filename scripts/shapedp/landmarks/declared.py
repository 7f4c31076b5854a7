"""What settings declare of landmarks, beside the public files that they name."""

from collections.abc import Mapping
from typing import Any

from shapedp import landmarks
from shapedp.base.errors import ConfigError
from shapedp.landmarks import outlines


def refuse_other_count(shapes: Mapping[str, Any]) -> None:
    """Refuse landmarks of which settings declare another number than the public center has: all records would be bad.

    How many landmarks a record itself has decides that record alone.
    """
    declared, center = shapes.get("landmark_count"), shapes["center"]
    if declared is None or center in ("private", "data"):
        return
    if center == "demo":
        count, named = len(outlines.template()), "the demo's outline"
    else:
        named = shapes["reference_set"] if center == "reference_set" else center
        count = landmarks.read(named).layout.count
    if count != declared:
        raise ConfigError(
            f"shapes.landmark_count: {declared} landmarks a record are declared, and the center, '{named}', has "
            f"{count}: name a center of the same landmarks, or correct the number. Nothing was spent"
        )
