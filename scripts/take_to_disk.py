"""Take a batch one step from its scans to surfaces on the disk: the step by the name of its rule."""

from itertools import starmap

from shapedp.base.runs.logs import logged
from shapedp.surfaces.chain import step, to_disk
from shapedp.surfaces.chain.step import ChainSettings, Scan

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        chosen = next(candidate for candidate in to_disk.STEPS if candidate.name == snakemake.params.step)
        sources = {name: snakemake.input[name] for name in chosen.reads if name in dict(snakemake.input.items())}
        settings = ChainSettings(snakemake.params.settings, snakemake.input.template if chosen.template else None)
        scans = list(starmap(Scan, snakemake.params.samples))
        step.write(chosen, sources, snakemake.output[0], settings, scans)
