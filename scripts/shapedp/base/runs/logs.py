"""The log of a job: what happened, how far it is, what it used, and why it failed."""

import logging
import os
import re
import resource
import sys
import time
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path

from shapedp.base.errors import ShapedpError

PEAK = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)
# Seconds between two lines of progress in a log.
EVERY = 5.0
# Seconds between two lines of progress of a job on the screen.
QUIET = 10.0
# Set while one view of the run tells what its jobs do: they write to their logs alone.
VIEWED = "SHAPEDP_QUIET"
# A job shows itself at most this often.
QUARTERS = 4
UNFORESEEN = re.compile(r"^(?:\w+\.)*(\w+(?:Error|Exception|Interrupt|Exit|Warning))(?:: (.*))?$", re.MULTILINE)
# What `runs.logs.logged` writes.
MENDABLE = re.compile(r"^\S+ \S+ ERROR (\w+): (.*)$", re.MULTILINE)
HOPELESS = {
    "RefusedRelease",
    "ConfigError",
    "ArtifactError",
    "Rejected",
    "ProgramError",
}  # the same again ends the same way
MEMORY_HINT = "; if memory was short, fewer --cores help"
AGAIN = "start the same command again to go on: what is finished is kept"
MEND = "correct that first; what is finished is kept"


def measure_processor_seconds():
    """Return the processor time of this process since it began, and of its children that are through, in seconds."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure_peak_memory():
    """Return the most memory that this process held at once in MB, for the job's log.

    Linux's ru_maxrss would also count what the parent held before the start.
    """
    status = Path("/proc/self/status")
    peak = PEAK.search(status.read_text(encoding="ascii")) if status.exists() else None
    return int(peak[1]) / 1024 if peak else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


log = logging.getLogger("shapedp")


@contextmanager
def logged(path):
    """Send a job's messages, warnings and any traceback to its log `path`; an error that can be mended ends in one
    line.
    """
    start = measure_processor_seconds()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    level_before = log.level
    log.setLevel(logging.INFO)
    logging.captureWarnings(True)
    logging.getLogger("py.warnings").addHandler(handler)
    try:
        yield
    except ShapedpError as error:
        # One line, for the operator: it says what to do, and the calls that led to it do not.
        log.error("%s: %s", type(error).__name__, " ".join(str(error).split()))
        log.debug("%s", traceback.format_exc())
        sys.exit(f"{type(error).__name__}: {error}")
    except BaseException as error:
        log.error("%s", traceback.format_exc())
        # The view shows one line of each failure; the traceback stands in the log.
        if os.environ.get(VIEWED) and isinstance(error, Exception):
            sys.exit(f"{type(error).__name__}: {' '.join(str(error).split())}; please report it with the log, {path}")
        raise
    finally:
        used = f"used {measure_processor_seconds():.2f} s of processor time, {start:.2f} of them to start"
        log.info(f"{used}, and {measure_peak_memory():.0f} MB")
        handler.close()
        log.removeHandler(handler)
        log.setLevel(level_before)
        logging.getLogger("py.warnings").removeHandler(handler)


def warn_operator(lines, path):
    """Tell the operator, on the screen and in a private log, what nobody else may learn, such as faults of records.

    Parameters
    ----------
    lines : sequence of str
        The warnings; without any there is no log.
    path : path
        The log, in a private folder.
    """
    path = Path(path)
    path.unlink(missing_ok=True)
    if lines:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for line in lines:
        print_warning(line)


def print_warning(line):
    """Print a warning where the operator sees it while a run goes on."""
    print(f"\nshapedp: WARNING: {line}\n", file=sys.stderr, flush=True)


def report_progress(entries, total, work):
    """Yield the entries, and say how many are done, how long one takes and the rest will, to whoever waits for a job.

    It is said to the log every few seconds, and to standard error when another quarter is done, but QUIET seconds
    apart, so that many jobs do not drown each other.

    Parameters
    ----------
    entries : iterable
        What is worked on, one after the other.
    total : int
        How many there are.
    work : str
        What is done to them, in words.
    """
    started = logged_at = shown_at = time.monotonic()
    quarters_shown = 0
    for done, entry in enumerate(entries, start=1):
        yield entry
        now = time.monotonic()
        pace = (now - started) / done
        time_words = (
            f"{format_duration(pace * (total - done))} left"
            if done < total
            else f"{format_duration(now - started)} in all"
        )
        words = f"{work}: {done} of {total}, {pace:.2g} s each, {time_words}"
        if now - logged_at >= EVERY or done == total:
            logged_at = now
            log.info(words)
        if not os.environ.get(VIEWED) and now - shown_at >= QUIET and QUARTERS * done // total > quarters_shown:
            shown_at, quarters_shown = now, QUARTERS * done // total
            print(f"  {words}", file=sys.stderr, flush=True)


def format_duration(seconds):
    """Return seconds in words, as progress and status say them: `38 s`, `4 min 10 s`, `2 h 05 min`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_left:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


# By whoever ran it: there is nothing to report.
STOPPED = "KeyboardInterrupt"


def find_failure(paths):
    """Return the reason, in a line, why the job with these logs failed, and the log that has it; or (None, None)."""
    for path in map(Path, paths):
        with suppress(OSError):
            text = path.read_text(encoding="utf-8", errors="replace")
            if mendable := MENDABLE.findall(text):
                return mendable[-1][1], path
            if unforeseen := UNFORESEEN.findall(text):
                kind, words = unforeseen[-1]
                if kind == STOPPED:
                    return "was stopped", path
                return f"{kind}: {words}; please report it with the log", path
    return None, None


def describe_failures(logs, since, failed=()):
    """Yield for the operator why jobs failed, from logs written after `since`, each reason once, and then what to do.

    failed : (label, [logs]) of jobs that failed, of which those are told whose logs have no line for the operator
    """
    logs_by_reason = {}
    for path in sorted(Path(logs).rglob("*.log")):
        if path.stat().st_mtime >= since:
            for kind, words in MENDABLE.findall(path.read_text(encoding="utf-8", errors="replace")):
                logs_by_reason.setdefault((kind, words), path)
    for (_, words), path in logs_by_reason.items():
        yield f"  {words} (log: {path})"
    logs_read = set(map(str, logs_by_reason.values()))
    for label, paths in failed:
        if not logs_read & set(paths):
            reason, path = find_failure(paths)
            yield (
                f"  {label}: {reason} (log: {path})"
                if reason
                else f"  {label}: its process died without a message{MEMORY_HINT}"
            )
    yield MEND if any(kind in HOPELESS for kind, _ in logs_by_reason) else AGAIN
