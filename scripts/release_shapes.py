"""Release shapes: move them into the ball, sum, add noise, and enter it in the ledger. This spends shapes' privacy."""

from pathlib import Path

from shapedp.base.runs.logs import logged
from shapedp.base.settings import default
from shapedp.base.storage import files
from shapedp.ledger.ledger_folder import Ledger
from shapedp.people import samples
from shapedp.privacy import noise
from shapedp.releases import cohorts, look, publishing
from shapedp.releases.changes import MeanShapeDifference
from shapedp.releases.model import covariates
from shapedp.releases.shapes import MeanShape, ModelOfShapes


def release_shapes(shapes_path, landmarks_path, output_dir, entry, settings, privacy):
    """A mean, a change or asymmetry, or a model, as the `kind` of the entry says.

    entry : one of shapes.releases; settings : the section's radius, contour_modes, center, ...; covariates of a model
    are columns of the sheet of persons, or `log_size`
    """
    ledger, kind, asked = Ledger(privacy["ledger"]), entry.get("kind"), None
    modes = (entry if "contour_modes" in entry else settings)["contour_modes"]
    if kind == "shape_model":
        asked = covariates.of_settings(entry.get("covariates", default("shapes.releases[].covariates")))
    own = entry if kind in samples.DIFFERENCES else None
    of_whom = shapes_path, landmarks_path, entry.get("group")
    people, known = cohorts.of_shapes(*of_whom, settings, privacy, ledger.key(), modes, asked, own)
    if own:
        release = MeanShapeDifference.of(entry, settings, privacy, known)
    elif kind == "shape_model":
        release = ModelOfShapes.of(entry, settings, privacy, known)
    else:
        release = MeanShape.of(entry, settings, privacy, known)
    return publishing.publish(ledger, release, people, noise.source(privacy["seed"]), output_dir)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        given, asked = snakemake.input, snakemake.params
        look.refuse_unlooked(Path("results") / look.LOOKED, asked.look, asked.privacy)
        shown = release_shapes(given.shapes, given.landmarks, asked.folder, asked.release, asked.shapes, asked.privacy)
        files.write_shown_marker(snakemake.output.mark, asked.folder, shown)
