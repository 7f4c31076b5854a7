"""This laboratory's side of a release that several make together; the letters between are files that people carry."""


rule take_study_files:
    """Take over the template and the variation of a study, to the last bit."""
    input:
        study=FACES["study"]["file"],
    output:
        template="results/private/template.h5",
        variation=VARIATION,
    params:
        code=code("take_part_in_study"),
        step="take_study_files",
    script:
        "../../scripts/take_part_in_study.py"


if TOGETHER:

    rule contribute_part:
        """Send this laboratory's part of the round that its study is in: the only step of a study that spends privacy."""
        input:
            curves="results/private/faces/curves.h5",
            template="results/private/template.h5",
        params:
            code=code("take_part_in_study"),
            step="contribute_part",
            faces=FACES,
            privacy=config["privacy"],
        script:
            "../../scripts/take_part_in_study.py"

    rule combine_parts:
        """Sum the parts of all laboratories of a study: their joint release."""
        input:
            study=FACES["study"]["file"],
        output:
            mark=f"{SHOWN}/faces/{TOGETHER['name']}.json",
        params:
            code=code("take_part_in_study"),
            step="combine_parts",
            folder=lambda wildcards, output: shown_at(output.mark),
            study=FACES["study"],
        script:
            "../../scripts/take_part_in_study.py"

    rule study_release:
        """The joint release with its pictures and its page, once all parts are there."""
        input:
            f"{SHOWN}/faces/{TOGETHER['name']}.json",
            f"results/release/faces/{TOGETHER['name']}/index.html",
