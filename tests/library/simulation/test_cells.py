"""Cells of a job: their random numbers depend on the seed, the setting and the block alone."""

import numpy as np
import pytest

from shapedp.simulation import cells, plan
from shapedp.simulation.plan import Cell
from shapedp.simulation.results import Results
from shapedp.simulation.utility_experiments import accuracy

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
        cells.generator(seed, cell(n, block)).random()
        for seed, n, block in ((7, 5, 0), (7, 5, 1), (7, 20, 0), (8, 5, 0))
    ]
    assert len(set(draws)) == 4
    assert cells.generator(7, cell(5, 0, "one job")).random() == cells.generator(7, cell(5, 0, "another")).random()


def test_no_two_cells_of_the_plan_share_a_stream():
    for scale in ("quick", "paper"):
        planned = [one for branch in plan.EXPERIMENTS for one in plan.cells(branch, scale)]
        assert len({cells.generator(1, one).bit_generator.seed_seq.spawn_key for one in planned}) == len(planned)


def test_blocks_are_joined_in_their_order(tmp_path):
    def count(replicates, rng, n):
        return {"block": np.full(replicates, n)}

    for block in (1, 0):
        one = Cell("count", (("n", 3),), block + 1, block)
        cells.write(
            tmp_path / f"{1 - block}.h5", [one], {"count": lambda replicates, rng, n, b=block: {"b": [b] * (b + 1)}}, 1
        )
    assert list(Results(tmp_path.glob("*.h5")).values("count", "b", n=3)) == [0, 1, 1]
