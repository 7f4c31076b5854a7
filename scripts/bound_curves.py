"""Take the bounds for clipping from a declared population, as a quantile of its norms with a margin."""

from shapedp.chain import cohort
from shapedp.runs.logs import logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        cohort.bound_curves(
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.output.bounds,
            snakemake.params.bounds,
            snakemake.wildcards.source,
            snakemake.wildcards.reference,
        )
