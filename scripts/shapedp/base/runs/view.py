"""One quiet view of a run: scans done of all, rejected ones with the reason, minutes left, what is at work.

A terminal shows it in its last lines; piped, and on a cluster, the same words come as lines, without control
characters. Snakemake's own lines go to its log alone.
"""

import json
import logging
import os
import re
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from shapedp.base.errors import ShapedpError
from shapedp.base.runs import remaining
from shapedp.base.runs.logs import VIEWED
from shapedp.base.storage import files

# What Snakemake calls the handler that writes to the terminal.
SCREEN = "DefaultStreamHandler"
IDLE = "Nothing to be done"
# What Snakemake says before the first job; whatever else it says by then (it unlocks, it lists) stays.
EVENTS_BEFORE = {"workflow_started", "resources_info", "run_info", "rulegraph"}
WORDS_BEFORE = ("Assuming unrestricted", "Building DAG", "Using shell", "Conda env", "Singularity", "Group jobs")
ASKED_TO_STOP = ("Terminating processes", "Will exit after finishing")
# That a job failed the view says itself, once; why, the end of the run.
FAILED = ("CalledProcessError in file", "Exiting because a job", "At least one job did not complete")
# What a step of the chain logs.
REJECTED = re.compile(r"^\S+ \S+ WARNING (\S+ rejected in .*)$", re.MULTILINE)
# Lines; the others stand in the table of quality.
MOST_REJECTED = 8
BAR = 40  # characters
# Seconds between two lines of a piped run at least.
EVERY = 20.0
# Lines of progress of a piped run, about, however long it takes.
MOST_LINES = 12
# Seconds between two looks at the jobs' logs.
REFRESH = 2.0
# What `shapedp status` shows of a run that is at work.
NOTE = "private/view.json"
# Seconds after which a run that has noted nothing is no longer at work.
FRESH = 60.0


class View(logging.Handler):
    """A filter of Snakemake's screen from the start, and what stands in its place once jobs run.

    last_rules : rules at the end of a scan's way; words : what the view says of faces, as it is said of what scans show
    stream : where it is said; results : the folder of the results
    """

    def __init__(
        self,
        last_rules: Iterable[str] = (),
        words: Callable[[str], str] = str,
        stream=None,
        results: str | Path = "results",
    ):
        super().__init__()
        self.is_idle = False
        self.failed: dict[int, tuple[str, list[str]]] = {}  # id: label, logs
        self._last_rules, self._words, self._results = set(last_rules), words, Path(results)
        self._stream = stream or sys.stderr
        self._schedule = self._live = None
        self._phase = "before"
        self._rejected, self._rejected_count = [], 0
        self._halt = threading.Event()
        self._told_at, self._started = 0.0, time.monotonic()
        self._line, self._share = "the first jobs begin", 0.0

    def take_over(self, logger: logging.Logger) -> "View":
        """Take over Snakemake's screen from its logger, so that the view's line stands there in place of its lines; its
        file keeps all.
        """
        for handler in logger.handlers:
            if handler.name == SCREEN:
                handler.addFilter(self._passes)
        return self

    def start(self, logger: logging.Logger, schedule: remaining.Schedule) -> None:
        """Show how far the jobs of this schedule are, whose events this logger tells, until `stop`."""
        self._schedule, self._phase = schedule, "at work"
        # The jobs' own lines would stand between the view's.
        os.environ[VIEWED] = "1"
        logger.addHandler(self)
        self._started = self._told_at = time.monotonic()
        if self._stream.isatty():
            console = Console(file=self._stream, highlight=False, markup=False)
            self._live = Live(console=console, get_renderable=self._render, refresh_per_second=2, transient=True)
            self._live.start()
        threading.Thread(target=self._keep_telling, daemon=True).start()

    def stop(self) -> None:
        """End the view when the jobs are through; what Snakemake says after it is not shown."""
        if self._phase != "at work":
            return
        self._phase = "after"
        self._halt.set()
        if self._live:
            self._live.stop()
        (self._results / NOTE).unlink(missing_ok=True)

    def emit(self, record: logging.LogRecord) -> None:
        """Update the view by an event of Snakemake's: a job that starts, ends or fails."""
        event = _find_event(record)
        if event == "job_info":
            self._schedule.start(record.jobid)
        elif event == "job_finished":
            self.failed.pop(record.job_id, None)
            self._schedule.finish(record.job_id)
            self._note_rejected(self._schedule.jobs.get(record.job_id))
        elif event == "job_error":
            self._note_failed(record)

    def count_failed(self) -> str:
        """Return how many jobs failed, as the end of a sentence."""
        count = len(self.failed)
        return f": {count} of {len(self._schedule.jobs)} jobs failed" if count else ""

    def line(self) -> str:
        """Return how far the run is, in one line: scans done, jobs running, rejected and failed, the time left."""
        schedule = self._schedule
        scans = [f"{cohort} {through} of {count}" for cohort, (through, count) in self._scans().items()]
        parts = [f"scans done: {', '.join(scans)}"] if scans else []
        if self._rejected_count:
            parts.append(f"{self._rejected_count} rejected")
        parts.append(f"{len(schedule.done)} of {len(schedule.jobs)} jobs")
        if schedule.failed:
            parts.append(f"{len(schedule.failed)} failed")
        parts.append(f"about {remaining.describe_seconds(schedule.seconds_left())} left")
        rules = list(dict.fromkeys(job.rule for job in schedule.running()))
        if rules:
            parts.append(f"now {', '.join(rules[:3])}{' and others' if len(rules) > 3 else ''}")
        return self._words("; ".join(parts))

    def _scans(self):
        """Return {cohort: (scans that are through, scans)} in the order in which the line names them."""
        return dict(sorted(self._schedule.scans_through(self._last_rules).items()))

    def _render(self):
        """Return what the terminal's last lines hold; it waits for no lock, for whoever prints holds the handler's."""
        filled = int(BAR * self._share)
        return Text(f"{'█' * filled}{'░' * (BAR - filled)}\n{self._line}", overflow="fold")

    def _keep_telling(self):
        """Note the line for other terminals every few seconds; piped, print it now and then."""
        while not self._halt.wait(REFRESH):
            with self.lock:
                now, left = time.monotonic(), self._schedule.seconds_left()
                passed = now - self._started
                self._line, self._share = self.line(), passed / (passed + left)
                if not self._live and now - self._told_at >= max(EVERY, (passed + left) / MOST_LINES):
                    self._told_at = now
                    self._say(f"  {self._line}")
            if not self._halt.is_set():
                # A full disk stops jobs in words of its own; the view goes on.
                with suppress(OSError, ShapedpError):
                    files.write_text(self._results / NOTE, json.dumps({"at": time.time(), "line": self._line}))

    def _note_rejected(self, job):
        """Say whom a finished job rejected and why, the first few while the run goes on."""
        if job is None or job.log is None or not job.log.is_file():
            return
        for words in REJECTED.findall(job.log.read_text(encoding="utf-8", errors="replace")):
            self._rejected_count += 1
            if self._rejected_count <= MOST_REJECTED:
                self._say(f"  {words}" if job.cohort != "reference" else f"  of the public set: {words}")
            elif self._rejected_count == MOST_REJECTED + 1:
                self._say("  further rejected scans are counted here, and listed when the run ends")

    def _note_failed(self, record):
        """Note a job that failed, and say so with the reason where there is one."""
        job = self._schedule.jobs.get(record.jobid)
        label = job.label if job else record.rule_name
        self._schedule.fail(record.jobid)
        self.failed[record.jobid] = (label, list(record.log))
        # Why, the job has said in a line of its own, or Snakemake's executor says (a cluster's limit of time).
        reason = " ".join((record.rule_msg or "").split())
        self._say(f"  FAILED {label}{f': {reason}' if reason else ''}")

    def _say(self, words):
        """Print a line for the operator, above the live view on a terminal, or as plain text elsewhere."""
        text = "".join(letter if letter.isprintable() else "?" for letter in self._words(words))
        if self._live:
            self._live.console.print(wrap_at_words(text, self._stream), soft_wrap=True)
        else:
            print(text, file=self._stream, flush=True)

    def _passes(self, record):
        """Return whether a line of Snakemake's own still reaches the screen beside this view, as warnings do."""
        words = record.getMessage()
        self.is_idle = self.is_idle or words.startswith(IDLE)
        if any(phrase in words for phrase in FAILED):
            return False
        if self._phase == "before":
            return _find_event(record) not in EVENTS_BEFORE and not words.startswith(WORDS_BEFORE)
        if _find_event(record) in ("job_error", "group_error") or self._phase == "after":
            return False
        return record.levelno >= logging.WARNING or words.startswith(ASKED_TO_STOP)


