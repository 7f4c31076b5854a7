"""Sum the parts of all laboratories of a study: their joint release."""

from shapedp.labs import contributing, joint
from shapedp.runs.logs import logged
from shapedp.storage import files

FILES = ("mean_face.h5", "drawn.h5", "statement.json", "statement.md")


def combine_parts(study, folder, mark):
    """study : the settings `faces.study`; folder : results/release/faces/<name>."""
    joint.combine(contributing.first_round(study), folder)
    files.write_shown_marker(mark, folder, FILES)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        combine_parts(snakemake.params.study, snakemake.params.folder, snakemake.output.mark)
