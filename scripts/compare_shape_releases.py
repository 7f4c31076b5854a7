"""Compare the mechanisms for a mean shape on these records: distance to the true mean, and self-crossings. Private.

Seeded noise, so the table repeats; it spends nothing because it is not published. Pure releases have epsilon = 1; the
Gaussian one has the mu whose (epsilon, delta) curve passes through (1, 1e-6).
"""

import numpy as np

from shapedp import artifacts, files
from shapedp.figures import outlines, style
from shapedp.logs import logged, progress
from shapedp.manifolds.kendall import Kendall
from shapedp.mechanisms import contour, conversions, noise, shape_mechanisms

DRAWS, SHOWN, SEED = 200, 6, 409
EPSILON, DELTA = 1.0, 1e-6
COLUMNS = ("mechanism", "modes", "guarantee", "distance", "distance_se", "crossings", "share_without_crossings")


def compare_shape_releases(shapes_path, mean_path, table_path, picture_path, radius, modes):
    """One row a mechanism and basis; the point-wise baseline once in its private and once in its published form."""
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        z, p0 = source["z"], source["center"]
    with artifacts.reader(mean_path, artifacts.MEAN_SHAPE) as source:
        mean = Kendall(len(p0)).align(p0, source["mean"])
    mu = conversions.gdp_mu(EPSILON, DELTA)
    bases = sorted({0, modes})
    asked = [(name, p) for name in ("gaussian", "laplace", "kng") for p in bases]
    asked += [(name, 0) for name in ("pointwise_laplace", *shape_mechanisms.PUBLISHED)]
    lines, panels = ["\t".join(COLUMNS)], []
    for name, p in progress(asked, len(asked), "compare_shape_releases"):
        shapes = shape_mechanisms.Shapes(z, p0, radius, p)
        budget = {"mu_total": mu} if name == "gaussian" else {"epsilon": EPSILON}
        source = noise.SeededNoise(SEED)
        drawn = np.array([shape_mechanisms.release(name, shapes, budget, source) for _ in range(DRAWS)])
        lines.append("\t".join(map(str, _row(name, p, mu, mean, drawn))))
        if p == (0 if name.startswith("pointwise") else modes):
            panels.append((name.replace("pointwise_laplace", "point-wise"), _planes(drawn[:SHOWN]), _planes(mean)))
    files.write_text(table_path, "\n".join(lines) + "\n")
    words = (
        f"{SHOWN} seeded releases each over the true mean (black); {len(z)} records, r = {radius:.3g} rad, p = {modes}."
    )
    style.save(outlines.side_by_side(panels, words), picture_path)


def _row(name, p, mu, mean, drawn):
    distance = Kendall(mean.shape[-1]).dist(mean, drawn)
    crossings = contour.crossings(drawn)
    words = "none (as published)" if name in shape_mechanisms.PUBLISHED else f"epsilon = {EPSILON:g}"
    words = f"mu = {mu:.4g}: ({EPSILON:g}, {DELTA:g})" if name == "gaussian" else words
    error = distance.std(ddof=1) / np.sqrt(len(distance))
    figures = (f"{value:.4g}" for value in (distance.mean(), error, crossings.mean(), np.mean(crossings == 0)))
    return (name, p, words, *figures)


def _planes(z):
    return np.stack([z.real, z.imag], axis=-1)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        compare_shape_releases(
            snakemake.input.shapes,
            snakemake.input.mean,
            snakemake.output.table,
            snakemake.output.picture,
            **snakemake.params.shapes,
        )
