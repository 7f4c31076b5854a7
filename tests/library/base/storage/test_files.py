"""Files that people give: from the future, linked, or copies of each other."""

import errno
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from shapedp.base import artifacts
from shapedp.base.errors import StorageError
from shapedp.base.storage import files
from shapedp.surfaces.chain.step import run_step

CURVES = np.random.default_rng(1).normal(size=(23, 3, 80))

# A job in a process of its own whose files may not grow beyond the limit: writes then fail as on a full disk.
WRITE_MANY = """
import resource, signal, sys
import numpy as np
from shapedp.base import artifacts
from shapedp.surfaces.chain.step import run_step
from shapedp.base.errors import StorageError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
curves = np.random.default_rng(1).normal(size=(23, 3, 80))
written = 0
try:
    with artifacts.writer(sys.argv[1], artifacts.FACE_CURVES) as out:
        for written in range(200):
            out.write(f"f{written}", curves=curves)
except StorageError as error:
    print(written, error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("limit", [300, 5_000, 45_000, 100_000, 400_000])
def test_an_artifact_that_does_not_fit_ends_in_words_and_leaves_nothing(tmp_path, root, limit):
    path = tmp_path / "curves.h5"
    done = subprocess.run(
        [sys.executable, "-c", WRITE_MANY, str(path), str(limit)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PYTHONPATH": str(root / "scripts"), "PYTHONDONTWRITEBYTECODE": "1"},  # the limit would cut it short
    )
    assert done.returncode == 0, done.stderr
    written, words = done.stdout.split(" ", 1)
    assert int(written) <= limit // 40_000 + 1, "the writer stops at the record that did not fit"
    assert f"{path}: cannot be written: File too large" in words
    assert "make room, then start the same command again" in words
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_before_stays_when_the_disk_is_full(tmp_path):
    path = tmp_path / "table.tsv"
    files.write_text(path, "old\n")
    with pytest.raises(StorageError, match="No space left on device"), files.atomic(path) as partial:
        partial.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")
    assert path.read_text() == "old\n"
    assert [one.name for one in tmp_path.iterdir()] == ["table.tsv"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_told_with_the_room_and_the_remedy(tmp_path, number):
    with (
        pytest.raises(StorageError, match=r"MB free on its disk\); make room"),
        files.explain_write_errors(tmp_path / "a"),
    ):
        raise OSError(number, "from the system")


def test_a_read_only_place_is_told_only_if_it_is_the_place_that_is_written(tmp_path):
    with pytest.raises(StorageError, match="make the folder writable"), files.explain_write_errors(tmp_path / "a"):
        raise PermissionError(errno.EACCES, "denied", str(tmp_path / ".a.partial"))
    with pytest.raises(PermissionError), files.explain_write_errors(tmp_path / "a"):
        raise PermissionError(errno.EACCES, "denied", "/elsewhere/scan.ply")


def test_a_failing_machine_rejects_no_face(tmp_path):
    """Else a full disk would turn people into the reference."""

    def step():
        raise StorageError("full")

    with pytest.raises(StorageError), artifacts.writer(tmp_path / "a.h5", artifacts.FACE_CURVES) as out:
        out.write("anna", **run_step("anna", "stage", step))


def test_the_sink_hides_a_failure_from_the_writer_but_not_from_us(tmp_path, monkeypatch):
    with (
        pytest.raises(StorageError, match="shown: cannot be written: No space left"),
        files.Sink(tmp_path / "partial", "shown") as sink,
    ):
        sink.write(b"abcdef")
        monkeypatch.setattr(os, "pwrite", _full)
        sink.seek(4)
        assert sink.write(b"1234") == 4
        sink.seek(1)
        assert sink.read(20) == b"bcd1234", "what the library wrote last is what it reads"
        raise ValueError("what the library makes of it")


def test_the_sink_is_a_file(tmp_path):
    with files.Sink(tmp_path / "partial", "shown") as sink:
        sink.write(b"0123456789")
        assert (sink.tell(), sink.seek(-3, os.SEEK_END), sink.read(9)) == (10, 7, b"789")
        sink.seek(2)
        sink.write(b"xy")
        assert sink.seek(1, os.SEEK_CUR) == 5
        sink.truncate(8)
        sink.check()
    assert (tmp_path / "partial").read_bytes() == b"01xy4567"


def _full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_only_files_from_the_future_are_named(tmp_path):
    for name, date in (("old", 50), ("now", 100), ("ahead", 103)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (date, date))
    files.refuse_future([tmp_path / "old", tmp_path / "now", tmp_path / "missing"], now=100)
    with pytest.raises(StorageError, match=r"1 file\(s\) are dated after now .*/ahead'\. A clock .*touch FILE"):
        files.refuse_future(tmp_path.iterdir(), now=100)


def test_a_whole_cohort_from_the_future_makes_a_short_message(tmp_path):
    paths = [tmp_path / str(index) for index in range(300)]
    for path in paths:
        path.touch()
    with pytest.raises(StorageError, match=r"300 file\(s\).* and 295 more") as caught:
        files.refuse_future(paths, now=1)
    assert len(str(caught.value)) < 2000


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """`a` and what is the same as it, and `b` of the same size, which differs in the first byte alone."""
    content = bytes(range(256)) * 64
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "b").write_bytes(b"\xff" + content[1:])
    (tmp_path / "link").symlink_to(tmp_path / "a")
    os.link(tmp_path / "a", tmp_path / "hard")
    shutil.copy(tmp_path / "a", tmp_path / "copy")
    for name in ("empty", "void"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("other", ["a", "link", "hard", "copy", "./a"])
def test_one_file_by_any_name_is_one(folder, other):
    assert files.find_same_files([other], ["a", "b"]) == [(other, "a")]


@pytest.mark.parametrize("other", ["b", "empty", "missing"])
def test_others_are_others(folder, other):
    assert files.find_same_files([other], ["a", "void", "gone"]) == []


def test_repeats_are_told_together(folder):
    assert files.find_repeats(["a", "b", "hard", "copy", "empty", "void"]) == [{"a", "hard", "copy"}]
    assert files.find_repeats(["a", "b", "missing"]) == []


def test_whole_files_are_read_only_where_the_middle_agrees(folder, monkeypatch):
    read = []
    monkeypatch.setattr(files, "digest_file", lambda path: read.append(path) or path)
    (folder / "c").write_bytes(bytes(reversed(range(256))) * 64)
    files.find_repeats(["a", "c"])
    assert read == []
