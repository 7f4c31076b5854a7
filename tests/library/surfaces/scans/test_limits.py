"""Under hard limits on memory, time and files a scan that MeshLab must mend is mended or rejected; no run stops."""

import os
import subprocess
import sys

import pytest

from shapedp.surfaces.scans import limits, meshlab, meshlab_process

MENDED = """
import numpy as np
from shapedp.surfaces.human_face import real_faces
from shapedp.base.errors import Rejected
from shapedp.surfaces.scans import limits, meshlab

points, triangles = real_faces.template(), real_faces.triangles()
fin = np.concatenate([points, points[triangles[:1, 0]] + [0, 0, 9]])
made = np.concatenate([triangles, [[triangles[0, 0], triangles[0, 1], len(points)]]])
print("; ".join(limits.short_limits(20)))
try:
    print("mended", len(meshlab.repair(fin, made)[0]) > 0.9 * len(points))
except Rejected as error:
    print("rejected", error)
"""


def said(root, limit, **more):
    """The two lines of a process under a hard limit of the shell's: what it leaves too little of, what became of it."""
    given = {"PYTHONPATH": os.pathsep.join([str(root / "scripts"), *more.values()]), "OMP_NUM_THREADS": "1"}
    command = ["bash", "-c", f'ulimit {limit} && exec "$@"', "bash", sys.executable, "-c", MENDED]
    done = subprocess.run(command, env=os.environ | given, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("-v 1900000", "leaves 1855 MB of addresses, and a batch of 20 scans may need 2048"),
        ("-t 600", "leaves 600 s of processor time, and a batch of 20 scans may need 660"),
        ("-f 500000", "MB a file, and a batch of 20 scans may need 512"),
        ("-v unlimited", ""),
    ],
)
def test_below_what_a_scan_may_need_a_mesh_is_mended_and_the_limit_is_told(root, pymeshlab, limit, words):
    short, became = said(root, limit)
    assert became == "mended True"
    assert words in short and bool(words) == bool(short)


def test_a_scan_too_large_for_a_limit_on_files_is_rejected_alone(root):
    short, became = said(root, "-f 100")
    assert "ulimit -f" in short
    assert became.startswith("rejected MeshLab cannot be given the scan: its files may hold 102400 bytes")


@pytest.mark.slow
def test_a_scan_that_takes_all_of_the_processor_time_there_is_is_rejected_alone(root, tmp_path):
    (tmp_path / "pymeshlab.py").write_text("while True: pass\n", "utf-8")
    _, became = said(root, "-t 8", path=str(tmp_path))
    assert became.startswith("rejected MeshLab had not finished")


@pytest.mark.parametrize(("hard", "soft"), [(-1, 900), (1000, 900), (900, 899), (600, 599), (0, 0)])
def test_a_soft_limit_lies_below_the_hard_one(hard, soft):
    assert meshlab_process.soft_limit(900, hard) == soft


def test_a_machine_without_limits_falls_short_of_nothing(monkeypatch):
    monkeypatch.setattr(limits.resource, "getrlimit", lambda _: (-1, -1))
    assert limits.short_limits() == []


def test_a_batch_asks_for_as_long_as_its_scans_may_take():
    assert limits.minutes(0) == 30
    assert limits.minutes(250) == 30 + 250 * limits.SECONDS / 60


def test_meshlab_may_take_no_more_than_a_scan_may():
    assert meshlab.MOST_SECONDS < limits.SECONDS
    assert max(meshlab.MOST_MEMORY, limits.ADDRESSES) + meshlab.MOST_MEMORY < limits.JOB_MB << 20
    assert meshlab_process.MOST_WRITTEN == limits.WRITTEN
