"""Take a batch one step from its surfaces to curves beside the template: the step by the name of its rule."""

from itertools import starmap

from shapedp.base.runs.logs import logged
from shapedp.surfaces.chain import step, to_template
from shapedp.surfaces.chain.step import ChainSettings, Scan

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        steps = {candidate.name: candidate for candidate in (to_template.REGISTER_SURFACES, to_template.EXTRACT_CURVES)}
        chosen = steps[snakemake.params.step]
        settings = ChainSettings(snakemake.params.settings, snakemake.input.template)
        sources = {name: path for name, path in snakemake.input.items() if name in chosen.reads}
        scans = list(starmap(Scan, snakemake.params.samples))
        step.write(chosen, sources, snakemake.output[0], settings, scans)
