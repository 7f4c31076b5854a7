"""The quick simulation of mean faces with fewer people and replicates, computed once a test run."""

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from shapedp.reproduction import cells, experiments
from shapedp.reproduction.cells import Results
from simulate_cells import find_experiments

PEOPLE, REPLICATES, SEED = 20, 4, 7


def small(cell):
    """The cell with PEOPLE people and at most REPLICATES replicates."""
    setting = tuple((key, PEOPLE if key == "people" else value) for key, value in cell.setting)
    return replace(cell, setting=setting, replicates=min(cell.replicates, REPLICATES))


def write(path, chosen, seed=SEED):
    """Run these cells; the Results of the file."""
    cells.write(path, chosen, find_experiments("curve_releases"), seed)
    return Results([path])


@cache
def results():
    """Results of every quick cell, small."""
    with tempfile.TemporaryDirectory() as folder:
        return write(Path(folder) / "cells.h5", [small(one) for one in experiments.cells("curve_releases", "quick")])
