"""One quiet view of a run: what it shows of Snakemake's events, on a terminal and piped."""

import fcntl
import io
import logging
import os
import pty
import struct
import termios
import time
from enum import Enum

import pytest

from shapedp.base.runs import logs, view
from shapedp.base.runs.remaining import Job, Schedule


class Kind(Enum):
    """As Snakemake marks its records."""

    JOB_INFO = "job_info"
    JOB_FINISHED = "job_finished"
    JOB_ERROR = "job_error"
    RUN_INFO = "run_info"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def logger(monkeypatch):
    """A logger like Snakemake's, with a screen that keeps what it shows."""
    monkeypatch.setenv(logs.VIEWED, "")
    made, shown = logging.Logger("like Snakemake's"), []
    screen = logging.StreamHandler()
    screen.name, screen.emit = view.SCREEN, lambda record: shown.append(record.getMessage())
    made.addHandler(screen)
    made.shown = shown
    return made


@pytest.fixture
def run(logger, tmp_path):
    """run(stream) -> a view at work on two batches and what gathers them, in a folder of its own."""
    views = []

    def start(stream):
        (tmp_path / "private").mkdir(exist_ok=True)
        jobs = {
            1: Job("mesh_faces", "mesh_faces/faces/1", 30, "faces", log=tmp_path / "1.log"),
            2: Job("mesh_faces", "mesh_faces/faces/2", 33, "faces", log=tmp_path / "2.log"),
            3: Job("release_faces", "release_faces/mean_face", needs=frozenset((1, 2))),
        }
        made = view.View(["mesh_faces"], stream=stream, results=tmp_path).take_over(logger)
        logger.info("Building DAG of jobs...")
        logger.info("Job stats: ...", extra={"event": Kind.RUN_INFO})
        made.start(logger, Schedule(jobs, 2, {"faces": 63}))
        views.append(made)
        return made

    yield start
    for one in views:
        one.stop()


def begin(logger, job):
    logger.info("rule", extra={"event": Kind.JOB_INFO, "jobid": job, "rule_name": "mesh_faces"})


def test_a_run_is_told_in_totals_and_snakemake_in_silence(run, logger):
    stream = io.StringIO()
    made = run(stream)
    begin(logger, 1)
    begin(logger, 2)
    logger.info("Select jobs to execute...")
    logger.info("Finished", extra={"event": Kind.JOB_FINISHED, "job_id": 1})
    logger.warning("a disk is nearly full")
    assert made.line().startswith("scans done: faces 30 of 63; 1 of 3 jobs; about ")
    assert made.line().endswith(" left; now mesh_faces")
    assert logger.shown == ["a disk is nearly full"] and stream.getvalue() == ""


def test_rejected_scans_are_told_with_the_reason_and_no_control_characters(run, logger, tmp_path):
    stream = io.StringIO()
    made = run(stream)
    words = "a\x1b[31m rejected in mesh_faces (empty_file): a.xyz: an empty file"
    (tmp_path / "1.log").write_text(f"2026-01-01 10:00:00,000 WARNING {words.replace(' rej', 'x rej', 1)}\n")
    many = "".join(f"2026-01-01 10:00:00,000 WARNING b{at} rejected in mesh_faces (c): d\n" for at in range(20))
    (tmp_path / "2.log").write_text(many)
    for job in (1, 2):
        begin(logger, job)
        logger.info("Finished", extra={"event": Kind.JOB_FINISHED, "job_id": job})
    told = stream.getvalue().splitlines()
    assert told[0] == "  a?[31mx rejected in mesh_faces (empty_file): a.xyz: an empty file"
    assert len(told) == view.MOST_REJECTED + 1 and "21 rejected" in made.line()


