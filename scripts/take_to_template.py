"""Take a batch one step from its surfaces to curves beside the template: the step by the name of its rule."""

from shapedp.chain import step, to_template
from shapedp.chain.step import Given
from shapedp.runs.logs import logged

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        steps = {one.name: one for one in (to_template.REGISTER_SURFACES, to_template.EXTRACT_CURVES)}
        chosen = steps[snakemake.params.step]
        given = Given(snakemake.params.settings, snakemake.input.template)
        step.write(chosen, {name: snakemake.input[name] for name in chosen.reads}, snakemake.output[0], given)
