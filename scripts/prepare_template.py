"""Take the template through the chain of a scan, crop it to the extent, and choose the radii of the curves on it."""

from shapedp.chain import cohort
from shapedp.runs.logs import logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        cohort.prepare_template(
            snakemake.input.get("scan") or None,
            snakemake.output.template,
            snakemake.params.faces,
            snakemake.params.of_the_cohort,
        )
