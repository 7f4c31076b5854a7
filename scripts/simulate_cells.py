"""Simulate one job's cells of the papers' experiments, as reproduction/experiments.py lists them."""

from threadpoolctl import threadpool_limits

from shapedp.base.runs.logs import logged
from shapedp.reproduction import (
    cells,
    curve_experiments,
    curve_faces,
    experiments,
    markov,
    peer_experiments,
    regression_experiments,
    space_experiments,
)

MODULES = {
    "sensitivity": (space_experiments,),
    "utility": (space_experiments, markov),
    "curve_releases": (curve_experiments, curve_faces),
    "regression": (regression_experiments,),
    "peers": (peer_experiments,),
}


def find_experiments(branch):
    """Return {experiment: its function} of a branch."""
    planned = dict.fromkeys(cell.experiment for cell in experiments.cells(branch, "paper"))
    return cells.find_functions(planned, *MODULES[branch])


def simulate_cells(output_path, branch, job, scale, seed, residual=experiments.RESIDUAL):
    """Simulate a job's share of the papers' experiments, in one thread, so that sums round alike everywhere.

    job : one of experiments.jobs(branch, scale); residual : tau of private geodesic regression.
    """
    with threadpool_limits(1):
        cells.write(output_path, experiments.jobs(branch, scale, residual)[job], find_experiments(branch), seed)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        named = snakemake.wildcards
        simulate_cells(snakemake.output.cells, named.simulated, named.job, **snakemake.params.simulation)
