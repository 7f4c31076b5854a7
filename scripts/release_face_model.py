"""Clip, sum the moments, add noise, and enter the release in the ledger: mean, effects and modes under one mu."""

from release_mean_face import released
from shapedp.model import covariates
from shapedp.releases import face_model
from shapedp.runs.logs import logged
from shapedp.storage import marks


def release_face_model(paths, output_dir, entry, faces, privacy, people, named, cells):
    """paths : curves, template, variation; cells : (person, {column: text}) of each scan, from the sample sheet
    entry, faces, privacy, people, named : as of a mean face
    """
    asked = covariates.of_settings(entry.get("covariates", {}))

    def release(ledger, cohort, ids, template, variation):
        coded = covariates.table(asked, cells, ids)
        return face_model.release(ledger, cohort, coded, template, variation, entry, faces, privacy, output_dir)

    return released(paths, entry, faces, privacy, people, named, release)


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
        )
        marks.write(snakemake.output.mark, snakemake.params.folder, shown)
