"""The faces paper's numbers on a population of demo faces: simulated releases of curves, and their figures."""

from shapedp.simulation import curve_plan

SIMULATED["curve_releases"] = expand(
    "results/simulation/curve_releases/{job}.h5",
    job=curve_plan.jobs(SIMULATION["scale"]),
)
SIMULATED_CURVE_FIGURES = expand(
    "results/simulation/figures/{figure}.{suffix}",
    figure=curve_plan.figures(SIMULATION["scale"]),
    suffix=["png", "svg"],
)


rule simulate_curve_releases:
    """Simulate releases of mean faces as radial curves."""
    input:
        library=library("simulate_curve_releases"),
    output:
        cells="results/simulation/curve_releases/{job}.h5",
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
    script:
        "../../scripts/draw_curve_simulations.py"


rule draw_simulated_faces:
    """Draw the faces paper's pictures of mean faces, for 1,000 demo people."""
    input:
        library=library("draw_simulated_faces"),
    output:
        simulation_figures(curve_plan.FACES),
    params:
        seed=SIMULATION["seed"],
    script:
        "../../scripts/draw_simulated_faces.py"
