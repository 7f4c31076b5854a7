"""Draw radial curves: the template by few and by many, and the coordinates of one curve over the cohort. Private."""

from pathlib import Path

import numpy as np

from shapedp import artifacts
from shapedp.chain import cohort
from shapedp.figures import face_means, style
from shapedp.runs.logs import logged

MOST = 100  # people whose curves are drawn


def draw_face_curves(curves_path, template_path, folder):
    """The curve whose coordinates are drawn is the one half way out."""
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        f, scale, count = source["f"], source["scale"], len(source["radii"])
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        rows = cohort.accepted_rows(stack)[:MOST]
        people = np.stack([stack.rows("curves", row, row + 1)[0, count // 2] for row in rows])
    words = "The template as a surface through J radial curves, each a closed curve around the nose tip."
    made = face_means.numbers_of_curves(scale * f, words)
    style.save(made, Path(folder) / "numbers_of_curves")
    words = (
        f"Curve {count // 2 + 1} of {count}, counted from the nose, at the template's size; counter-clockwise as one "
        "looks at the face. Registered faces have their features at the same angles. Private."
    )
    style.save(face_means.coordinate_curves(scale * people, words), Path(folder) / "coordinate_curves")


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_face_curves(snakemake.input.curves, snakemake.input.template, Path(snakemake.output[0]).parent)
