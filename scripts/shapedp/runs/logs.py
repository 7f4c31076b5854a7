"""The log of a job: what happened, how far it is, and the traceback if it failed."""

import logging
import os
import sys
import time
import traceback
from contextlib import contextmanager
from pathlib import Path

from shapedp.errors import ShapedpError
from shapedp.runs import usage

log = logging.getLogger("shapedp")
EVERY = 5.0  # seconds between two lines of progress in a log
QUIET = 10.0  # seconds between two lines of progress of a job on the screen
BARS = "SHAPEDP_QUIET"  # set while bars on the terminal tell how far the run is
QUARTERS = 4  # a job shows itself at most this often


@contextmanager
def logged(path):
    """Send the library's messages, warnings and any traceback to `path`; a mendable error ends in one line."""
    start = usage.seconds()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
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
    except BaseException:
        log.error("%s", traceback.format_exc())
        raise
    finally:
        log.info(usage.words(start))
        handler.close()
        log.removeHandler(handler)
        logging.getLogger("py.warnings").removeHandler(handler)


def warn_operator(lines, path):
    """Tell the operator, on the screen and in a private log, what nobody else may learn; no log without a line."""
    path = Path(path)
    path.unlink(missing_ok=True)
    if lines:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for line in lines:
        print(f"\nshapedp: WARNING: {line}\n", file=sys.stderr, flush=True)


def progress(items, total, what):
    """Yield the items; say how many are done, how long one takes and how long the rest will.

    To the log every few seconds; to standard error when another quarter is done, but not before QUIET seconds have
    passed since the last line, so that many jobs side by side do not drown each other.
    """
    started = logged_at = shown_at = time.monotonic()
    shown = 0
    for done, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        words = f"{what}: {_so_far(done, total, now - started)}"
        if now - logged_at >= EVERY or done == total:
            logged_at = now
            log.info(words)
        if not os.environ.get(BARS) and now - shown_at >= QUIET and QUARTERS * done // total > shown:
            shown_at, shown = now, QUARTERS * done // total
            print(f"  {words}", file=sys.stderr, flush=True)


def _so_far(done, total, seconds):
    """`12 of 30, 2.1 s each, 38 s left`."""
    each = seconds / done
    left = f"{duration(each * (total - done))} left" if done < total else f"{duration(seconds)} in all"
    return f"{done} of {total}, {each:.2g} s each, {left}"


def duration(seconds):
    """Seconds in words: `38 s`, `4 min 10 s`, `2 h 05 min`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_left:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
