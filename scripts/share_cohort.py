"""Make what the faces of a cohort share, by the name of the rule: template, stack of curves, bounds, variation."""

from shapedp.base.runs.logs import logged
from shapedp.surfaces.chain import cohort

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inputs, params, output = snakemake.input, snakemake.params, snakemake.output[0]
        match params.step:
            case "prepare_template":
                scan = inputs.get("scan") or None
                cohort.prepare_template(scan, output, params.faces, params.of_the_cohort, params.specimens)
            case "stack_curves":
                cohort.stack_curves(inputs.curves, inputs.template, output, params.samples)
            case "bound_curves":
                cohort.bound_curves(
                    inputs.curves,
                    inputs.template,
                    output,
                    params.bounds,
                    snakemake.wildcards.source,
                    snakemake.wildcards.reference,
                )
            case "learn_variation":
                cohort.learn_variation(
                    inputs.curves, inputs.template, output, params.variation, params.source, params.own
                )
