"""Draw the demo population of outlines and the public outline at its center."""

import numpy as np

from shapedp.demo import outlines
from shapedp.runs.logs import logged
from shapedp.storage import files


def make_demo_outlines(landmarks_path, count, seed):
    """X (n, 50, 2) in mm and the age (n,) that explains part of their differences."""
    landmarks, age = outlines.population(count, seed)
    with files.atomic(landmarks_path) as partial, partial.open("wb") as stream:
        np.savez(stream, X=landmarks, age=age)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        make_demo_outlines(snakemake.output.landmarks, **snakemake.params.demo)
