"""The Makefile's lanes run what they say, asked of make itself without running it."""

import re
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def calls(root, *arguments):
    """The arguments of each call of pytest that a lane would make."""
    command = ["make", "--dry-run", "--old-file=.venv/ready", "CORES=2", *arguments]
    told = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [line.split(" -m pytest ")[1].rstrip(" &\\;}") for line in told.splitlines() if " -m pytest " in line]


def test_a_path_is_run_alone(root):
    assert calls(root, "test", "TESTS=tests/library/surfaces/scans") == ["-n 2 tests/library/surfaces/scans"]


@pytest.mark.parametrize(("lane", "picked"), [("test", True), ("test-all", False)])
def test_each_test_is_run_once_those_first_that_compile_the_loops(root, lane, picked):
    first, rest = calls(root, lane)
    assert all(('-m "not long and not thorough"' in call) == picked for call in (first, rest))
    compiling = re.findall(r"tests/\S+", first)
    assert compiling and all((root / path).exists() for path in compiling)
    assert re.findall(r"--ignore=(\S+)", rest) == compiling
    assert rest.endswith(" tests")


def test_quick_tests_are_the_library_s(root):
    assert calls(root, "check") == ['-n 2 -m "not long and not slow" tests/library']


def test_the_long_lane_runs_what_the_others_leave_out(root):
    assert calls(root, "test-long") == ["-n 2 -m long tests"]


def test_another_kernel_s_lane_runs_rooms_that_there_are(root):
    (call,) = calls(root, "test-kernel", "KERNEL=Haswell")
    picked, paths = call.split('" ')
    assert picked == '-n 2 -m "not long and not thorough and not slow'
    assert len(paths.split()) > 4 and all((root / path).exists() for path in paths.split())


def test_every_change_passes_the_lane_of_another_kernel(root):
    assert "make test-kernel" in (root / ".ci/run").read_text(encoding="utf-8").splitlines()
