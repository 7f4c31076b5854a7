"""Release shapes: move them into the ball, sum, add noise, and enter it in the ledger. This spends shapes' privacy."""

from pathlib import Path

from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.releases import look
from shapedp.releases.making import release_shapes

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        given, asked = snakemake.input, snakemake.params
        look.refuse_unlooked(Path("results") / look.LOOK_FILE, asked.look, asked.privacy)
        shown = release_shapes(given.shapes, given.landmarks, asked.folder, asked.release, asked.shapes, asked.privacy)
        files.write_shown_marker(snakemake.output.mark, asked.folder, shown)
