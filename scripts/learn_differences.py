"""Learn from the public reference set how people change, or how asymmetric they are."""

from shapedp.chain import differences
from shapedp.runs.logs import logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        differences.learn_rows(
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.output.variation,
            snakemake.params.samples,
            snakemake.params.release,
            snakemake.params.variation,
            snakemake.params.source,
        )
