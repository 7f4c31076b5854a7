"""Release faces: clip, sum, add noise, and enter the release in the ledger. This spends the privacy of faces."""

from pathlib import Path

from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.ledger import planned
from shapedp.releases import look
from shapedp.releases.making import release_faces

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inputs, params = snakemake.input, snakemake.params
        look.refuse_unlooked(Path("results") / look.LOOK_FILE, params.look, params.privacy)
        paths = inputs.curves, inputs.template, inputs.get("bounds") or None
        public = inputs.get("public") and (inputs.public, params.public_cells)
        shown = release_faces(
            paths,
            params.folder,
            params.release,
            params.faces,
            params.privacy,
            people=params.people,
            named=params.named,
            cells=params.get("cells", ()),
            scans=params.scans,
            public=public,
            variation=inputs.get("variation") or None,
            plan=planned.price_plan(snakemake.config, "faces"),
        )
        files.write_shown_marker(snakemake.output.mark, params.folder, shown)
