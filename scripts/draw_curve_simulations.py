"""Draw the figures of the simulated mean faces."""

from pathlib import Path

from shapedp.figures import curve_simulations, style
from shapedp.runs.logs import logged
from shapedp.simulation.results import Results

FIGURES = {
    "curve_errors_people": curve_simulations.error_against_people,
    "curve_errors_budget": curve_simulations.error_against_budget,
    "curve_table": curve_simulations.table,
    "curve_smoothing": curve_simulations.smoothing,
}


def draw_curve_simulations(cell_paths, picture_paths):
    """picture_paths : PNG files named after FIGURES; an SVG stands beside each"""
    results = Results(cell_paths)
    for path in picture_paths:
        style.save(FIGURES[Path(path).stem](results), path)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_curve_simulations(snakemake.input.cells, [path for path in snakemake.output if path.endswith(".png")])
