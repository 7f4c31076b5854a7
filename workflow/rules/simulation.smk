"""The papers' experiments: simulated cells, their figures, and the claims beside what was measured."""

from shapedp.reproduction import experiments

SIMULATION = config["simulation"]
# Artifacts of simulated cells, a list a branch.
SIMULATED = {
    branch: expand(
        "results/simulation/{branch}/{job}.h5",
        branch=branch,
        job=experiments.jobs(branch, SIMULATION["scale"]),
    )
    for branch in experiments.BRANCHES
}
SIMULATION_FIGURES = expand(
    "results/simulation/figures/{figure}.{suffix}",
    figure=experiments.FIGURES,
    suffix=["png"] if SIMULATION["scale"] == "quick" else ["png", "svg"],
)
SIMULATED_CURVE_FIGURES = expand(
    "results/simulation/figures/{figure}.{suffix}",
    figure=experiments.figures(SIMULATION["scale"]),
    suffix=["png", "svg"],
)


wildcard_constraints:
    simulated="|".join(experiments.BRANCHES),
    job=r"[A-Za-z0-9_.-]+",


rule simulate_cells:
    """Simulate one job's cells of the papers' experiments, as reproduction/experiments.py lists them."""
    output:
        cells="results/simulation/{simulated}/{job}.h5",
    log:
        "results/private/logs/simulate_cells/{simulated}/{job}.log",
    benchmark:
        "results/private/benchmarks/simulate_cells/{simulated}/{job}.tsv"
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("simulate_cells"),
        simulation=SIMULATION,
    message:
        "simulate_cells/{wildcards.simulated}/{wildcards.job}: Simulate cells"
    script:
        "../../scripts/simulate_cells.py"


rule draw_simulations:
    """Draw the figures of the simulations: of simulated replicates, or of simulated faces themselves."""
    input:
        cells=SIMULATED["sensitivity"]
        + SIMULATED["utility"]
        + SIMULATED["regression"]
        + SIMULATED["peers"],
    output:
        SIMULATION_FIGURES,
    log:
        "results/private/logs/draw_simulations.log",
    benchmark:
        "results/private/benchmarks/draw_simulations.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("draw_simulations"),
    message:
        "draw_simulations: Draw the simulations"
    script:
        "../../scripts/draw_simulations.py"


rule draw_curve_simulations:
    """Draw the figures of the simulated mean faces."""
    input:
        cells=SIMULATED["curve_releases"],
    output:
        simulation_figures(experiments.CURVE_FIGURES),
    log:
        "results/private/logs/draw_curve_simulations.log",
    benchmark:
        "results/private/benchmarks/draw_curve_simulations.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("draw_simulations"),
    message:
        "draw_curve_simulations: Draw the simulated mean curves"
    script:
        "../../scripts/draw_simulations.py"


rule draw_simulated_faces:
    """Draw the faces paper's Figures 4 to 6, 8 and 10 of 1,000 demo people; nobody's data, no release."""
    output:
        simulation_figures(experiments.FACE_PICTURES),
    log:
        "results/private/logs/draw_simulated_faces.log",
    benchmark:
        "results/private/benchmarks/draw_simulated_faces.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("draw_simulations"),
        seed=SIMULATION["seed"],
    message:
        "draw_simulated_faces: Draw the simulated means of demo people"
    script:
        "../../scripts/draw_simulations.py"


rule tabulate_claims:
    """Set every quantitative statement of the papers beside what was measured."""
    input:
        cells=lambda wildcards: sum(SIMULATED.values(), []),
        papers=list(map(str, experiments.PAPERS.values())),
    output:
        table="results/simulation/claims.tsv",
        page="results/simulation/claims.md",
    log:
        "results/private/logs/tabulate_claims.log",
    benchmark:
        "results/private/benchmarks/tabulate_claims.tsv"
    localrule: True
    conda:
        "../../envs/shapedp.yaml"
    params:
        code=code("tabulate_claims"),
        scale=SIMULATION["scale"],
    message:
        "tabulate_claims: Tabulate the papers' claims"
    script:
        "../../scripts/tabulate_claims.py"
