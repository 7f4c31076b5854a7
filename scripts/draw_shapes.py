"""Draw the KNG paper's pictures for these records: sample outlines, their mean, releases by mechanism. Private."""

import numpy as np

from shapedp import artifacts
from shapedp.accuracy import shape_comparison as comparison
from shapedp.figures import shape_comparisons, shape_samples, style
from shapedp.manifolds.kendall import Kendall
from shapedp.mechanisms.shape_mechanisms import Shapes
from shapedp.runs.logs import logged, progress

SHOWN, RELEASES = 40, 6  # records, releases a panel
BANDWIDTH = 0.015  # of the contour: moves the public template by .018 rad, about as much as 16 modes do (.020)


def draw_shapes(shapes_path, mean_path, outlines_path, releases_path, radius, modes):
    """Two figures; landmarks that are no contour (modes = 0) are neither joined up nor smoothed."""
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        shapes = Shapes(source["z"], source["center"], radius, modes)
        ok = source["ok"].astype(bool)
    with artifacts.reader(mean_path, artifacts.MEAN_SHAPE) as source:
        mean = Kendall(len(shapes.p0)).align(shapes.p0, source["mean"])
        distances = source["distances"]
    closed = modes > 0
    turned = Kendall(len(mean)).align(mean, shapes.z[ok])
    style.save(shape_samples.sample(_planes(turned[:SHOWN]), _planes(mean), distances, closed), outlines_path)
    words = f"{RELEASES} seeded releases each over the true mean (black); {shapes.n} records, r = {radius:.3g} rad."
    style.save(shape_comparisons.releases(_panels(shapes, closed), _planes(mean), words, closed), releases_path)


def _panels(shapes, closed):
    """{(row, mechanism): releases (RELEASES, k, 2)}."""
    rows = {"all landmarks": (0, None)}
    if closed:
        rows |= {"smoothed": (0, BANDWIDTH), f"{shapes.modes} modes": (shapes.modes, None)}
    panels = {
        (row, name): (name, modes, bandwidth)
        for row, (modes, bandwidth) in rows.items()
        for name in (*comparison.ON_SHAPES, *(() if modes else comparison.POINTWISE))
    }
    return {
        place: _planes(comparison.draws(name, shapes, modes, RELEASES, bandwidth))
        for place, (name, modes, bandwidth) in progress(panels.items(), len(panels), "draw_shapes")
    }


def _planes(z):
    return np.stack([z.real, z.imag], axis=-1)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_shapes(
            snakemake.input.shapes,
            snakemake.input.mean,
            snakemake.output.outlines[0],
            snakemake.output.releases[0],
            **snakemake.params.shapes,
        )
