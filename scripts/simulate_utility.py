"""Simulate how near releases are to the mean: one job's cells of simulation/plan.py."""

from shapedp.logs import logged
from shapedp.simulation import cells, chain_experiments, outline_experiments, plan, utility_experiments

EXPERIMENTS = {
    name: getattr(module, name)
    for name in plan.UTILITY
    for module in (utility_experiments, chain_experiments, outline_experiments)
    if hasattr(module, name)
}


def simulate_utility(output_path, job, scale, seed):
    """job : one of plan.jobs("utility", scale)"""
    cells.write(output_path, plan.jobs("utility", scale)[job], EXPERIMENTS, seed)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        simulate_utility(snakemake.output.cells, snakemake.wildcards.job, **snakemake.params.simulation)
