"""The fields of a template, which steps are given as a file or as what it holds, and its points with names."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.errors import Rejected
from shapedp.surfaces.subjects import models

# Square roots of the area: a mark that lies farther off is worth a look.
MARK_FAR = 0.05


@contextmanager
def open_fields(template: Path | str | Mapping[str, Any], kind: artifacts.Kind = artifacts.TEMPLATE) -> Iterator[Any]:
    """Yield the fields of a template, from its artifact in a run or as they are in memory, so that steps take either.

    Parameters
    ----------
    template : path or mapping
        The artifact, or what it holds.
    kind : artifacts.Kind
        TEMPLATE or SUBJECT_TEMPLATE.
    """
    if isinstance(template, Mapping):
        yield template
        return
    with artifacts.reader(template, kind) as source:
        # Fields that lie on another model of public people than the packed one would be read at wrong vertices.
        models.check_people(source)
        yield source


def place_points(face: Any, settings: Mapping[str, Any], key: str) -> dict[str, NDArray[np.float64]]:
    """Return where a template has the marks or landmarks that settings name: {name: its nearest vertex (3,)}.

    Marks guide registration, landmarks are what releases measure between. Vertices are in the template's units.

    Parameters
    ----------
    face : alignment.Face
        The template's scan, taken to the disk.
    settings : mapping
        The section `faces`.
    key : str
        `marks` or `landmarks`: {name: point in the units of the template's file}.
    """
    placed = {}
    for name, point in settings.get(key, {}).items():
        away = np.linalg.norm(face.vertices - np.array(point, dtype=float), axis=1)
        if away.min() > MARK_FAR * face.scale:
            raise Rejected(
                "mark_far",
                f"faces.{key}.{name}: {list(point)} lies {away.min():.3g} from the template's surface, whose size is "
                f"{face.scale:.3g}; give a point of it, in the units of its file",
            )
        placed[name] = (face.vertices[np.argmin(away)] - face.centroid) / face.scale
    return placed


def collect_landmarks(placed: Mapping[str, NDArray[np.float64]]) -> dict[str, Any]:
    """Return the fields of a template's own landmarks, {name: (3,)}; none where settings name none."""
    if not placed:
        return {}
    return {"landmark_names": list(placed), "landmark_points": np.array(list(placed.values()))}
