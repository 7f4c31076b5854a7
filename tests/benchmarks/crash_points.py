"""Releases and ledger acts killed at every one of their system calls, and how often what must hold did not."""

import tempfile
from pathlib import Path

from library.releases import crashes

CASES = {  # what is killed: what is there before, what must hold afterwards
    "first": (None, None, crashes.check_recovery),
    "second": (crashes.first, crashes.second, crashes.check_second),
    "raise": (crashes.first, crashes.raise_cap, crashes.check_acts),
}


def crash_rows(step=1):
    """(case, measure, value, unit); step : every how manieth system call is tried."""
    points = violations = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, case in CASES.items():
            for torn in (False, True):
                tried, failed = _case(Path(scratch) / f"{name}{torn}", *case, torn=torn, step=step)
                points, violations = points + tried, violations + failed
    return [("crash", "points", points, "system calls"), ("crash", "violations", violations, "states")]


def _case(scratch, before, act, check, torn, step):
    """(points tried, how many ended in a state that must not be)."""
    scratch.mkdir()
    count, tried, failed, died = 1, 0, 0, True
    while died:
        folder = scratch / str(count)
        if before:
            before(folder)
        died = crashes.crash(folder, count, torn, act)
        try:
            check(folder)
        except Exception:  # a broken promise, and a ledger or a file that cannot be read any more
            failed += 1
        tried, count = tried + died, count + step
    return tried, failed
