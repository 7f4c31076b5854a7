"""Release shapes: move them into the ball, sum, add noise, and enter it in the ledger. This spends shapes' privacy."""

from pathlib import Path

from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.ledger.ledger_folder import Ledger
from shapedp.privacy import noise
from shapedp.releases import cohorts, kinds, look, publishing


def release_shapes(shapes_path, landmarks_path, output_dir, entry, settings, privacy):
    """Release what the `kind` of the entry says.

    entry : one of shapes.releases; settings : the section's radius, contour_modes, center, ...; covariates of a model
    are columns of the sheet of persons, or `log_size`
    """
    ledger, kind = Ledger(privacy["ledger"]), kinds.find_entry("shapes", entry)
    release = kind.part("release")
    modes = (entry if "contour_modes" in entry else settings)["contour_modes"]
    asked = release.covariates_of("shapes", entry) if kind.has_covariates else None
    own = entry if kind.is_difference else None
    of_whom = shapes_path, landmarks_path, entry.get("group")
    people, known = cohorts.of_shapes(*of_whom, settings, privacy, ledger.key(), modes, asked, own)
    made = release.plan_shapes(entry, settings, privacy, known)
    return publishing.publish(ledger, made, people, noise.source(privacy["seed"]), output_dir)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        given, asked = snakemake.input, snakemake.params
        look.refuse_unlooked(Path("results") / look.LOOKED, asked.look, asked.privacy)
        shown = release_shapes(given.shapes, given.landmarks, asked.folder, asked.release, asked.shapes, asked.privacy)
        files.write_shown_marker(snakemake.output.mark, asked.folder, shown)
