"""Logs: what went wrong stands in them, progress does not flood the screen, and what was used can be read back."""

import itertools
import logging
import re

import numpy as np
import pytest

from shapedp.base.errors import RefusedRelease, StorageError
from shapedp.base.runs import logs
from shapedp.base.runs.logs import logged


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "0 s"),
        (38, "38 s"),
        (59.6, "1 min 00 s"),
        (250, "4 min 10 s"),
        (7500, "2 h 05 min"),
        (7199.9, "2 h 00 min"),
    ],
)
def test_times_read_as_people_say_them(seconds, words):
    assert logs.format_duration(seconds) == words


@pytest.fixture
def clock(monkeypatch):
    """Sets how many seconds pass between two looks at the clock."""

    def ticking(seconds):
        ticks = itertools.count(0, seconds)
        monkeypatch.setattr(logs.time, "monotonic", lambda: next(ticks))

    return ticking


def test_the_items_pass_through(clock):
    clock(1.0)
    assert list(logs.report_progress("abc", 3, "letters")) == ["a", "b", "c"]


def test_a_long_job_shows_itself_at_each_quarter(clock, capsys):
    clock(6.0)
    list(logs.report_progress(range(40), 40, "work faces/3"))
    shown = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1].split(",")[0] for line in shown] == [" 10 of 40", " 20 of 40", " 30 of 40", " 40 of 40"]
    assert shown[0] == "  work faces/3: 10 of 40, 6 s each, 3 min 00 s left"
    assert shown[-1] == "  work faces/3: 40 of 40, 6 s each, 4 min 00 s in all"


def test_a_short_job_is_silent_on_the_screen_and_ends_in_the_log(clock, capsys, caplog):
    clock(0.01)
    with caplog.at_level(logging.INFO, logger="shapedp"):
        list(logs.report_progress(range(40), 40, "work"))
    assert capsys.readouterr().err == ""
    assert [record.getMessage() for record in caplog.records] == ["work: 40 of 40, 0.01 s each, 0 s in all"]


def test_nothing_to_do_says_nothing(clock, capsys):
    clock(100.0)
    assert list(logs.report_progress([], 0, "work")) == []
    assert capsys.readouterr().err == ""


def test_the_log_ends_with_what_the_job_used(tmp_path):
    with logged(tmp_path / "job.log"):
        np.ones(40 << 17)  # 40 MB
    words = r"used ([0-9.]+) s of processor time, ([0-9.]+) of them to start, and ([0-9.]+) MB$"
    seconds, start, megabytes = map(float, re.search(words, (tmp_path / "job.log").read_text()).groups())
    assert seconds >= start > 0
    assert megabytes > 40


def test_after_a_job_the_library_is_as_quiet_as_before(tmp_path, caplog):
    caplog.set_level(logging.ERROR, "shapedp")
    with logged(tmp_path / "job.log"):
        assert logs.log.level == logging.INFO
    assert logs.log.level == logging.ERROR


REASON = "population 'people': budget exceeded; ask for less"


def fail(path, error):
    with pytest.raises(SystemExit), logs.logged(path):
        raise error


def test_a_refusal_is_told_once_without_the_advice_to_start_again(tmp_path):
    for name in ("one", "two"):
        fail(tmp_path / name / "release.log", RefusedRelease(REASON))
    first, advice = logs.describe_failures(tmp_path, since=0.0)
    assert first.startswith(f"  {REASON} (log: ")
    assert advice == logs.MEND


def test_a_full_disk_is_worth_another_start(tmp_path):
    fail(tmp_path / "mesh.log", StorageError("no room; make room"))
    assert list(logs.describe_failures(tmp_path, since=0.0))[-1] == logs.AGAIN


def test_a_mendable_error_leaves_no_traceback_in_the_log_and_a_fault_of_ours_does(tmp_path):
    fail(tmp_path / "a.log", RefusedRelease("two\nlines"))
    assert "ERROR RefusedRelease: two lines" in (tmp_path / "a.log").read_text(encoding="utf-8")
    assert "Traceback" not in (tmp_path / "a.log").read_text(encoding="utf-8")
    with pytest.raises(ZeroDivisionError), logs.logged(tmp_path / "b.log"):
        1 / 0  # noqa: B018
    assert "Traceback" in (tmp_path / "b.log").read_text(encoding="utf-8")


def test_older_runs_are_not_blamed(tmp_path):
    fail(tmp_path / "old.log", RefusedRelease(REASON))
    assert list(logs.describe_failures(tmp_path, since=(tmp_path / "old.log").stat().st_mtime + 1)) == [logs.AGAIN]


def test_jobs_that_a_log_does_not_explain_are_named_with_what_is_known(tmp_path):
    crashed = tmp_path / "rule/1.log"
    crashed.parent.mkdir()
    crashed.write_text(
        "2026-01-01 10:00:00,000 ERROR Traceback (most recent call last):\n  ...\nValueError: no axis 3\n"
    )
    failed = [("rule/1", [str(crashed)]), ("rule/2", [str(tmp_path / "none.log")])]
    first, second, advice = logs.describe_failures(tmp_path, since=0.0, failed=failed)
    assert first == f"  rule/1: ValueError: no axis 3; please report it with the log (log: {crashed})"
    assert second.startswith("  rule/2: its process died without a message") and advice == logs.AGAIN


def test_a_job_that_was_stopped_is_nothing_to_report(tmp_path):
    with pytest.raises(KeyboardInterrupt), logs.logged(tmp_path / "rule/1.log"):
        raise KeyboardInterrupt
    first, _ = logs.describe_failures(tmp_path, since=0.0, failed=[("rule/1", [str(tmp_path / "rule/1.log")])])
    assert first == f"  rule/1: was stopped (log: {tmp_path / 'rule/1.log'})"
