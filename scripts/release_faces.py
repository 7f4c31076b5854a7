"""Release faces: clip, sum, add noise, and enter the release in the ledger. This spends the privacy of faces."""

from pathlib import Path

from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.ledger.ledger_folder import Ledger
from shapedp.privacy import noise
from shapedp.releases import cohorts, kinds, look, publishing
from shapedp.releases.faces import Planned


def release_faces(
    paths, output_dir, entry, faces, privacy, people, named, cells=(), scans=(), public=None, variation=None
):
    """Release what the `kind` of the entry says.

    paths : curves, template, and the bounds or the variation, None where the bounds are numbers of the settings
    entry : one of faces.releases; faces, privacy : the settings of those sections
    people : how many the cohort lists; named : whether its sheet says whose each scan is; scans : (person, path) of all
    cells : (person, {column: text}) of each scan; public : (curves of public people, their cells), or None
    variation : path of what was learned of the public set, for a mechanism with bounds, or None
    """
    curves_path, template_path, bounds_path = paths
    ledger, template = Ledger(privacy["ledger"]), cohorts.template(template_path)
    limits = cohorts.limits(bounds_path, faces, len(template.radii))
    known = variation and cohorts.limits(variation, faces, len(template.radii))
    kind = kinds.find_entry("faces", entry)
    release = kind.part("release")
    asked = release.covariates_of("faces", entry) if kind.has_covariates else None
    stack = curves_path, template_path, entry.get("group"), privacy, ledger.key(), people, named, asked, cells
    with cohorts.of_curves(*stack, scans=scans) as cohort:
        plan = Planned(entry, faces, privacy, template, limits, cohort.n, known)
        made = release.plan_faces(plan, template_path, public)
        return publishing.publish(ledger, made, cohort, noise.source(privacy["seed"]), output_dir)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        given, asked = snakemake.input, snakemake.params
        look.refuse_unlooked(Path("results") / look.LOOKED, asked.look, asked.privacy)
        paths = given.curves, given.template, given.get("bounds") or None
        entry = asked.release, asked.faces, asked.privacy
        of_whom = asked.people, asked.named, asked.get("cells", ())
        public = given.get("public") and (given.public, asked.public_cells)
        shown = release_faces(
            paths, asked.folder, *entry, *of_whom, asked.scans, public, given.get("variation") or None
        )
        files.write_shown_marker(snakemake.output.mark, asked.folder, shown)