class Screen:
    """A filter where all of Snakemake's lines are asked for: a failed command's reason stands above it in its words."""

    def __init__(self):
        self.is_idle = False
        self.failed: dict[int, tuple[str, list[str]]] = {}

    def start(self, *_) -> None:
        """Leave the screen to Snakemake."""

    stop = start

    def count_failed(self) -> str:
        """Return nothing: Snakemake says which jobs failed."""
        return ""

    def take_over(self, logger: logging.Logger) -> "Screen":
        """Filter what this logger writes to the screen, which else shows all of Snakemake's lines."""
        for handler in logger.handlers:
            if handler.name == SCREEN:
                handler.addFilter(self._passes)
        return self

    def _passes(self, record):
        """Return whether a line of Snakemake's log is shown to the user, and note whether the run had nothing to do."""
        words = record.getMessage()
        self.is_idle = self.is_idle or words.startswith(IDLE)
        return FAILED[0] not in words


def wrap_at_words(text: str, stream: TextIO) -> str:
    """Return a text with its lines broken between words, where a terminal would break them within one.

    Parameters
    ----------
    text : str
        Lines; those that go on begin two letters further in.
    stream : file
        Where it is said; what no terminal shows stays as it is.
    """
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return text
    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        # A path that is longer than the line stays whole, so that it can be copied.
        broken = textwrap.wrap(
            line, max(columns, 20), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
        lines += broken or [line]
    return "\n".join(lines)


def read_run_line(results: str | Path = "results") -> str | None:
    """Return the line that a run in these results shows now, so that another terminal can say it; None where none is at
    work.
    """
    try:
        note = json.loads((Path(results) / NOTE).read_text(encoding="utf-8"))
        return note["line"] if time.time() - note["at"] < FRESH else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _find_event(record):
    """Return the kind of a record, in Snakemake's words; None of a plain line."""
    return getattr(getattr(record, "event", None), "value", None)
