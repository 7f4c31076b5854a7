"""Draw people for the demo and scan them, or draw outlines, by the name of the rule."""

from pathlib import Path

import numpy as np

from shapedp.base.runs.logs import logged
from shapedp.base.storage import files


def make_demo_scans(sheet_path, demo):
    """Write invented people's scans beside their sample sheet, on which anybody can try a run.

    They have several formats, random pose, noise, holes, some broken.

    demo : count, bad, seed, camera, word: whose people are drawn; later: years to a second scan of each, or None
    """
    from shapedp.surfaces.subjects import drawn

    demo_settings = {name: demo[name] for name in ("bad", "word", "camera", "later")}
    drawn.make_scans(Path(sheet_path).parent, demo["count"], demo["seed"], **demo_settings)


def make_demo_outlines(landmarks_path, count, seed):
    """Write invented outlines X (n, 50, 2) in mm, and the age (n,) that explains part of their differences.

    On them anybody can try releases of landmarks.
    """
    from shapedp.landmarks import outlines

    landmarks, age = outlines.population(count, seed)
    with files.atomic(landmarks_path) as partial, partial.open("wb") as stream:
        np.savez(stream, X=landmarks, age=age)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        match snakemake.params.step:
            case "make_demo_scans":
                make_demo_scans(snakemake.output.sheet, snakemake.params.demo)
            case "make_demo_outlines":
                make_demo_outlines(snakemake.output.landmarks, **snakemake.params.demo)
