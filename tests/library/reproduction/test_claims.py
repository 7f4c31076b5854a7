"""The claims table: its shape, and that a verdict follows from the numbers."""

import json

import numpy as np
import pytest

import simulate_cells
from shapedp.reproduction import cells, claims_kng, claims_laplace, experiments
from shapedp.reproduction.cells import AGREES, DIFFERS, NOT_TESTABLE, UNDECIDED, Claim

OF_LONG_CHAINS = {"chain_length"}  # whose experiment takes longer than a test may
PAIR = "S²: KNG (Δ/epsilon, h(r), as printed) has better utility than the manifold Laplace (Δ/epsilon)"


def violations(claims):
    """Rows with a standard error whose verdict does not follow from it by cells.RULE."""
    return [
        one
        for one in claims
        if one.standard_error is not None and not (one.follows_rule or one.verdict == NOT_TESTABLE)
    ]


def small_enough(experiment, n=0, steps=0, r=0.3927, **_):
    return n <= {"sample_size": 1000, "accuracy": 100}.get(experiment, 50) and steps <= 100 and r in (0.3927, 1.5)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """A small simulation of everything: a Results."""
    folder = tmp_path_factory.mktemp("cells")
    for branch in ("sensitivity", "utility"):
        small = [
            experiments.Cell(one.experiment, one.setting, min(one.replicates, 30))
            for one in experiments.cells(branch, "quick")
            if small_enough(one.experiment, **dict(one.setting))
        ]
        cells.write(folder / f"{branch}.h5", small, simulate_cells.find_experiments(branch), 3)
    return cells.Results(folder.glob("*.h5"))


@pytest.mark.slow
def test_every_row_is_whole(simulated):
    rows = [*claims_laplace.rows(simulated), *claims_kng.rows(simulated)]
    assert len(rows) > 40
    for row in rows:
        assert row.verdict in (AGREES, DIFFERS, UNDECIDED, NOT_TESTABLE)
        assert row.place and row.statement
        assert row.measured or row.verdict == NOT_TESTABLE
        assert row.why or row.verdict != NOT_TESTABLE, f"what is missing is said: {row.statement}"
    assert len({(row.paper, row.place, row.statement) for row in rows}) == len(rows)
    assert violations(rows) == []


@pytest.mark.slow
@pytest.mark.parametrize("paper", [claims_laplace, claims_kng])
def test_every_statement_of_the_files_is_measured(simulated, paper, monkeypatch):
    assert measured_keys(paper, simulated, monkeypatch) == set(paper.STATEMENTS.statements) - OF_LONG_CHAINS


def measured_keys(paper, found, monkeypatch):
    """The keys of the statements that become rows."""
    keys, claim = set(), cells.PaperStatements.claim

    def recorded(self, key, *rest, **words):
        keys.add(key)
        return claim(self, key, *rest, **words)

    monkeypatch.setattr(cells.PaperStatements, "claim", recorded)
    paper.rows(found)
    return keys


def test_texts_take_what_was_measured():
    said = cells.PaperStatements(
        "Paper", {"a": {"place": "p. {n}", "statement": "s", "published": "{x:.1f}", "why": "{n} people"}}
    )
    found = said.claim("a", "m", None, False, n=3, x=0.25)
    assert (found.place, found.published, found.why, found.verdict) == ("p. 3", "0.2", "3 people", DIFFERS)
    assert said.claim("a", "m", None, NOT_TESTABLE, "because", n=3, x=0.25).why == "because"


def test_a_text_without_its_number_is_an_error():
    said = cells.PaperStatements("Paper", {"a": {"place": "p. {n}", "statement": "s", "published": ""}})
    with pytest.raises(KeyError, match="n"):
        said.claim("a", "m", None, True)


@pytest.mark.slow
def test_what_is_known_of_the_papers_errors(simulated):
    verdicts = {(row.place, row.statement): row.verdict for row in claims_kng.rows(simulated)}
    losses = {
        statement.split("= ")[1].split(", gives")[0]: verdict
        for (place, statement), verdict in verdicts.items()
        if place == "Supplement 2.4.2; Figure 1" and "gives epsilon-DP" in statement
    }
    assert losses == {
        "Δ/epsilon, h(r), as printed": DIFFERS,
        "Δ/epsilon, h(2r)": DIFFERS,
        "2Δ/epsilon, h(r)": AGREES,
        "2Δ/epsilon, h(2r)": AGREES,
    }
    assert verdicts["Theorem 1", "S²: with sigma = 2Δ/epsilon KNG is epsilon-DP"] == AGREES


