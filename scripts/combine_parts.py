"""Sum the parts of all laboratories of a study: their joint release."""

from shapedp.labs import contributing, joint
from shapedp.runs.logs import logged
from shapedp.storage import files


def combine_parts(study, folder, mark):
    """study : the settings `faces.study`; folder : results/release/faces/<name>."""
    files.write_shown_marker(mark, folder, joint.combine(contributing.first_round(study), folder).files)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        combine_parts(snakemake.params.study, snakemake.params.folder, snakemake.output.mark)
