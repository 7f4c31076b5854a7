"""Take over the template and the variation of a study, to the last bit."""

from shapedp.labs import study
from shapedp.runs.logs import logged
from shapedp.storage import files


def take_study_files(study_path, template_path, variation_path):
    """Copy both files of the study, checked against what was agreed on."""
    agreed = study.load(study_path)
    for source, target in ((agreed.template, template_path), (agreed.variation, variation_path)):
        with files.atomic(target) as partial:
            partial.write_bytes(source.read_bytes())


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        take_study_files(snakemake.input.study, snakemake.output.template, snakemake.output.variation)
