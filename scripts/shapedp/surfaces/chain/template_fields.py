"""The fields of a template, which steps are given as a file or as what it holds."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shapedp.base import artifacts
from shapedp.surfaces.subjects import models


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
