"""Make what the faces of a cohort share, by the name of the rule: template, stack of curves, bounds, variation."""

from shapedp.base.runs.logs import logged
from shapedp.surfaces.chain import cohort

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        given, asked, output = snakemake.input, snakemake.params, snakemake.output[0]
        match asked.step:
            case "prepare_template":
                scan = given.get("scan") or None
                cohort.prepare_template(scan, output, asked.faces, asked.of_the_cohort, asked.specimens)
            case "stack_curves":
                cohort.stack_curves(given.curves, given.template, output, asked.samples)
            case "bound_curves":
                of_whom = snakemake.wildcards.source, snakemake.wildcards.reference
                cohort.bound_curves(given.curves, given.template, output, asked.bounds, *of_whom)
            case "learn_variation":
                cohort.learn_variation(given.curves, given.template, output, asked.variation, asked.source, asked.own)
