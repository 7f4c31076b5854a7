"""Simulate how near releases are to the mean: one job's cells of simulation/plan.py."""

from shapedp.runs.logs import logged
from shapedp.simulation import cells, markov_experiments, outline_experiments, plan, utility_experiments

MODULES = (utility_experiments, markov_experiments, outline_experiments)


def simulate_utility(output_path, job, scale, seed):
    """job : one of plan.jobs("utility", scale)"""
    cells.write(output_path, plan.jobs("utility", scale)[job], cells.functions(plan.UTILITY, *MODULES), seed)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        simulate_utility(snakemake.output.cells, snakemake.wildcards.job, **snakemake.params.simulation)
