"""The Makefile's lanes run what they say, asked of make itself without running it."""

import os
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def plan(folder, *arguments):
    """What make would run there."""
    command = ["make", "--dry-run", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def calls(root, *arguments):
    """The arguments of each call of pytest that a lane would make."""
    told = plan(root, "--old-file=.venv/ready", "--old-file=.venv/loops", "CORES=2", *arguments)
    return [line.split(" -m pytest ")[1].rstrip(" &\\;}") for line in told.splitlines() if " -m pytest " in line]


def test_a_path_is_run_alone(root):
    assert calls(root, "test", "TESTS=tests/library/surfaces/scans") == ["-n 2 tests/library/surfaces/scans"]


@pytest.mark.parametrize(("lane", "picked"), [("test", '-m "not long and not thorough" '), ("test-all", "")])
def test_each_test_is_run_once(root, lane, picked):
    assert calls(root, lane) == [f"-n $((2 + 1)) {picked}tests"]


def test_loops_are_compiled_before_any_test_and_anew_where_one_has_changed(root, tmp_path):
    """Else each of the workers compiles them for itself. What a loop's file is worth shows in a copy of the tree."""
    for path in ("Makefile", "requirements.lock", "envs/make_venv.sh"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(root / path, tmp_path / path)
    (tmp_path / "scripts/shapedp").mkdir(parents=True)
    written = [tmp_path / "scripts/shapedp" / name for name in ("with_loop.py", "without.py")]
    for path, text in zip(written, ("from shapedp.base.storage.loops import loop\n", "import numpy\n"), strict=True):
        path.write_text(text, encoding="utf-8")
    (tmp_path / ".venv").mkdir()
    ready, loops = (tmp_path / ".venv" / name for name in ("ready", "loops"))
    told = {}
    for newest in (None, *written):
        for path in (*tmp_path.rglob("*"), ready, loops):
            path.touch()
            os.utime(path, (1e9, 1e9))
        for path, at in ((ready, 1e9 + 1), (loops, 1e9 + 2), (newest, 1e9 + 3)):
            if path:
                os.utime(path, (at, at))
        told[newest] = plan(tmp_path, "test", "CORES=2")
    assert [("one_face" in text) for text in told.values()] == [False, True, False]
    assert told[written[0]].index("one_face") < told[written[0]].index(" -m pytest ")


def test_quick_tests_are_the_library_s(root):
    assert calls(root, "check") == ['-n 2 -m "not long and not slow" tests/library']


def test_the_long_lane_runs_what_the_others_leave_out(root):
    assert calls(root, "test-long") == ["-n 2 -m long tests"]


def test_another_kernel_s_lane_runs_rooms_that_there_are(root):
    (call,) = calls(root, "test-kernel", "KERNEL=Haswell")
    picked, paths = call.split('" ')
    assert picked == '-n 2 -m "not long and not thorough and not slow'
    assert len(paths.split()) > 4 and all((root / path).exists() for path in paths.split())


def test_every_change_passes_lint_all_tests_and_another_kernel_s(root):
    lines = (root / ".ci/run").read_text(encoding="utf-8").splitlines()
    made = {word for line in lines if line.startswith("make ") for word in line.split()[1:]}
    assert {"lint", "test-all", "test-kernel"} <= made
