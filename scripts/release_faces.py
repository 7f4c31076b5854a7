"""Release faces: clip, sum, add noise, and enter the release in the ledger. This spends the privacy of faces."""

from pathlib import Path

from shapedp.base.runs.logs import logged
from shapedp.base.settings import default
from shapedp.base.storage import files
from shapedp.ledger.ledger_folder import Ledger
from shapedp.people import samples
from shapedp.privacy import noise
from shapedp.releases import cohorts, look, publishing
from shapedp.releases.changes import MeanDifference
from shapedp.releases.faces import GrowthOfFaces, MeanFace, ModelOfFaces, Planned
from shapedp.releases.model import covariates, released_growth


def release_faces(
    paths, output_dir, entry, faces, privacy, people, named, cells=(), scans=(), public=None, variation=None
):
    """A mean, a change or asymmetry, a model or a growth, as the `kind` of the entry says.

    paths : curves, template, and the bounds or the variation, None where the bounds are numbers of the settings
    entry : one of faces.releases; faces, privacy : the settings of those sections
    people : how many the cohort lists; named : whether its sheet says whose each scan is; scans : (person, path) of all
    cells : (person, {column: text}) of each scan; public : of a growth or a model, (curves of public people, their
    cells), or None
    variation : path of what was learned of the public set, for a mechanism with bounds, or None
    """
    curves_path, template_path, bounds_path = paths
    ledger, template = Ledger(privacy["ledger"]), cohorts.template(template_path)
    limits = cohorts.limits(bounds_path, faces, len(template.radii))
    known = variation and cohorts.limits(variation, faces, len(template.radii))
    kind, asked = entry.get("kind"), None
    if kind == "face_model":
        asked = covariates.of_settings(entry.get("covariates", default("faces.releases[].covariates")))
    if kind == "growth":
        asked = [one for one in released_growth.ordered(entry["covariates"])[:2] if one is not None]
    stack = curves_path, template_path, entry.get("group"), privacy, ledger.key(), people, named, asked, cells
    with cohorts.of_curves(*stack, scans=scans) as cohort:
        plan = Planned(entry, faces, privacy, template, limits, cohort.n, known)
        if kind == "growth":
            release = GrowthOfFaces.of(plan, *cohorts.beside_growth(template_path, public, asked))
        elif kind == "face_model":
            release = ModelOfFaces.of(plan, cohorts.beside_model(template_path, public and public[0]))
        else:
            release = (MeanDifference if kind in samples.DIFFERENCES else MeanFace).of(plan)
        return publishing.publish(ledger, release, cohort, noise.source(privacy["seed"]), output_dir)


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
