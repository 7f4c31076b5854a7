"""Learn from the public reference set how faces vary: modes, harmonics, and held-out coordinates of its people."""

from shapedp.chain import cohort
from shapedp.runs.logs import logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        cohort.learn_variation(
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.output.variation,
            snakemake.params.variation,
            snakemake.params.source,
            snakemake.params.own,
        )
