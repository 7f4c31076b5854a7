"""Progress: often enough to see that a job lives, seldom enough that eight jobs side by side can be read."""

import itertools
import logging

import pytest

from shapedp.runs import logs


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
    assert logs.duration(seconds) == words


@pytest.fixture
def clock(monkeypatch):
    """Sets how many seconds pass between two looks at the clock."""

    def ticking(seconds):
        ticks = itertools.count(0, seconds)
        monkeypatch.setattr(logs.time, "monotonic", lambda: next(ticks))

    return ticking


def test_the_items_pass_through(clock):
    clock(1.0)
    assert list(logs.progress("abc", 3, "letters")) == ["a", "b", "c"]


def test_a_long_job_shows_itself_at_each_quarter(clock, capsys):
    clock(6.0)
    list(logs.progress(range(40), 40, "work faces/3"))
    shown = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1].split(",")[0] for line in shown] == [" 10 of 40", " 20 of 40", " 30 of 40", " 40 of 40"]
    assert shown[0] == "  work faces/3: 10 of 40, 6 s each, 3 min 00 s left"
    assert shown[-1] == "  work faces/3: 40 of 40, 6 s each, 4 min 00 s in all"


def test_a_short_job_is_silent_on_the_screen_and_ends_in_the_log(clock, capsys, caplog):
    clock(0.01)
    with caplog.at_level(logging.INFO, logger="shapedp"):
        list(logs.progress(range(40), 40, "work"))
    assert capsys.readouterr().err == ""
    assert [record.getMessage() for record in caplog.records] == ["work: 40 of 40, 0.01 s each, 0 s in all"]


def test_nothing_to_do_says_nothing(clock, capsys):
    clock(100.0)
    assert list(logs.progress([], 0, "work")) == []
    assert capsys.readouterr().err == ""
