"""Stack the curves of all batches, one row a person; several scans of a person are averaged within the person."""

from shapedp.chain import cohort
from shapedp.runs.logs import logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        cohort.stack_curves(
            snakemake.input.curves, snakemake.input.template, snakemake.output.curves, snakemake.params.samples
        )
