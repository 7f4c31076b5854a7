"""The faces paper's claims: what must come out whatever the scale, and verdicts that follow the numbers."""

import numpy as np
import pytest

from library.reproduction import curve_cells
from library.reproduction.test_claims import measured_keys
from shapedp.reproduction import claims_faces
from shapedp.reproduction.cells import AGREES, DIFFERS, NOT_TESTABLE, Results


class Changed(Results):
    """Results with some experiments' methods replaced by other numbers: {(experiment, method): values}."""

    def __init__(self, changes):
        self._base, self._changes = curve_cells.results(), changes

    def __contains__(self, experiment):
        return experiment in self._base or any(name == experiment for name, _ in self._changes)

    def settings(self, experiment, **fixed):
        return self._base.settings(experiment, **fixed) or [{}]

    def methods(self, experiment, **setting):
        found = {method: values for (name, method), values in self._changes.items() if name == experiment}
        return self._base.methods(experiment, **setting) | found if setting else found


def row(results, statement):
    return next(one for one in claims_faces.rows(results) if statement in one.statement)


@pytest.mark.slow
def test_every_row_is_whole_and_what_is_not_testable_says_why():
    rows = claims_faces.rows(curve_cells.results())
    assert len(rows) > 25 and {one.paper for one in rows} == {"Faces 2024"}
    for one in rows:
        assert one.place and one.statement and one.published
        assert one.measured if one.verdict != NOT_TESTABLE else one.why


@pytest.mark.slow
def test_every_statement_of_the_file_becomes_a_row(monkeypatch):
    keys = measured_keys(claims_faces, curve_cells.results(), monkeypatch)
    assert keys == set(claims_faces.STATEMENTS.statements) - {"all"}


def test_without_simulated_curves_nothing_is_claimed():
    class Empty:
        def __contains__(self, experiment):
            return False

    assert [one.verdict for one in claims_faces.rows(Empty())] == [NOT_TESTABLE]


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("compose to mu_T", AGREES),
        ("total budget of the private face", DIFFERS),
        ("is mu-GDP", AGREES),
        ("unit area", DIFFERS),
        ("(epsilon, delta)-DP", DIFFERS),
        ("registering a face", NOT_TESTABLE),
        ("nearly half", AGREES),
        ("curves get less noise than points", DIFFERS),
    ],
)
def test_verdicts_that_do_not_hang_on_the_scale(statement, verdict):
    assert row(curve_cells.results(), statement).verdict == verdict


@pytest.mark.parametrize(("error", "verdict"), [(5.3e-4, AGREES), (9e-4, DIFFERS), (2e-4, DIFFERS)])
def test_an_error_of_table_1_agrees_if_it_is_the_printed_number(error, verdict):
    changed = Changed({("curve_table", "rkhs_paper b"): np.full(4, error)})
    assert row(changed, "error (b) of the private curves").verdict == verdict


def test_the_order_of_table_1_follows_the_errors():
    larger = Changed({("curve_table", "pointwise a"): np.full(4, 1.0)})
    assert row(larger, "is larger than that of the curves").verdict == AGREES
    assert row(curve_cells.results(), "is larger than that of the curves").verdict == DIFFERS


def test_times_are_told_in_steps_and_alignment_by_distances():
    names = ("seconds_mesh", "seconds_map", "seconds_register", "seconds_rkhs_paper", "seconds_pointwise")
    chain = {("curve_chain", name): np.full(3, 30.0) for name in names}
    chain |= {("curve_chain", "before"): np.full(3, 0.01), ("curve_chain", "after"): np.full(3, 0.002)}
    results = Changed(chain)
    assert row(results, "parameterising").verdict == AGREES  # 30 s for about 20 s
    assert row(results, "registering").measured == "under 60 s"
    assert row(results, "registering").verdict == DIFFERS
    assert row(results, "aligned across").verdict == AGREES
