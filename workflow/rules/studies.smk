"""This laboratory's side of a release that several make together; the letters between are files that people carry."""


rule take_study_files:
    """Take over the template and the variation of a study, to the last bit."""
    input:
        study=FACES["study"]["file"],
    output:
        template="results/private/template.h5",
        variation=VARIATION,
    log:
        "results/private/logs/take_study_files.log",
    benchmark:
        "results/private/benchmarks/take_study_files.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("take_part_in_study"),
        step="take_study_files",
    message:
        "take_study_files: Take the study's files over"
    script:
        "../../scripts/take_part_in_study.py"


if TOGETHER:

    rule contribute_part:
        """Send this laboratory's part of the round that its study is in: the only step of a study that spends privacy."""
        input:
            curves="results/private/faces/curves.h5",
            template="results/private/template.h5",
        log:
            "results/private/logs/contribute_part.log",
        localrule: True
        conda:
            "../../envs/shapedp.yaml"
        params:
            code=code("take_part_in_study"),
            step="contribute_part",
            faces=FACES,
            privacy=config["privacy"],
        message:
            "contribute_part: Send this laboratory's part"
        script:
            "../../scripts/take_part_in_study.py"

    rule combine_parts:
        """Sum the parts of all laboratories of a study: their joint release."""
        input:
            study=FACES["study"]["file"],
        output:
            mark=f"{SHOWN_MARKERS}/faces/{TOGETHER['name']}.json",
        log:
            "results/private/logs/combine_parts.log",
        benchmark:
            "results/private/benchmarks/combine_parts.tsv"
        localrule: True
        conda:
            "../../envs/shapedp.yaml"
        params:
            code=code("take_part_in_study"),
            step="combine_parts",
            folder=lambda wildcards, output: release_folder(output.mark),
            study=FACES["study"],
        message:
            "combine_parts: Combine the parts of all laboratories"
        script:
            "../../scripts/take_part_in_study.py"

    rule study_release:
        """The joint release with its pictures and its page, once all parts are there."""
        input:
            f"{SHOWN_MARKERS}/faces/{TOGETHER['name']}.json",
            f"results/release/faces/{TOGETHER['name']}/index.html",
