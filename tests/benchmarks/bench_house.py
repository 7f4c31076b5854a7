"""The house itself: how long its lanes take, how large its largest module is, how far a new mechanism reaches.

check, test : `make check` and `make test` in this checkout, with the environment and the loops ready; ci : `.ci/run` in
a clone of the last commit, environment and loops included. files_touched : files that another mechanism would have to
be written into: one for its class, the one that collects the classes, and each that lists all names of a branch.
"""

import re
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from shapedp.mechanisms import curve_mechanisms, shape_mechanisms
from workflow import runs

POPULATIONS = ("checkout",)
LIBRARY = runs.ROOT / "scripts"
KINDS = (curve_mechanisms, shape_mechanisms)


@dataclass(frozen=True)
class Size:
    """lanes : {measure: command}, timed here; clone : whether CI is run in a clone."""

    lanes: dict
    clone: bool


FULL = Size({"check_s": ("make", "check"), "test_s": ("make", "test")}, True)
TINY = Size({"check_s": ("make", "--dry-run", "check")}, False)


def run(_, size):
    """Rows (case, measure, value, unit)."""
    for measure, command in size.lanes.items():
        yield "tests", measure, seconds(command, runs.ROOT), "s"
    if size.clone:
        with tempfile.TemporaryDirectory() as folder:
            clone = Path(folder) / "clone"
            subprocess.run(["git", "clone", "--quiet", str(runs.ROOT), str(clone)], check=True)
            yield "tests", "ci_s", seconds(("bash", ".ci/run"), clone), "s"
    yield "modules", "largest_lines", max(lines(path) for path in LIBRARY.rglob("*.py")), "lines"
    yield "mechanism", "files_touched", max(len(touched(kind)) for kind in KINDS), "files"


def seconds(command, folder):
    """By the clock; a lane that fails has no time."""
    start = time.monotonic()
    subprocess.run(command, cwd=folder, check=True)
    return time.monotonic() - start


def lines(path):
    """Lines of a file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def touched(kind):
    """The files that an addition to the mechanisms of a module has to be written into, the class's own as its place.

    Simulations and their figures compare the mechanisms that a paper compares; another one is none of theirs.
    """
    files = [path for path in LIBRARY.rglob("*.py") if not {"simulation", "figures"} & set(path.parts)]
    files += [*(runs.ROOT / "workflow").rglob("*.yaml"), *(runs.ROOT / "workflow").rglob("*.json")]
    lists = {path for path in files if lists_all(path.read_text(encoding="utf-8"), kind.MECHANISMS)}
    return {"the class", Path(kind.__file__), *lists}


def lists_all(text, names):
    """Whether each of the names stands in a text as a word."""
    return all(re.search(rf"\b{name}\b", text) for name in names)
