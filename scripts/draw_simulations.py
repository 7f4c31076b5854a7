"""Draw the figures of the simulations: each is a function of simulated replicates."""

from pathlib import Path

from shapedp.figures import simulations_growth, simulations_kng, simulations_laplace, simulations_outlines, style
from shapedp.runs.logs import logged
from shapedp.simulation.results import Results

FIGURES = {
    "laplace_figure_1": simulations_laplace.figure_1,
    "laplace_figure_2": simulations_laplace.figure_2,
    "kng_figure_1": simulations_kng.figure_1,
    "kng_figure_2": simulations_outlines.figure_2,
    "kng_figure_3": simulations_outlines.figure_3,
    "growth_dimension": simulations_growth.dimension,
    "growth_rates": simulations_growth.rates,
    "chains": simulations_growth.chains,
}


def draw_simulations(cell_paths, picture_paths):
    """picture_paths : files named after FIGURES; each figure in each of the formats among them"""
    results = Results(cell_paths)
    formats = sorted({Path(path).suffix[1:] for path in picture_paths})
    for path in sorted({Path(path).with_suffix("") for path in picture_paths}):
        style.save(FIGURES[path.name](results), path, formats)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_simulations(snakemake.input.cells, snakemake.output)
