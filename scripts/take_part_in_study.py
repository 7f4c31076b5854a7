"""Take part in a study of several laboratories: take over what it agreed on, send a part, combine the parts of all."""

from pathlib import Path

from shapedp.base.runs.logs import log, logged
from shapedp.base.storage import files
from shapedp.laboratories import contributing, joint, study


def take_study_files(study_path, template_path, variation_path):
    """Copy the template and the variation that a study's laboratories share into a run, checked as agreed on."""
    agreed = study.load(study_path)
    for source, target in ((agreed.template, template_path), (agreed.variation, variation_path)):
        files.write_bytes(target, source.read_bytes())


def combine_parts(study_settings, folder, mark):
    """Combine the parts of all laboratories into the joint release, and mark it as shown.

    study_settings : `faces.study`; folder : results/release/faces/<name>.
    """
    contents, _ = joint.combine(contributing.find_first_round(study_settings), folder)
    files.write_shown_marker(mark, folder, contents)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        params = snakemake.params
        match params.step:
            case "take_study_files":
                take_study_files(snakemake.input.study, snakemake.output.template, snakemake.output.variation)
            case "contribute_part":  # the only step of a study that spends privacy
                for line in contributing.send(params.faces, params.privacy, Path("results")):
                    log.info(line)
                    print(line)
            case "combine_parts":
                combine_parts(params.study, params.folder, snakemake.output.mark)
