"""The claims about geodesic regression and about the mechanisms of others, of a small simulation."""

import numpy as np
import pytest

import simulate_cells
from library.reproduction.test_claims import measured_keys, violations
from shapedp.releases.figures import style
from shapedp.reproduction import (
    cells,
    claims_peers,
    claims_regression,
    drawn_regression,
    experiments,
    regression_experiments,
)
from shapedp.reproduction.cells import AGREES, DIFFERS, NOT_TESTABLE

BRANCHES = ("regression", "peers")
pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cells")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regression_experiments, "STEPS", 100)
        return simulate(folder)


def simulate(folder):
    """A few replicates of both branches at the scale `quick`, tau not the usual one: a Results."""
    for branch in BRANCHES:
        few = [
            experiments.Cell(one.experiment, one.setting, {"mean_peers": 200}.get(one.experiment, 4))
            for one in experiments.cells(branch, "quick", 0.15)
        ]
        cells.write(folder / f"{branch}.h5", few, simulate_cells.find_experiments(branch), 3)
    return cells.Results(folder.glob("*.h5"))


@pytest.mark.slow
def test_every_row_is_whole_and_follows_the_rule(simulated):
    rows = [*claims_regression.rows(simulated), *claims_peers.rows(simulated)]
    assert violations(rows) == []
    assert len({(row.paper, row.place, row.statement) for row in rows}) == len(rows)
    for row in rows:
        assert row.measured or row.verdict == NOT_TESTABLE
        assert row.why or row.verdict not in (NOT_TESTABLE, DIFFERS)


@pytest.mark.slow
def test_every_statement_of_the_files_is_measured(simulated, monkeypatch):
    assert measured_keys(claims_regression, simulated, monkeypatch) == set(claims_regression.STATEMENTS.statements)
    keys = set(claims_peers.GAUSSIAN.statements) | set(claims_peers.HEAT.statements)
    assert measured_keys(claims_peers, simulated, monkeypatch) == keys


@pytest.mark.slow
def test_what_is_known_of_private_regression(simulated):
    verdicts = {row.key: row.verdict for row in claims_regression.rows(simulated) if row.standard_error is None}
    assert verdicts["private_printed"] == DIFFERS
    assert {verdicts[key] for key in ("private_setting", "change_footpoint", "change_shooting")} == {AGREES}
    assert np.all(simulated.only("geodesic")["tau"] == 0.15), "tau is the one of the settings"


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["regression_errors", "peer_errors"])
def test_figures_are_drawn(simulated, figure, tmp_path):
    style.save(getattr(drawn_regression, figure)(simulated), tmp_path / figure, ["svg"])
    assert "people n" in (tmp_path / f"{figure}.svg").read_text(encoding="utf-8")
