"""Stack the rows of one release of faces: changes from scan to scan, asymmetries, or the scans of one time."""

from shapedp.chain import differences
from shapedp.runs.logs import logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        differences.stack_rows(
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.output.curves,
            snakemake.params.samples,
            snakemake.params.release,
        )
