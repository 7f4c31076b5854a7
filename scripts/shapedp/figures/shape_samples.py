"""Pictures of the records themselves, and of their mean: private."""

import matplotlib
import numpy as np

from shapedp.figures import outlines, style

MARGIN = 1.1  # of the axes, in extents of what they show


def sample(drawn, mean, distances, look):
    """A Figure: shapes (n, k, d) in colours, each in its own; the mean (k, d); all distances (n,) to it in rad."""
    caption = (
        f"{len(drawn)} of {len(distances)} records turned to their mean, the mean itself with its landmarks, and how "
        "far each record lies from it. Shapes are centered and of size 1. Private."
    )
    views = outlines.views(mean.shape[1])
    with style.applied():
        made = style.figure("page", 2.6 * len(views), caption)
        grid = made.subplots(len(views), 3, width_ratios=(1.2, 1.2, 1), squeeze=False)
        for (title, view), (records, middle, _) in zip(views.items(), grid, strict=True):
            _records(records, drawn[..., view], look)
            outlines.draw(middle, mean[:, view], look, color=style.COLOURS["black"], linewidth=1.0, markersize=3)
            for axes, name in ((records, "records"), (middle, "mean")):
                axes.set_title(name + title)
                axes.set_xlabel(style.label("xyz"[view[0]], "1, unit size"))
                outlines.frame(axes, np.concatenate([drawn, mean[None]])[..., view], MARGIN)
            records.set_ylabel(style.label("y", "1, unit size"))
        _distances(grid[0, 2], distances)
        for axes in grid[1:, 2]:
            axes.set_visible(False)
    return made


def _records(axes, drawn, look):
    shades = matplotlib.colormaps[style.SEQUENTIAL](np.linspace(0, 0.95, len(drawn)))
    for outline, shade in zip(drawn, shades, strict=True):
        outlines.draw(axes, outline, look, color=shade, linewidth=0.6, marker="" if look.closed else ".", markersize=2)


def _distances(axes, distances):
    axes.hist(distances, bins="fd", color=style.COLOURS["blue"])
    axes.set_title("distances")
    axes.set_xlabel(style.label("from the mean", "rad"))
    axes.set_ylabel(style.label("records", "count"))
