"""Attacks on the releases: chosen records at the command and at the library, kills, and what an attacker can tell.

What counts as moved or violated is decided by the tests that the bench calls; here it is counted.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import audit_release_command
from library.mechanisms import test_any_record
from library.releases import crashes
from shapedp.audit import cases
from shapedp.mechanisms import curve_mechanisms, noise

POPULATIONS = ("demo",)


@dataclass(frozen=True)
class Size:
    """records a branch at the command (None: all); cohorts a mechanism at the library; every how many system calls a
    release is killed; draws of the audit.
    """

    records: int | None
    cohorts: int
    step: int
    gaussian_draws: int
    pure_draws: int


FULL, TINY = Size(None, 10_000, 1, cases.GAUSSIAN_DRAWS, cases.PURE_DRAWS), Size(1, 3, 40, 500, 2_000)


def command_rows(records):
    """Neighbouring cohorts at the release command."""
    rows = list(audit_release_command.compared(records))
    yield "release_command", "pairs", len(rows), "pairs"
    yield "release_command", "verdicts_moved", sum(bool(moved) for *_, moved in rows), "pairs"


def property_rows(cohorts):
    """Generated neighbouring cohorts at every mechanism."""
    shapes = [(test_any_record.check_shapes, (name, modes, cohorts)) for name, modes in test_any_record.SHAPES]
    curves = [(test_any_record.check_curves, (name, cohorts)) for name in curve_mechanisms.MECHANISMS]
    moved = sum(fails(check, *given) for check, given in shapes + curves)
    yield "property", "cohorts", 2 * cohorts * len(shapes + curves), "cohorts"
    yield "property", "verdicts_moved", moved, "mechanisms"


def fails(check, *given):
    """Whether a check of the tests does not hold."""
    try:
        check(*given)
    except Exception as error:
        print(f"{check.__name__}{given}: {error}")
        return True
    return False


def crash_rows(step):
    """A release killed at its system calls, and what the next call makes of it."""
    points = violations = 0
    with tempfile.TemporaryDirectory() as scratch:
        for torn in (False, True):
            count = 1
            while crashes.crash(folder := Path(scratch) / f"{torn}{count}", count, torn):
                points, count = points + 1, count + step
                violations += fails(crashes.check_recovery, folder)
    yield "crash", "points", points, "kills"
    yield "crash", "violations", violations, "kills"


def audit_rows(size):
    """Every mechanism on its worst pair, and the controls that must be caught."""
    found = list(cases.cases(noise.SecureNoise(), size.gaussian_draws, size.pure_draws))
    controls = [one for one in found if one.expected == cases.CAUGHT]
    kept = [one for one in found if one.expected == cases.OK]
    yield "audit", "mechanisms", len(kept), "mechanisms"
    yield "audit", "claims_exceeded", sum(not one.as_expected for one in kept), "mechanisms"
    yield "audit", "controls_caught_share", sum(one.as_expected for one in controls) / len(controls), "1"
    for kind, name in ((cases.EXACT_MU, "exact"), (cases.MU, "drawn")):
        shares = [one.share for one in kept if one.kind == kind]
        yield "audit", f"{name}_mu_share_least", min(shares), "1"
        yield "audit", f"{name}_mu_share_largest", max(shares), "1"


def run(_, size):
    """Rows of the bench."""
    yield from command_rows(size.records)
    yield from property_rows(size.cohorts)
    yield from crash_rows(size.step)
    yield from audit_rows(size)
