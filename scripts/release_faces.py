"""Release faces: clip, sum, add noise, and enter the release in the ledger. This spends the privacy of faces."""

from pathlib import Path

from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.releases import look
from shapedp.releases.making import release_faces

if __name__ == "__main__":
    with logged(snakemake.log[0]):
        given, asked = snakemake.input, snakemake.params
        look.refuse_unlooked(Path("results") / look.LOOK_FILE, asked.look, asked.privacy)
        paths = given.curves, given.template, given.get("bounds") or None
        entry = asked.release, asked.faces, asked.privacy
        of_whom = asked.people, asked.named, asked.get("cells", ())
        public = given.get("public") and (given.public, asked.public_cells)
        shown = release_faces(
            paths, asked.folder, *entry, *of_whom, asked.scans, public, given.get("variation") or None
        )
        files.write_shown_marker(snakemake.output.mark, asked.folder, shown)
