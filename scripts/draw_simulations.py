"""Draw the figures of the simulations: each is a function of simulated replicates."""

from pathlib import Path

from shapedp.figures import style
from shapedp.reproduction import drawn_faces, drawn_spaces
from shapedp.reproduction.cells import Results
from shapedp.runs.logs import logged

FIGURES = {
    "laplace_figure_1": drawn_spaces.laplace_figure_1,
    "laplace_figure_2": drawn_spaces.laplace_figure_2,
    "kng_figure_1": drawn_spaces.kng_figure_1,
    "kng_figure_2": drawn_spaces.kng_figure_2,
    "kng_figure_3": drawn_spaces.kng_figure_3,
    "growth_dimension": drawn_spaces.dimension,
    "growth_rates": drawn_spaces.rates,
    "chains": drawn_spaces.chains,
    "curve_errors_people": drawn_faces.error_against_people,
    "curve_errors_budget": drawn_faces.error_against_budget,
    "curve_table": drawn_faces.table,
    "curve_smoothing": drawn_faces.smoothing,
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
