"""Clip, average, add noise, and enter the release in the ledger: what spends the privacy of faces."""

from shapedp.ledger.ledger_folder import Ledger
from shapedp.mechanisms import noise
from shapedp.readers import samples
from shapedp.releases import cohorts, publishing
from shapedp.releases.changes import MeanDifference
from shapedp.releases.faces import MeanFace
from shapedp.runs.logs import logged
from shapedp.storage import files


def release_mean_face(
    curves_path, template_path, bounds_path, output_dir, entry, faces, privacy, people, named, scans=()
):
    """entry : one of faces.releases; faces, privacy : the settings of those sections; bounds_path : None for numbers;
    people : how many the cohort lists; named : whether its sheet says whose each scan is
    scans : (person, path) of each
    """
    ledger, template = Ledger(privacy["ledger"]), cohorts.template(template_path)
    limits = cohorts.limits(bounds_path, curves_path, faces, len(template.radii))
    stack = curves_path, template_path, entry.get("group"), privacy, ledger.key(), people, named
    with cohorts.of_curves(*stack, scans=scans) as cohort:
        kind = MeanDifference if entry.get("kind") in samples.DIFFERENCES else MeanFace
        release = kind.of(entry, faces, privacy, template, limits, cohort.n)
        return publishing.publish(ledger, release, cohort, noise.source(privacy["seed"]), output_dir).files


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        shown = release_mean_face(
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.input.get("bounds") or None,
            snakemake.params.folder,
            snakemake.params.release,
            snakemake.params.faces,
            snakemake.params.privacy,
            snakemake.params.people,
            snakemake.params.named,
            snakemake.params.scans,
        )
        files.write_shown_marker(snakemake.output.mark, snakemake.params.folder, shown)
