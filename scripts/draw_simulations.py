"""Draw the figures of the simulations: of simulated replicates, or of the mean faces of demo people."""

from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from shapedp.base.runs.logs import logged
from shapedp.releases.figures import style
from shapedp.reproduction import cells, curve_faces, drawn_faces, drawn_regression, drawn_spaces, experiments
from shapedp.reproduction.cells import Results

FIGURES = cells.find_functions(
    (*experiments.FIGURES, *experiments.CURVE_FIGURES), drawn_spaces, drawn_faces, drawn_regression
)
FACES = cells.find_functions(experiments.FACE_PICTURES, drawn_faces)


def draw_simulations(cell_paths, picture_paths):
    """Draw the papers' figures from simulated replicates.

    picture_paths : files named after FIGURES; each figure in each of the formats among them
    """
    results = Results(cell_paths)
    formats = sorted({Path(path).suffix[1:] for path in picture_paths})
    for path in sorted({Path(path).with_suffix("") for path in picture_paths}):
        style.save(FIGURES[path.name](results), path, formats)


def draw_simulated_faces(picture_paths, seed):
    """Draw the faces paper's figures again for 1,000 demo people: their mean face, plain and with each method's noise.

    These are Figures 4 to 6 and 8; Figure 10 shows the way of one face to that mean.

    picture_paths : PNG files named after the paper's figures; an SVG stands beside each
    """
    with threadpool_limits(1):
        faces, steps = curve_faces.make_faces(np.random.default_rng(seed)), curve_faces.make_steps()
    for path in picture_paths:
        style.save(FACES[Path(path).stem](faces, steps), path)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        if simulated := snakemake.input.get("cells"):
            draw_simulations(simulated, snakemake.output)
        else:
            draw_simulated_faces([path for path in snakemake.output if path.endswith(".png")], snakemake.params.seed)
