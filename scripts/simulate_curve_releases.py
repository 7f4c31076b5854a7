"""Simulate releases of mean faces as radial curves: one job's cells of simulation/curve_plan.py."""

from threadpoolctl import threadpool_limits

from shapedp.runs.logs import logged
from shapedp.simulation import cells, curve_chain, curve_experiments, curve_plan, curve_table

EXPERIMENTS = {
    **{
        name: getattr(curve_experiments, name)
        for name in (
            "curve_size",
            "curve_budget",
            "curve_phi",
            "curve_count",
            "curve_waves",
            "curve_sensitivity",
            "curve_split",
        )
    },
    "curve_table": curve_table.curve_table,
    "curve_chain": curve_chain.curve_chain,
}


def simulate_curve_releases(output_path, job, scale, seed):
    """job : one of curve_plan.jobs(scale). One thread: with another number of them sums would round differently."""
    with threadpool_limits(1):
        cells.write(output_path, curve_plan.jobs(scale)[job], EXPERIMENTS, seed)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        simulate_curve_releases(snakemake.output.cells, snakemake.wildcards.job, **snakemake.params.simulation)
