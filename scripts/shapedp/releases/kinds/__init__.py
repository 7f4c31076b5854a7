"""The kinds of releases, a folder each. A further kind is a further folder and its name in `FOLDERS`.

Everything else asks the kinds: settings' checks, statements, the list of files that may be published, pictures, pages,
forecasts, exports and the workflow.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from shapedp.releases.kinds.kind import ReleaseKind

FOLDERS = (
    "mean",
    "model",
    "change",
    "growth",
    "point",
)
# Imported by name, so that a folder that is removed and its word above leave nothing else to change.
KINDS: tuple[ReleaseKind, ...] = tuple(
    kind for folder in FOLDERS for kind in import_module(f"{__name__}.{folder}").KINDS
)


def find(branch: str, name: str | None) -> ReleaseKind:
    """Return the ReleaseKind that settings call `name` in a branch; its means where they say nothing.

    Parameters
    ----------
    branch : str
        `faces`, `shapes` or `points`.
    name : str or None
        The word of `kind:`.
    """
    return next(kind for kind in KINDS if kind.branch == branch and (kind.name == name if name else kind.is_mean))


def find_entry(branch: str, entry: Mapping[str, Any]) -> ReleaseKind:
    """Return the ReleaseKind of an entry of a branch's `releases`, which answers all else about it.

    A mean's entry may say none.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    entry : mapping
        The entry.
    """
    return find(branch, entry.get("kind"))


def find_file(name: str) -> ReleaseKind | None:
    """Return the first kind whose released file is called so, or None; several words may share a file."""
    return next((kind for kind in KINDS if kind.file == name), None)


def find_artifact(name: str) -> ReleaseKind | None:
    """Return the first kind whose released file is declared under this name, or None."""
    return next((kind for kind in KINDS if kind.artifact_name == name), None)


def find_held(folder: Path) -> ReleaseKind | None:
    """Return the first kind whose released file lies in a folder, or None."""
    return next((kind for kind in KINDS if (folder / kind.file).is_file()), None)


def find_mean(branch: str) -> ReleaseKind:
    """Return the kind of a branch's means, which hold where an entry names none."""
    return next(kind for kind in KINDS if kind.branch == branch and kind.is_mean)


def artifacts_by_file() -> dict[str, Any]:
    """Return {name of a released file: how it is declared}."""
    return {kind.file: kind.artifact for kind in KINDS}
