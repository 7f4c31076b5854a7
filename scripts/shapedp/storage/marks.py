"""Private marks that stand for folders which no rule may delete: each lists the files its folder was shown with."""

import json
from pathlib import Path

from shapedp.storage import files


def write(path, folder, names):
    """Mark a folder as shown, with its files."""
    files.write_text(path, json.dumps({"folder": str(folder), "files": sorted(names)}, indent=2) + "\n")


def forget_lost(marks_root, shown_root):
    """Remove the marks of folders that lost a file, so that Snakemake has them shown again.

    marks_root holds <branch>/<name>.json for each shown_root/<branch>/<name>/.
    """
    for path in sorted(Path(marks_root).glob("*/*.json")):
        folder = Path(shown_root) / path.parent.name / path.stem
        names = json.loads(path.read_text(encoding="utf-8"))["files"]
        if not all((folder / name).is_file() for name in names):
            path.unlink()
