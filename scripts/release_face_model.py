"""Clip, sum the moments, add noise, and enter the release in the ledger: mean, effects and modes under one mu."""

from shapedp.ledger.ledger_folder import Ledger
from shapedp.mechanisms import noise
from shapedp.model import covariates
from shapedp.releases import cohorts, publishing
from shapedp.releases.faces import ModelOfFaces
from shapedp.runs.logs import logged
from shapedp.settings import default
from shapedp.storage import files


def release_face_model(paths, output_dir, entry, faces, privacy, people, named, cells, scans=()):
    """paths : curves, template, variation; cells : (person, {column: text}) of each scan, from the sample sheet
    entry, faces, privacy, people, named, scans : as of a mean face
    """
    curves_path, template_path, variation_path = paths
    ledger, template = Ledger(privacy["ledger"]), cohorts.template(template_path)
    limits = cohorts.limits(variation_path, curves_path, faces, len(template.radii))
    asked = covariates.of_settings(entry.get("covariates", default("faces.releases[].covariates")))
    stack = curves_path, template_path, entry.get("group"), privacy, ledger.key(), people, named, asked, cells
    with cohorts.of_curves(*stack, scans=scans) as cohort:
        release = ModelOfFaces.of(entry, faces, privacy, template, limits, cohort.n)
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
        )
        files.write_shown_marker(snakemake.output.mark, snakemake.params.folder, shown)
