"""The papers' experiments: simulated cells, their figures, and the claims beside what was measured."""

from shapedp.simulation import plan as simulation_plan
from shapedp.simulation import stated

SIMULATION = config["simulation"]
# Artifacts of simulated cells, a list a branch; other files of rules may add theirs.
SIMULATED = {
    branch: expand(
        "results/simulation/{branch}/{job}.h5",
        branch=branch,
        job=simulation_plan.jobs(branch, SIMULATION["scale"]),
    )
    for branch in simulation_plan.EXPERIMENTS
}
SIMULATION_FIGURES = expand(
    "results/simulation/figures/{figure}.{suffix}",
    figure=simulation_plan.FIGURES,
    suffix=["png"] if SIMULATION["scale"] == "quick" else ["png", "svg"],
)


wildcard_constraints:
    job=r"[A-Za-z0-9_.-]+",


rule simulate_sensitivity:
    """Simulate how far one person can move a mean."""
    input:
        library=library("simulate_sensitivity"),
    output:
        cells="results/simulation/sensitivity/{job}.h5",
    params:
        simulation=SIMULATION,
    message:
        "Simulating sensitivity: {wildcards.job}"
    script:
        "../../scripts/simulate_sensitivity.py"


rule simulate_utility:
    """Simulate how near releases are to the mean."""
    input:
        library=library("simulate_utility"),
    output:
        cells="results/simulation/utility/{job}.h5",
    params:
        simulation=SIMULATION,
    message:
        "Simulating utility: {wildcards.job}"
    script:
        "../../scripts/simulate_utility.py"


rule draw_simulations:
    """Draw the figures of the two papers on manifolds, and those past them."""
    input:
        cells=SIMULATED["sensitivity"] + SIMULATED["utility"],
        library=library("draw_simulations"),
    output:
        SIMULATION_FIGURES,
    script:
        "../../scripts/draw_simulations.py"


rule tabulate_claims:
    """Set the papers' statements beside what was measured."""
    input:
        cells=lambda wildcards: sum(SIMULATED.values(), []),
        papers=stated.FILES,
        library=library("tabulate_claims"),
    output:
        table="results/simulation/claims.tsv",
        page="results/simulation/claims.md",
    params:
        scale=SIMULATION["scale"],
    script:
        "../../scripts/tabulate_claims.py"
