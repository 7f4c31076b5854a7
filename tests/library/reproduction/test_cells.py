"""Cells of a job: their random numbers depend on the seed, the setting and the block alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.reproduction import cells, experiments
from shapedp.reproduction.cells import Results
from shapedp.reproduction.experiments import Cell
from shapedp.reproduction.space_experiments import accuracy

FUNCTIONS = {"accuracy": accuracy}


def cell(n, block, job="all"):
    return Cell("accuracy", (("space", "S2"), ("n", n)), 20, block, job)


@pytest.mark.slow
def test_the_same_numbers_however_cells_are_put_into_jobs(tmp_path):
    wanted = [cell(n, block) for n in (5, 20) for block in (0, 1)]
    cells.write(tmp_path / "all.h5", wanted, FUNCTIONS, 7)
    for place, one in enumerate(reversed(wanted)):
        cells.write(tmp_path / f"part_{place}.h5", [one], FUNCTIONS, 7)
    whole = Results([tmp_path / "all.h5"])
    parts = Results(tmp_path.glob("part_*.h5"))
    for setting in whole.settings("accuracy"):
        for method, values in whole.methods("accuracy", **setting).items():
            assert (values == parts.values("accuracy", method, **setting)).all()
            assert len(values) == 40


def test_blocks_settings_and_seeds_have_numbers_of_their_own():
    draws = [
        cells.make_generator(seed, cell(n, block)).random()
        for seed, n, block in ((7, 5, 0), (7, 5, 1), (7, 20, 0), (8, 5, 0))
    ]
    assert len(set(draws)) == 4
    assert (
        cells.make_generator(7, cell(5, 0, "one job")).random()
        == cells.make_generator(7, cell(5, 0, "another")).random()
    )


def test_no_two_cells_of_the_plan_share_a_stream():
    for scale in ("quick", "paper"):
        planned = [one for branch in experiments.BRANCHES for one in experiments.cells(branch, scale)]
        assert len({cells.make_generator(1, one).bit_generator.seed_seq.spawn_key for one in planned}) == len(planned)


def test_blocks_are_joined_in_their_order(tmp_path):
    def count(replicates, rng, n):
        return {"block": np.full(replicates, n)}

    for block in (1, 0):
        one = Cell("count", (("n", 3),), block + 1, block)
        cells.write(
            tmp_path / f"{1 - block}.h5", [one], {"count": lambda replicates, rng, n, b=block: {"b": [b] * (b + 1)}}, 1
        )
    assert list(Results(tmp_path.glob("*.h5")).values("count", "b", n=3)) == [0, 1, 1]


def test_mean_and_standard_error_by_hand():
    assert cells.summarise(np.array([1.0, 2.0, 3.0])) == pytest.approx((2.0, 1 / np.sqrt(3)))
    assert np.isnan(cells.summarise(np.array([4.0]))[1])


def test_noise_saved_and_the_spread_of_its_error():
    """12 % less, and a standard error that covers what 4,000 repetitions scatter."""
    rng = np.random.default_rng(0)
    samples = rng.gamma(2, 1, (4000, 200)), rng.gamma(3, 1, (4000, 200))
    found = np.array([cells.compare_means(0.88 * 1.5 * a, b) for a, b in zip(*samples, strict=True)])
    assert_allclose(found[:, 0].mean(), 0.12, atol=0.003)
    assert_allclose(found[:, 1].mean(), found[:, 0].std(), rtol=0.05)
    assert cells.compare_means(samples[0][0], samples[1][0])[0] > 0, "less noise is a positive share"


def test_a_power_law_is_found_exactly():
    x = np.array([1.0, 10.0, 1000.0])
    slope, _ = cells.fit_rate(x, 5 * x**-2, 0.1 * x**-2)
    assert_allclose(slope, -2, rtol=1e-12)


def test_the_error_of_the_exponent_is_its_spread():
    rng = np.random.default_rng(1)
    x = np.array([1.0, 2.0, 4.0, 8.0])
    error = np.array([0.01, 0.02, 0.01, 0.05])
    found = np.array([cells.fit_rate(x, 1 + error * rng.standard_normal(4), error) for _ in range(4000)])
    assert_allclose(found[:, 0].std(), found[:, 1].mean(), rtol=0.05)
