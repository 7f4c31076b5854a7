"""Release shapes: move them into the ball, sum, add noise, and enter it in the ledger. This spends shapes' privacy."""

from pathlib import Path

from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.ledger import planned
from shapedp.releases import look
from shapedp.releases.making import release_shapes

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inputs, params = snakemake.input, snakemake.params
        look.refuse_unlooked(Path("results") / look.LOOK_FILE, params.look, params.privacy)
        shown = release_shapes(
            inputs.shapes,
            inputs.landmarks,
            params.folder,
            params.release,
            params.shapes,
            params.privacy,
            plan=planned.price_plan(snakemake.config, "shapes"),
        )
        files.write_shown_marker(snakemake.output.mark, params.folder, shown)
