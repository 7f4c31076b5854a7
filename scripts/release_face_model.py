"""Clip, sum the moments, add noise, and enter the release in the ledger: a model of faces, or their growth."""

from shapedp.ledger.ledger_folder import Ledger
from shapedp.mechanisms import noise
from shapedp.model import covariates, released_growth
from shapedp.releases import cohorts, publishing
from shapedp.releases.faces import GrowthOfFaces, ModelOfFaces
from shapedp.runs.logs import logged
from shapedp.settings import default
from shapedp.storage import files


def release_face_model(paths, output_dir, entry, faces, privacy, people, named, cells, scans=(), public=None):
    """paths : curves, template, variation; cells : (person, {column: text}) of each scan, from the sample sheet
    entry, faces, privacy, people, named, scans : as of a mean face; public : of a growth, (curves of the public people,
    their cells), or None
    """
    curves_path, template_path, variation_path = paths
    ledger, template = Ledger(privacy["ledger"]), cohorts.template(template_path)
    limits = cohorts.limits(variation_path, curves_path, faces, len(template.radii))
    growth = entry["kind"] == "growth"
    asked = covariates.of_settings(entry.get("covariates", default("faces.releases[].covariates")))
    if growth:
        asked = [one for one in released_growth.ordered(entry["covariates"])[:2] if one is not None]
    stack = curves_path, template_path, entry.get("group"), privacy, ledger.key(), people, named, asked, cells
    with cohorts.of_curves(*stack, scans=scans) as cohort:
        of_release = entry, faces, privacy, template, limits, cohort.n
        if growth:
            release = GrowthOfFaces.of(*of_release, *cohorts.beside_growth(template_path, public, asked))
        else:
            release = ModelOfFaces.of(*of_release)
        return publishing.publish(ledger, release, cohort, noise.source(privacy["seed"]), output_dir).files


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        shown = release_face_model(
            (snakemake.input.curves, snakemake.input.template, snakemake.input.variation),
            snakemake.params.folder,
            snakemake.params.release,
            snakemake.params.faces,
            snakemake.params.privacy,
            snakemake.params.people,
            snakemake.params.named,
            snakemake.params.cells,
            snakemake.params.scans,
            snakemake.input.get("public") and (snakemake.input.public, snakemake.params.public_cells),
        )
        files.write_shown_marker(snakemake.output.mark, snakemake.params.folder, shown)
