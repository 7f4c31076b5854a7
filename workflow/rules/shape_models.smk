"""Models of landmark shapes that may be published: mean, effects of covariates and modes, noised under one mu."""


rule release_shape_model:
    """Sum the moments of shapes, add noise, and enter the model in the ledger: mean, effects and modes under one mu."""
    input:
        shapes="results/private/shapes/shapes.h5",
        landmarks="results/private/shapes/landmarks.h5",
        public=RUN.public_files("center", "reference_set"),
        forecast=forecast_before("shapes"),
        library=library("release_shapes"),
    output:
        mark="results/private/shown/shapes/{release}.json",
    wildcard_constraints:
        release=names_of("shapes", "shape_model"),
    params:
        folder=lambda wildcards, output: shown_at(output.mark),
        release=entry_of("shapes"),
        shapes=SHAPES_RELEASED,
        privacy=config["privacy"],
        look=look_at("shapes"),
    script:
        "../../scripts/release_shapes.py"


rule draw_shape_model:
    """Draw the landmark files, the tables and the picture of a released shape model."""
    input:
        mark="results/private/shown/shapes/{release}.json",
        library=library("draw_release"),
    params:
        folder=lambda wildcards, input: shown_at(input.mark),
    output:
        table="results/release/shapes/{release}/shape_model.csv",
        picture=report(
            "results/release/shapes/{release}/preview.png",
            caption="../report/release_shape.rst",
            category="Releases (public)",
            labels={"release": "{release}", "what": "picture"},
        ),
    wildcard_constraints:
        release=names_of("shapes", "shape_model"),
    script:
        "../../scripts/draw_release.py"


rule write_shape_model_page:
    """Write the page of a release (viewer, statement, charts, settings) and its forms, from the release alone."""
    input:
        mark="results/private/shown/shapes/{release}.json",
        table="results/release/shapes/{release}/shape_model.csv",
        picture="results/release/shapes/{release}/preview.png",
        library=library("write_pages"),
    output:
        page="results/release/shapes/{release}/index.html",
        nist="results/release/shapes/{release}/nist.md",
    wildcard_constraints:
        release=names_of("shapes", "shape_model"),
    params:
        step="write_release_page",
    script:
        "../../scripts/write_pages.py"
