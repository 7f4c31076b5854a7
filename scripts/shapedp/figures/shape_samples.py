"""Pictures of the records themselves, and of their mean: private."""

import matplotlib
import numpy as np

from shapedp.figures import outlines, style

MARGIN = 1.1  # of the axes, in extents of what they show


def sample(drawn, mean, distances, closed):
    """A Figure: outlines (n, k, 2) in colours, each in its own; the mean; all distances (n,) to it in rad."""
    caption = (
        f"{len(drawn)} of {len(distances)} records turned to their mean, the mean itself with its landmarks, and how "
        "far each record lies from it. Shapes are centered and of size 1. Private."
    )
    with style.applied():
        made = style.figure("page", 2.6, caption)
        records, middle, spread = made.subplots(1, 3, width_ratios=(1.2, 1.2, 1))
        shades = matplotlib.colormaps[style.SEQUENTIAL](np.linspace(0, 0.95, len(drawn)))
        for outline, shade in zip(drawn, shades, strict=True):
            outlines.draw(records, outline, closed, color=shade, linewidth=0.6, marker="" if closed else ".")
        outlines.draw(middle, mean, closed, color=style.COLOURS["black"], linewidth=1.0, markersize=3)
        for axes, title in ((records, "records"), (middle, "mean")):
            axes.set_title(title)
            axes.set_xlabel(style.label("x", "1, unit size"))
            outlines.frame(axes, np.concatenate([drawn, mean[None]]), MARGIN)
        records.set_ylabel(style.label("y", "1, unit size"))
        spread.hist(distances, bins="fd", color=style.COLOURS["blue"])
        spread.set_title("distances")
        spread.set_xlabel(style.label("from the mean", "rad"))
        spread.set_ylabel(style.label("records", "count"))
    return made
