"""Release faces: clip, sum, add noise, and enter the release in the ledger. This spends the privacy of faces."""

from pathlib import Path

from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.releases import look
from shapedp.releases.making import release_faces

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inputs, params = snakemake.input, snakemake.params
        look.refuse_unlooked(Path("results") / look.LOOKED, params.look, params.privacy)
        paths = inputs.curves, inputs.template, inputs.get("bounds") or None
        entry = params.release, params.faces, params.privacy
        people = params.people, params.named, params.get("cells", ())
        public = inputs.get("public") and (inputs.public, params.public_cells)
        shown = release_faces(
            paths, params.folder, *entry, *people, params.scans, public, inputs.get("variation") or None
        )
        files.write_shown_marker(snakemake.output.mark, params.folder, shown)
