"""Pictures of the faces paper for this cohort. All are private: they show people, and means without noise."""

CHAIN_FIGURES = ["mesh", "radial_curves", "disk_maps", "registration"]
CURVE_FIGURES = ["numbers_of_curves", "coordinate_curves"]
MEAN_FIGURES = ["means", "mechanisms", "budgets", "overlays"]
ERROR_FIGURES = ["error_against_people"]
FACE_FIGURES = expand(
    "results/private/faces/figures/{figure}.{ending}",
    figure=CHAIN_FIGURES + CURVE_FIGURES + MEAN_FIGURES + ERROR_FIGURES,
    ending=["png", "svg"],
)


rule draw_face_chain:
    """Draw one face at every step of the chain up to its registration, and the energies of all faces. Private."""
    input:
        mesh=of_cohort("faces", "mesh"),
        disk=of_cohort("faces", "disk"),
        surface=of_cohort("faces", "surface"),
        registered=of_cohort("faces", "registered"),
        template="results/private/template.h5",
    output:
        face_figures(CHAIN_FIGURES),
    log:
        "results/private/logs/draw_face_chain.log",
    benchmark:
        "results/private/benchmarks/draw_face_chain.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("draw_face_chain"),
    message:
        "draw_face_chain: Draw the steps of the chain"
    script:
        "../../scripts/draw_face_chain.py"


rule draw_face_curves:
    """Draw radial curves: the template by few and by many, and the coordinates of one curve over the cohort. Private."""
    input:
        curves="results/private/faces/curves.h5",
        template="results/private/template.h5",
    output:
        face_figures(CURVE_FIGURES),
    log:
        "results/private/logs/draw_face_curves.log",
    benchmark:
        "results/private/benchmarks/draw_face_curves.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("draw_face_means"),
        step="draw_face_curves",
    message:
        "draw_face_curves: Draw radial curves"
    script:
        "../../scripts/draw_face_means.py"


rule draw_face_means:
    """Draw the mean faces of a cohort: without privacy, by mechanism, by budget, over each other. Private."""
    input:
        curves="results/private/faces/curves.h5",
        template="results/private/template.h5",
        around_template=f"results/private/faces/bounds/{PREFERRED}_template.h5",
        around_nothing="results/private/faces/bounds/data_none.h5",
        variation=VARIATION if "reference" in COHORTS else [],
    output:
        face_figures(MEAN_FIGURES),
    log:
        "results/private/logs/draw_face_means.log",
    benchmark:
        "results/private/benchmarks/draw_face_means.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("draw_face_means"),
        step="draw_face_means",
        kernel=FACES["kernel"],
    message:
        "draw_face_means: Draw the means"
    script:
        "../../scripts/draw_face_means.py"


rule draw_face_errors:
    """Draw how the error of a private mean face falls with the number of people, foretold and measured. Private."""
    input:
        curves="results/private/faces/curves.h5",
        template="results/private/template.h5",
        bounds=f"results/private/faces/bounds/{PREFERRED}_template.h5",
    output:
        face_figures(ERROR_FIGURES),
    log:
        "results/private/logs/draw_face_errors.log",
    benchmark:
        "results/private/benchmarks/draw_face_errors.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("draw_face_means"),
        step="draw_face_errors",
        kernel=FACES["kernel"],
    message:
        "draw_face_errors: Draw errors against the number of people"
    script:
        "../../scripts/draw_face_means.py"
