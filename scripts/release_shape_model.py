"""Sum the moments of shapes, add noise, and enter the model in the ledger: mean, effects and modes under one mu."""

from shapedp.ledger.ledger_folder import Ledger
from shapedp.mechanisms import noise
from shapedp.model import covariates
from shapedp.releases import cohorts, publishing
from shapedp.releases.shapes import ModelOfShapes
from shapedp.runs.logs import logged
from shapedp.settings import default
from shapedp.storage import files


def release_shape_model(shapes_path, landmarks_path, output_dir, entry, settings, privacy):
    """As of a mean shape; covariates are columns of the sheet of persons, or `log_size`."""
    ledger = Ledger(privacy["ledger"])
    of_whom, modes = (shapes_path, landmarks_path, entry.get("group")), settings["contour_modes"]
    asked = covariates.of_settings(entry.get("covariates", default("shapes.releases[].covariates")))
    people, known = cohorts.of_shapes(*of_whom, settings, privacy, ledger.key(), modes, asked)
    release = ModelOfShapes.of(entry, settings, privacy, known)
    return publishing.publish(ledger, release, people, noise.source(privacy["seed"]), output_dir).files


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        shown = release_shape_model(
            snakemake.input.shapes,
            snakemake.input.landmarks,
            snakemake.params.folder,
            snakemake.params.release,
            snakemake.params.shapes,
            snakemake.params.privacy,
        )
        files.write_shown_marker(snakemake.output.mark, snakemake.params.folder, shown)
