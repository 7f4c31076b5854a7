"""Files that a folder or a list from a stranger names must lie in its folder."""

from pathlib import Path

LONGEST = 4096  # characters of a path
REMEDY = "copy it into the folder, or name a folder above both"


def escaping(paths, folder):
    """Those of the paths that lead out of `folder`: by `..`, by an absolute name, or through a symbolic link.

    The folder itself may be reached through links; its owner made those.
    """
    root = Path(folder).resolve()
    parents = {parent: parent.resolve() for parent in {Path(path).parent for path in paths}}
    return [path for path in paths if not _place(Path(path), parents).is_relative_to(root)]


def _place(path, parents):
    """Where a file is, with links resolved; each folder is looked up once, for a cohort may hold a million files."""
    return path.resolve() if path.is_symlink() else parents[path.parent] / path.name