@pytest.mark.slow
@pytest.mark.parametrize(("kng", "expected"), [(0.9, AGREES), (1.1, DIFFERS), (1.0, UNDECIDED)])
def test_a_verdict_follows_the_errors(simulated, kng, expected):
    """KNG's error kng times the Laplace's, in both known to 1 in 1000."""
    errors = 1 + 0.01 * np.sin(np.arange(100.0))
    other = cells.Results([])
    other._values = {
        (name, setting): {**methods, "laplace_published": errors, "kng_published": kng * errors}
        for (name, setting), methods in simulated._values.items()
    }
    found = [row for row in claims_kng.rows(other) if row.statement == PAIR and "Figure 1" in row.place]
    assert [row.verdict for row in found] == [expected]


def test_an_order_is_decided_by_what_exceeds_chance():
    assert cells.judge_order(3, 0, 0.10, 0.02) == AGREES
    assert cells.judge_order(3, 1, 0.10, 0.02) == DIFFERS
    assert cells.judge_order(0, 0, -0.10, 0.02) == DIFFERS
    assert cells.judge_order(1, 0, 0.10, 0.04) == UNDECIDED


@pytest.mark.parametrize(
    ("value", "error", "low", "high", "verdict"),
    [
        (0.0, 0.003, -0.01, 0.01, AGREES),
        (-0.03, 0.005, -0.01, 0.01, DIFFERS),
        (0.17, 0.07, -0.01, 0.01, UNDECIDED),
        (19.7, 1.6, 22.5, 27.5, UNDECIDED),
        (19.7, 0.6, 22.5, 27.5, DIFFERS),
        (1.205, 0.15, *cells.widen(4 / 3), UNDECIDED),
        (3.34, 0.11, *cells.widen(5.2989), DIFFERS),
        (5.30, 0.005, *cells.widen(5.2989), AGREES),
    ],
)
def test_a_wide_interval_never_agrees(value, error, low, high, verdict):
    assert cells.judge(value, error, low, high) == verdict


class Falling:
    """Results in which squared errors are this power of whatever varies, known to 1 in 100."""

    def __init__(self, power):
        self.power = power

    def series(self, experiment, method, along, power, space):
        x = np.array([1.0, 10.0, 100.0])
        return x, x**self.power, 0.01 * x**self.power

    def dimension_series(self, method, family):
        return self.series(None, method, None, 2, None)


@pytest.mark.parametrize(("power", "verdict"), [(-2.0, AGREES), (-2.5, AGREES), (-1.8, DIFFERS)])
def test_an_error_that_falls_faster_than_an_upper_bound_is_within_it(power, verdict):
    found = [
        row.verdict for row in cells.claim_rates(claims_kng.STATEMENTS, Falling(power), "kng") if row.key == "rate"
    ]
    assert found == [verdict] * 4


def test_rows_as_printed_and_as_proved_are_one_statement():
    rows = [Claim("P", "", "", "", "m", None, one, "", key) for one, key in ((AGREES, "a_printed"), (DIFFERS, "a"))]
    assert cells.collect_verdicts(rows) == {("P", "a"): {AGREES, DIFFERS}}


def test_a_verdict_on_a_number_that_the_rule_did_not_give_is_a_violation():
    by_hand = Claim("P", "", "", "", "m", 0.1, AGREES, "", "a")
    exact, ruled = (
        Claim("P", "", "", "", "m", None, AGREES),
        Claim("P", "", "", "", "m", 0.1, AGREES, follows_rule=True),
    )
    assert violations([by_hand, exact, ruled]) == [by_hand]


def test_tables_hold_one_line_a_claim():
    odd = Claim("Paper", "p. 1", "a | b\tc", "1\n2", "3", 0.123456, AGREES)
    lines = cells.format_table([odd]).splitlines()
    assert lines[0].split("\t") == list(cells.COLUMNS)
    assert lines[1].split("\t") == ["Paper", "p. 1", "a | b c", "1 2", "3", "0.12", "agrees", ""]
    page = cells.format_page([odd], "quick")
    assert "| p. 1 | a \\| b c | 1 2 | 3 | 0.12 | agrees |  |" in page
    assert "1 statements in 1 rows: 1 agrees, 0 differs, 0 not told apart, 0 not testable;" in page
    assert cells.RULE in page


def test_settings_are_looked_up_whatever_their_order():
    assert cells.to_text({"n": 1, "space": "S2"}) == cells.to_text({"space": "S2", "n": 1})
    assert json.loads(cells.to_text({"n": 1})) == {"n": 1}
    assert np.isnan(cells.summarise(np.array([1.0]))[1])
