"""Draw the faces paper's Figures 4 to 6, 8 and 10 of 1,000 demo people; nobody's data, no release."""

from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from shapedp.figures import style
from shapedp.reproduction import curve_faces, drawn_faces
from shapedp.runs.logs import logged


def draw_simulated_faces(picture_paths, seed):
    """picture_paths : PNG files named after the paper's figures; an SVG stands beside each"""
    with threadpool_limits(1):
        faces, steps = curve_faces.faces(np.random.default_rng(seed)), curve_faces.steps()
    for path in picture_paths:
        style.save(drawn_faces.FIGURES[Path(path).stem](faces, steps), path)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_simulated_faces([path for path in snakemake.output if path.endswith(".png")], snakemake.params.seed)
