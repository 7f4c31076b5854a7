"""Face models that may be published: mean, effects of covariates and modes of variation, noised under one mu."""


rule release_face_model:
    """Clip, sum the moments, add noise and enter the model in the ledger; spends privacy."""
    input:
        curves="results/private/faces/curves.h5",
        template="results/private/template.h5",
        variation=VARIATION,
        library=library("release_face_model"),
    output:
        mark="results/private/shown/faces/{release}.json",
    wildcard_constraints:
        release=names_of("faces", "face_model"),
    params:
        folder=lambda wildcards, output: shown_at(output.mark),
        release=entry_of("faces"),
        faces={key: FACES[key] for key in ("bounds", "variation", "curves", "persons")},
        privacy=config["privacy"],
        people=len({sample.person for sample in COHORTS["faces"]}),
        named=samples.names_persons(FACES["scans"]),
        cells=[(one.person, dict(one.covariates)) for one in COHORTS["faces"]],
    message:
        "Releasing the face model '{wildcards.release}'"
    script:
        "../../scripts/release_face_model.py"


rule draw_face_model:
    """Make the surfaces, the tables and the picture of a released face model."""
    input:
        mark="results/private/shown/faces/{release}.json",
        library=library("draw_face_model"),
    params:
        release=lambda wildcards, input: f"{shown_at(input.mark)}/face_model.h5",
    output:
        glb="results/release/faces/{release}/face_model.glb",
        picture=report(
            "results/release/faces/{release}/preview.png",
            caption="../report/release_face.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "picture"},
        ),
    wildcard_constraints:
        release=names_of("faces", "face_model"),
    message:
        "Drawing the released face model '{wildcards.release}'"
    script:
        "../../scripts/draw_face_model.py"
