"""Simulate how far one person can move a mean: one job's cells of simulation/plan.py."""

from shapedp.runs.logs import logged
from shapedp.simulation import bound_experiments, cells, plan, sensitivity_experiments

MODULES = (sensitivity_experiments, bound_experiments)


def simulate_sensitivity(output_path, job, scale, seed):
    """job : one of plan.jobs("sensitivity", scale)"""
    cells.write(output_path, plan.jobs("sensitivity", scale)[job], cells.functions(plan.SENSITIVITY, *MODULES), seed)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        simulate_sensitivity(snakemake.output.cells, snakemake.wildcards.job, **snakemake.params.simulation)
