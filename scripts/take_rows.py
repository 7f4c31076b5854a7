"""Take from people's scans the rows that one release is of, or learn from public people how such rows vary."""

from shapedp.base.runs.logs import logged
from shapedp.surfaces.chain import differences

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        params = snakemake.params
        curves, template, output = snakemake.input.curves, snakemake.input.template, snakemake.output[0]
        match params.step:
            case "stack_rows":
                differences.stack_rows(curves, template, output, params.samples, params.release)
            case "learn_differences":
                differences.learn_rows(
                    curves, template, output, params.samples, params.release, params.variation, params.source
                )
