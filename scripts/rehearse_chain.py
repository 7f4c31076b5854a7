"""Take the public template through all steps as if it were a scan: where the program fails on it, the run stops."""

from shapedp.base.runs.logs import logged
from shapedp.surfaces.chain.rehearsal import rehearse_chain
from shapedp.surfaces.chain.steps import STEPS

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        rehearse_chain(snakemake.input.template, STEPS, snakemake.params.settings, snakemake.output.words)
