"""Draw the KNG paper's pictures for these records: sample outlines, their mean, releases by mechanism. Private."""

from shapedp import artifacts
from shapedp.figures import shapes, style
from shapedp.forecast import comparison
from shapedp.manifolds import landmark_shapes
from shapedp.mechanisms.shapes import base
from shapedp.mechanisms.shapes.base import as_real
from shapedp.runs.logs import logged, progress

SHOWN, RELEASES = 40, 6  # records, releases a panel
BANDWIDTH = 0.015  # of the contour: moves the public template by .018 rad, about as much as 16 modes do (.020)


def draw_shapes(shapes_path, mean_path, outlines_path, releases_path, links=(), **settings):
    """Two figures; landmarks that are no contour (modes = 0) are joined along links only, and not smoothed."""
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        ok = source["ok"].astype(bool)
    z, ball = base.read_cohort(shapes_path, **settings)
    with artifacts.reader(mean_path, artifacts.MEAN_SHAPE) as source:
        mean = landmark_shapes.align(as_real(ball.p0), source["mean"])
        distances = source["distances"]
    look = shapes.Look(ball.modes > 0, links)
    turned = landmark_shapes.align(mean, as_real(z[ok]))
    style.save(shapes.sample(turned[:SHOWN], mean, distances, look), outlines_path)
    words = f"{RELEASES} seeded releases each over the true mean (black); {ball.n} records, r = {ball.r:.3g} rad."
    p0 = None if ball.nothing_public else ball.p0
    panels = _panels(z, ball, look.closed) | comparison.drawn_without_noise(z, p0, mean, RELEASES)
    style.save(shapes.releases(panels, mean, words, look), releases_path)


def _panels(z, ball, closed):
    """{(row, mechanism): releases (RELEASES, k, d)}."""
    rows = {"all landmarks": (0, None)}
    if closed:
        rows |= {"smoothed": (0, BANDWIDTH), f"{ball.modes} modes": (ball.modes, None)}
    panels = {
        (row, one.name): (one, bandwidth)
        for row, (modes, bandwidth) in rows.items()
        for one in comparison.compared(ball)
        if one.ball.modes == modes
    }
    return {
        place: as_real(comparison.draws(one, z, RELEASES, bandwidth))
        for place, (one, bandwidth) in progress(panels.items(), len(panels), "draw_shapes")
    }


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_shapes(
            snakemake.input.shapes,
            snakemake.input.mean,
            snakemake.output.outlines[0],
            snakemake.output.releases[0],
            links=snakemake.params.links,
            **snakemake.params.shapes,
        )
