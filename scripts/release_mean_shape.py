"""Move records into the ball, average, add noise, and enter the release in the ledger: what spends shapes' privacy."""

from shapedp.ledger.ledger_folder import Ledger
from shapedp.mechanisms import noise
from shapedp.readers import samples
from shapedp.releases import cohorts, publishing
from shapedp.releases.changes import MeanShapeDifference
from shapedp.releases.shapes import MeanShape
from shapedp.runs.logs import logged
from shapedp.storage import files


def release_mean_shape(shapes_path, landmarks_path, output_dir, entry, settings, privacy):
    """entry : one of shapes.releases; settings : the section's radius, contour_modes, center, ..."""
    ledger = Ledger(privacy["ledger"])
    modes = (entry if "contour_modes" in entry else settings)["contour_modes"]
    of_whom = shapes_path, landmarks_path, entry.get("group")
    own = entry if entry.get("kind") in samples.DIFFERENCES else None
    people, known = cohorts.of_shapes(*of_whom, settings, privacy, ledger.key(), modes, entry=own)
    if own:
        release = MeanShapeDifference.of(entry, settings, privacy, known)
    else:
        release = MeanShape.of(entry, settings, privacy, known, people.group)
    return publishing.publish(ledger, release, people, noise.source(privacy["seed"]), output_dir).files


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        shown = release_mean_shape(
            snakemake.input.shapes,
            snakemake.input.landmarks,
            snakemake.params.folder,
            snakemake.params.release,
            snakemake.params.shapes,
            snakemake.params.privacy,
        )
        files.write_shown_marker(snakemake.output.mark, snakemake.params.folder, shown)
