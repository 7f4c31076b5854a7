"""The faces paper's numbers on a population of demo faces: simulated releases of curves, and their figures."""

from shapedp.simulation import curve_plan

SIMULATED["curve_releases"] = expand(
    "results/simulation/curve_releases/{job}.h5",
    job=curve_plan.jobs(SIMULATION["scale"]),
)
SIMULATED_CURVE_FIGURES = expand(
    "results/simulation/figures/{figure}.{suffix}",
    figure=curve_plan.FIGURES,
    suffix=["png", "svg"],
)


localrules:
    draw_curve_simulations,


rule simulate_curve_releases:
    """Simulate releases of mean faces as radial curves."""
    input:
        library=library("simulate_curve_releases"),
    output:
        cells="results/simulation/curve_releases/{job}.h5",
    log:
        "results/simulation/logs/simulate_curve_releases/{job}.log",
    benchmark:
        "results/simulation/benchmarks/simulate_curve_releases/{job}.tsv"
    conda:
        ENVIRONMENT
    params:
        simulation=SIMULATION,
    message:
        "Simulating releases of mean faces: {wildcards.job}"
    script:
        "../../scripts/simulate_curve_releases.py"


rule draw_curve_simulations:
    """Draw the simulated mean faces' errors."""
    input:
        cells=SIMULATED["curve_releases"],
        library=library("draw_curve_simulations"),
    output:
        simulation_figures(curve_plan.FIGURES),
    log:
        "results/simulation/logs/draw_curve_simulations.log",
    benchmark:
        "results/simulation/benchmarks/draw_curve_simulations.tsv"
    conda:
        ENVIRONMENT
    message:
        "Drawing the simulated mean faces"
    script:
        "../../scripts/draw_curve_simulations.py"
