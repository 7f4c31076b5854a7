"""Simulate how far one person can move a mean: one job's cells of simulation/plan.py."""

from shapedp.logs import logged
from shapedp.simulation import cells, plan
from shapedp.simulation import sensitivity_experiments as experiments

EXPERIMENTS = {name: getattr(experiments, name) for name in plan.SENSITIVITY}


def simulate_sensitivity(output_path, job, scale, seed):
    """job : one of plan.jobs("sensitivity", scale)"""
    cells.write(output_path, plan.jobs("sensitivity", scale)[job], EXPERIMENTS, seed)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        simulate_sensitivity(snakemake.output.cells, snakemake.wildcards.job, **snakemake.params.simulation)
