"""Take from people's scans the rows that one release is of, or learn from public people how such rows vary."""

from shapedp.base.runs.logs import logged
from shapedp.surfaces.chain import differences

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        asked = snakemake.params
        of_whom = snakemake.input.curves, snakemake.input.template, snakemake.output[0], asked.samples, asked.release
        match asked.step:
            case "stack_rows":
                differences.stack_rows(*of_whom)
            case "learn_differences":
                differences.learn_rows(*of_whom, asked.variation, asked.source)
