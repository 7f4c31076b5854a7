"""Take from people's scans the rows that one release is of, or learn from public people how such rows vary."""

from shapedp.base.runs.logs import logged
from shapedp.surfaces.chain import differences

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        params = snakemake.params
        row_inputs = (
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.output[0],
            params.samples,
            params.release,
        )
        match params.step:
            case "stack_rows":
                differences.stack_rows(*row_inputs)
            case "learn_differences":
                differences.learn_rows(*row_inputs, params.variation, params.source)
