"""Models and growth of faces that may be published: moments of people's coordinates, noised under one mu."""


rule release_face_model:
    """Clip, sum the moments, add noise, and enter the release in the ledger: a model of faces, or their growth."""
    input:
        curves=lambda wildcards: RUN.rows_of("faces", wildcards.release),
        template="results/private/template.h5",
        bounds=VARIATION,
        public=lambda wildcards: (
            "results/private/reference/curves.h5"
            if entry("faces", wildcards.release)["kind"] == "growth"
            else []
        ),
        forecast=forecast_before("faces"),
        library=library("release_faces"),
    output:
        mark="results/private/shown/faces/{release}.json",
    wildcard_constraints:
        release=names_of("faces", "face_model", "growth"),
    params:
        folder=lambda wildcards, output: shown_at(output.mark),
        release=entry_of("faces"),
        faces=RUN.of_release("bounds", "variation", "curves", "persons"),
        privacy=config["privacy"],
        people=lambda wildcards: len(RUN.listed(wildcards.release)),
        named=samples.has_column(FACES["scans"], samples.PERSON),
        scans=RUN.scans_of_people(),
        look=look_at("faces"),
        cells=lambda wildcards: Listed(
            samples.cells_of(entry("faces", wildcards.release), COHORTS["faces"])
        ),
        public_cells=lambda wildcards: Listed(
            samples.cells_of({}, COHORTS.get("reference", []))
            if entry("faces", wildcards.release)["kind"] == "growth"
            else []
        ),
    script:
        "../../scripts/release_faces.py"


rule draw_face_model:
    """Draw the surfaces, the tables and the picture of a released face model."""
    input:
        mark="results/private/shown/faces/{release}.json",
        library=library("draw_release"),
    params:
        folder=lambda wildcards, input: shown_at(input.mark),
    output:
        glb="results/release/faces/{release}/face_model.glb",
        picture=report(
            "results/release/faces/{release}/preview.png",
            caption="../report/release_face.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "picture"},
        ),
    wildcard_constraints:
        release=drawn_of("face_model"),
    script:
        "../../scripts/draw_release.py"


rule draw_growth:
    """Draw the surfaces by age, the tables and the picture of a released growth."""
    input:
        mark="results/private/shown/faces/{release}.json",
        library=library("draw_release"),
    params:
        folder=lambda wildcards, input: shown_at(input.mark),
    output:
        tables=expand(
            "results/release/faces/{{release}}/{table}.csv",
            table=("growth", "measures"),
        ),
        picture=report(
            "results/release/faces/{release}/preview.png",
            caption="../report/release_face.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "picture"},
        ),
    wildcard_constraints:
        release=names_of("faces", "growth"),
    script:
        "../../scripts/draw_release.py"
