"""A run that stopped says why, and whether starting it again is of any use."""

import pytest

from shapedp.errors import RefusedRelease, StorageError
from shapedp.runs import failures, logs

REASON = "population 'people': budget exceeded; ask for less"


def fail(path, error):
    with pytest.raises(SystemExit), logs.logged(path):
        raise error


def test_a_refusal_is_told_once_without_the_advice_to_start_again(tmp_path):
    for name in ("one", "two"):
        fail(tmp_path / name / "release.log", RefusedRelease(REASON))
    first, advice = failures.lines(tmp_path, since=0.0)
    assert first.startswith(f"  {REASON} (log: ")
    assert advice == failures.MEND


def test_a_full_disk_is_worth_another_start(tmp_path):
    fail(tmp_path / "mesh.log", StorageError("no room; make room"))
    assert list(failures.lines(tmp_path, since=0.0))[-1] == failures.AGAIN


def test_a_mendable_error_leaves_no_traceback_in_the_log_and_a_fault_of_ours_does(tmp_path):
    fail(tmp_path / "a.log", RefusedRelease("two\nlines"))
    assert "ERROR RefusedRelease: two lines" in (tmp_path / "a.log").read_text(encoding="utf-8")
    assert "Traceback" not in (tmp_path / "a.log").read_text(encoding="utf-8")
    with pytest.raises(ZeroDivisionError), logs.logged(tmp_path / "b.log"):
        1 / 0  # noqa: B018
    assert "Traceback" in (tmp_path / "b.log").read_text(encoding="utf-8")


def test_older_runs_are_not_blamed(tmp_path):
    fail(tmp_path / "old.log", RefusedRelease(REASON))
    assert list(failures.lines(tmp_path, since=(tmp_path / "old.log").stat().st_mtime + 1)) == [failures.AGAIN]
