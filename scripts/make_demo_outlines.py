"""Draw the demo population of outlines and the public outline at its centre."""

import numpy as np

from shapedp import files
from shapedp.demo import outlines
from shapedp.logs import logged


def make_demo_outlines(landmarks_path, count, seed):
    """X (n, 50, 2) in mm and the age (n,) that explains part of their differences."""
    landmarks, age = outlines.population(count, seed)
    with files.atomic(landmarks_path) as partial, partial.open("wb") as stream:
        np.savez(stream, X=landmarks, age=age)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        make_demo_outlines(snakemake.output.landmarks, **snakemake.params.demo)
