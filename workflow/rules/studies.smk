"""This laboratory's side of a release that several make together; the letters between are files that people carry."""


rule take_study_files:
    input:
        study=FACES["study"]["file"],
        library=library("take_study_files"),
    output:
        template="results/private/template.h5",
        variation=VARIATION,
    script:
        "../../scripts/take_study_files.py"


if TOGETHER:

    rule contribute_part:
        input:
            curves="results/private/faces/curves.h5",
            template="results/private/template.h5",
            library=library("contribute_part"),
        params:
            faces=FACES,
            privacy=config["privacy"],
        script:
            "../../scripts/contribute_part.py"

    rule combine_parts:
        input:
            study=FACES["study"]["file"],
            library=library("combine_parts"),
        output:
            mark=f"{SHOWN}/faces/{TOGETHER['name']}.json",
        params:
            folder=lambda wildcards, output: shown_at(output.mark),
            study=FACES["study"],
        script:
            "../../scripts/combine_parts.py"

    rule study_release:
        """The joint release with its pictures and its page, once all parts are there."""
        input:
            f"{SHOWN}/faces/{TOGETHER['name']}.json",
            expand(
                "results/release/faces/{release}/{file}",
                release=TOGETHER["name"],
                file=(
                    DRAWN_OF_MODELS
                    if TOGETHER.get("kind") == "face_model"
                    else DRAWN_OF_MEANS
                ),
            ),
