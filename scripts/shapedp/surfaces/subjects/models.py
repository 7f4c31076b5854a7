"""Public people on whom templates rest."""

from collections.abc import Mapping
from typing import Any

from shapedp.surfaces.human_face import real_faces


def check_people(template: Mapping[str, Any]) -> None:
    """Raise where a template's artifact, or its fields, rest on another model of public people than the packed one."""
    # The template of another subject says that it rests on no model, and passes.
    real_faces.check(template)
