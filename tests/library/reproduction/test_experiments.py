"""What is simulated: every cell once, in jobs that the functions can run."""

import inspect

import pytest

import simulate_cells
from shapedp.reproduction import experiments


@pytest.mark.parametrize("scale", ["quick", "paper"])
@pytest.mark.parametrize("branch", experiments.BRANCHES)
def test_jobs_hold_every_cell_once(branch, scale):
    found = [cell for job in experiments.jobs(branch, scale).values() for cell in job]
    assert len({cell.name for cell in found}) == len(found) == len(experiments.cells(branch, scale))


@pytest.mark.parametrize("branch", experiments.BRANCHES)
def test_every_experiment_takes_its_settings(branch):
    functions = simulate_cells.find_experiments(branch)
    for cell in [one for scale in ("quick", "paper") for one in experiments.cells(branch, scale)]:
        taken = set(inspect.signature(functions[cell.experiment]).parameters)
        assert taken == {"replicates", "rng", *dict(cell.setting)}


def test_quick_is_one_job_a_branch_and_paper_scatters():
    for branch in experiments.BRANCHES:
        assert len(experiments.jobs(branch, "quick")) == 1
    jobs = experiments.jobs("utility", "paper")
    assert sum(name.startswith("accuracy-spaceS2-n100-") for name in jobs) == 2, "blocks of replicates"
    assert len([name for name in jobs if name.startswith("sample_size-spaceP2")]) == 5, "sample sizes"


def test_the_published_numbers_of_replicates():
    """10,000 on S² and 500 on P(2) in 2022; 1,000 on both in 2021."""
    count = {"S2": 0, "P2": 0}
    for cell in experiments.cells("utility", "paper"):
        setting = dict(cell.setting)
        if cell.experiment == "accuracy" and setting["n"] == 100:
            count[setting["space"]] += cell.replicates
    assert count == {"S2": 10_000, "P2": 1000}
