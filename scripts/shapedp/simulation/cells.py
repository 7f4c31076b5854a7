"""Compute the cells of a job. The results are no private data: numpy's generator, seeded, is the right one here."""

from zlib import crc32

import numpy as np

from shapedp import artifacts
from shapedp.runs.logs import progress
from shapedp.simulation import results


def generator(seed, cell):
    """The cell's own generator: a child of the seed named by experiment and setting, and by the block."""
    name = f"{cell.experiment} {results.text(dict(cell.setting))}"
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()), cell.block)))


def functions(names, *modules):
    """{name: the function of that name in one of the modules}."""
    return {name: next(getattr(one, name) for one in modules if hasattr(one, name)) for name in names}


def write(path, cells, experiments, seed):
    """Run each cell, experiments[name](replicates=, rng=, **setting) -> {method: values}, and write one record each."""
    with artifacts.writer(path, artifacts.SIMULATION, {"seed": seed}) as out:
        for cell in progress(cells, len(cells), "cells"):
            setting = dict(cell.setting)
            found = experiments[cell.experiment](replicates=cell.replicates, rng=generator(seed, cell), **setting)
            out.write(
                cell.name,
                experiment=cell.experiment,
                setting=results.text(setting),
                block=cell.block,
                methods=list(found),
                values=np.array(list(found.values()), dtype=float),
            )
