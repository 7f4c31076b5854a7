"""Kill the workflow with all its jobs at random moments, start it again, and compare what it ends with."""

import random
import tempfile
import time
from pathlib import Path

from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError
from shapedp.ledger.ledger_folder import Ledger
from workflow import runs

TARGETS = (
    "results/private/faces/curves.h5",
    "results/private/faces/quality.tsv",
    "results/private/shown/faces/mean_face.json",
)
SMALL = {
    "faces.demo": {"count": 3, "bad": 1, "seed": 7},
    "faces.batch_size": 2,
    "faces.bounds.source": "public",
    "faces.bounds.tau": [0.05, 0.05, 0.05],
}
SEED = 20261121


def kill_rows(kills):
    """(case, measure, value, unit): kills, and what differed afterwards: artifacts, half-written files, ledger."""
    moments = random.Random(SEED)
    with tempfile.TemporaryDirectory() as scratch:
        started = time.monotonic()
        expected = _finish(_folder(scratch, "undisturbed"))
        duration = time.monotonic() - started
        done = differences = cohort = 0
        while done < kills:
            cohort += 1
            folder = _folder(scratch, f"cohort_{cohort}")
            killed = True
            while killed and done < kills:
                killed = _killed(folder, moments.uniform(0, duration))
                done += killed
                differences += killed * _half_written(folder)
            differences += _differences(_finish(folder), expected) + _ledger_faults(folder)
    return [("kill", "runs", done, "kills"), ("kill", "differences", differences, "artifacts")]


def _folder(scratch, name):
    folder = Path(scratch) / name
    folder.mkdir()
    runs.write_settings(folder, runs.tiny(SMALL))
    return folder


def _killed(folder, moment):
    """Run for that many seconds and kill; False if the run was over before."""
    running = runs.start(folder, *TARGETS)
    until = time.monotonic() + moment
    while running.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    killed = running.poll() is None
    runs.kill(running)
    if killed:
        runs.snakemake(folder, "--unlock")
    return killed


def _half_written(folder):
    """Artifacts that are visible under their name but not whole."""
    return sum(not _whole(path) for path in folder.rglob("results/**/*.h5") if not path.name.startswith("."))


def _whole(path):
    kind = artifacts.header(path)[0]
    try:
        artifacts.check(path, artifacts.KINDS[kind])
    except ArtifactError:
        return False
    return True


def _finish(folder):
    """Run to the end: the bytes of every artifact and table before the release."""
    runs.snakemake(folder, *TARGETS)
    table = folder / "results/private/faces/quality.tsv"
    return runs.artifacts_of(folder) | {"quality.tsv": table.read_bytes()}


def _differences(found, expected):
    return sum(found.get(name) != expected.get(name) for name in found.keys() | expected.keys())


def _ledger_faults(folder):
    """1 unless the ledger can be read back whole and the release that is shown is the one it holds."""
    ledger = Ledger(folder / "data/ledger")
    rows = ledger.list_releases("demo_faces")
    shown = folder / "results/release/faces/mean_face/statement.json"
    stored = [path.read_bytes() for path in (folder / "data/ledger").rglob("statement.json")]
    return int(not rows or shown.read_bytes() not in stored)
