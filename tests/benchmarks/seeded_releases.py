"""Seeded releases of every kind and branch, small ones, and digests of their files: what a move must not change.

The records, settings and steps are those of the audit of records. Each release is made with a seed and a ledger key
that is always the same, and shown; its date and the head of its chain are masked wherever they stand.
"""

import hashlib
import importlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from workflow import runs

BEFORE = "73e39a8a"  # the commit before the last renamings
CODE = ("scripts", "workflow", "docs")  # what releases are made by; proofs are named by docs
KEY, SEED = b"k" * 32, 7
MASKED = "date", "ledger_head"


def changed(before=BEFORE):
    """Return which files of the releases are other than those that the code of a commit makes.

    Parameters
    ----------
    before : str
        The commit.

    Returns
    -------
    changed : list of str
        Paths of files that only one of the two makes, or that differ.
    count : int
        How many files there are.
    """
    with tempfile.TemporaryDirectory() as folder:
        archived = subprocess.run(
            ["git", "archive", before, *CODE], cwd=runs.ROOT, check=True, stdout=subprocess.PIPE
        ).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archived, check=True)
        first, second = digests_of(Path(folder)), digests_of(runs.ROOT)
    return [name for name in sorted({*first, *second}) if first.get(name) != second.get(name)], len(second)


def digests_of(checkout):
    """Return {path: digest} of all files of the releases that the code of a checkout makes, in a process of its own."""
    paths = os.pathsep.join([str(checkout / "scripts"), str(Path(__file__).parent), str(runs.ROOT / "tests")])
    with tempfile.TemporaryDirectory() as folder:
        code = f"import seeded_releases; seeded_releases.release_all({folder!r})"
        subprocess.run([sys.executable, "-c", code], cwd=folder, env=os.environ | {"PYTHONPATH": paths}, check=True)
        return {str(path.relative_to(folder)): digest for path, digest in _masked(Path(folder))}


def release_all(folder):
    """Make and show the releases, each command's in a folder of its own."""
    audit = importlib.import_module("shapedp.audit.records")
    show = importlib.import_module("show_release").show_release
    audit.PRIVACY |= {"seed": SEED}
    for name in ("release_faces", "release_shapes"):
        _as_reproductions(audit.making, name)
    view = audit.outside_view
    for branch in audit.LANDMARK_BRANCHES:
        place = _place(folder, branch)
        view.write_landmarks(place / "cohort.tps", branch, view.landmark_records(branch)[view.ORDINARY])
        audit.command_landmark_branch(place, branch)
    twice = _place(folder, "space_twice")
    view.write_two_times(twice, view.landmark_records("space")[view.ORDINARY], "2")
    audit.command_space_twice(twice)
    record = view.curve_records()[view.ORDINARY]
    (first, second), ok = view.curves_at_two_times(record)
    audit.np.savez((place := _place(folder, "faces_twice")) / "cohort.npz", before=first, after=second, ok=ok, cell="2")
    audit.command_faces_twice(place)
    curves, ok = view.cohort_curves(record)
    audit.np.savez((place := _place(folder, "faces")) / "cohort.npz", curves=curves, ok=ok, cell="30")
    audit.command_faces(place)
    for release in sorted(Path(folder).glob("*/results/release/*/*")):
        show(release)


def _as_reproductions(module, name):
    """A release with a seed promises nothing, and is made where it is asked for as a reproduction."""
    release = getattr(module, name)

    def made(*given, **named):
        at = next(at for at, value in enumerate(given) if isinstance(value, dict) and "budget" in value)
        return release(*given[:at], given[at] | {"reproduction": True}, *given[at + 1 :], **named)

    setattr(module, name, made)


def _place(folder, name):
    place = Path(folder) / name
    (place / "ledger").mkdir(parents=True)
    (place / "ledger/key").write_bytes(KEY)
    return place


def _masked(folder):
    """(path, digest) of each released file, with the words of its statement that tell when it was made masked."""
    for statement in sorted(folder.glob("*/results/release/*/*/statement.json")):
        stated = json.loads(statement.read_text(encoding="utf-8"))
        for path in sorted(statement.parent.iterdir()):
            content = path.read_bytes()
            for value in _values(stated):
                content = content.replace(value.encode(), b"masked")
            yield path, hashlib.sha256(content).hexdigest()


def _values(stated):
    """The texts of a statement, however deep, that stand under a masked key."""
    for key, value in stated.items() if isinstance(stated, dict) else ():
        if key in MASKED and isinstance(value, str):
            yield value
        yield from _values(value)