def test_a_failed_job_is_told_once_with_what_the_executor_says(run, logger):
    stream = io.StringIO()
    made = run(stream)
    failed = {"event": Kind.JOB_ERROR, "jobid": 3, "rule_name": "release_faces", "log": []}
    begin(logger, 3)
    logger.error("Error in rule release_faces", extra=failed | {"rule_msg": "TIMEOUT\nof the cluster"})
    logger.error("RuleException:\nCalledProcessError in file \"x.smk\", line 48:\nCommand 'python' returned 1.")
    assert stream.getvalue() == "  FAILED release_faces/mean_face: TIMEOUT of the cluster\n"
    assert logger.shown == [] and made.count_failed() == ": 1 of 3 jobs failed" and "1 failed" in made.line()
    begin(logger, 3)
    logger.info("Finished", extra={"event": Kind.JOB_FINISHED, "job_id": 3})
    assert made.count_failed() == "", "it was tried again and went through"


def test_piped_lines_come_by_themselves_and_another_terminal_reads_the_last(run, logger, monkeypatch, tmp_path):
    monkeypatch.setattr(view, "REFRESH", 0.02)
    monkeypatch.setattr(view, "EVERY", 0.0)
    monkeypatch.setattr(view, "MOST_LINES", 1e9)
    stream = io.StringIO()
    made = run(stream)
    begin(logger, 1)
    deadline = time.monotonic() + 20
    while not (stream.getvalue() and view.read_run_line(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert stream.getvalue().startswith("  scans done: faces 0 of 63; 0 of 3 jobs; about ")
    assert stream.getvalue().isascii() and "\x1b" not in stream.getvalue()
    assert view.read_run_line(tmp_path).startswith("scans done: faces 0 of 63")
    made.stop()
    assert view.read_run_line(tmp_path) is None


def test_a_terminal_shows_a_bar_that_leaves_no_trace(run, logger):
    stream = Terminal()
    made = run(stream)
    made._live.refresh()
    made.stop()
    assert "░" in stream.getvalue() and "the first jobs begin" in stream.getvalue()


def test_a_run_of_nothing_is_seen_and_other_words_before_it_stay(logger):
    made = view.View().take_over(logger)
    logger.info("Unlocking working directory.")
    assert not made.is_idle
    logger.info("Nothing to be done (all requested files are present and up to date).")
    assert made.is_idle and [words.split()[0] for words in logger.shown] == ["Unlocking", "Nothing"]


def test_where_all_lines_are_asked_for_a_failed_command_is_not_told_twice(logger):
    seen = view.Screen().take_over(logger)
    logger.error("Rejected: a.tps: no landmarks")
    logger.error("RuleException:\nCalledProcessError in file \"x.smk\", line 48:\nCommand 'python' returned 1.")
    logger.info("Nothing to be done (all requested files are present and up to date).")
    assert seen.is_idle and [line.split(":")[0][:10] for line in logger.shown] == ["Rejected", "Nothing to"]


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"at": "x", "line": 1}', '{"at": 0, "line": "old"}'])
def test_a_note_that_cannot_be_read_or_is_old_is_none(tmp_path, text):
    (tmp_path / "private").mkdir()
    (tmp_path / view.NOTE).write_text(text)
    assert view.read_run_line(tmp_path) is None


@pytest.fixture
def narrow_terminal():
    """The stream of a terminal of forty columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    with os.fdopen(theirs, "w") as stream:
        yield stream
    os.close(ours)


def test_a_terminal_breaks_lines_between_words_and_leaves_paths_whole(narrow_terminal):
    path = "results/private/" + "long/" * 10 + "face.log"
    text = f"  mean_face will spend mu = 1; then mu = 11.96 is left; see {path}\nshort"
    assert view.wrap_at_words(text, narrow_terminal).split("\n") == [
        "  mean_face will spend mu = 1; then mu =",
        "    11.96 is left; see",
        f"    {path}",
        "short",
    ]


def test_what_is_piped_keeps_its_lines(tmp_path):
    text = "many words " * 40
    with (tmp_path / "piped").open("w") as stream:
        assert view.wrap_at_words(text, stream) == text
    assert view.wrap_at_words(text, io.StringIO()) == text
