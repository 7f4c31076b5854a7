"""Draw one face at every step, for a person to judge; or what was read of it, and why it was rejected."""

from shapedp.base.runs.logs import logged
from shapedp.releases.figures import face_chain, style
from shapedp.surfaces.chain.step import ChainSettings, Scan

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        settings = ChainSettings(snakemake.params.settings, snakemake.input.template)
        style.save(face_chain.draw_glance(Scan(*snakemake.params.sample), settings), snakemake.output.picture, ("png",))
