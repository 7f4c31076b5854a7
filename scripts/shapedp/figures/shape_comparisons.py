"""Pictures that compare the mechanisms for a mean shape: releases over the true mean, and their distances to it."""

import numpy as np

from shapedp.figures import outlines, style
from shapedp.mechanisms.shape_mechanisms import MECHANISMS

REACH = 1.6  # of a panel, in extents of the mean
COLUMNS, WIDTH, LETTERING = 4, 1.4, 0.6  # panels a line; inches: width of one, height of the words about it


def releases(panels, mean, words, look):
    """A Figure of releases in colour over the mean (k, d) in black, one scale, one panel a mechanism, basis and view.

    panels : {(basis, mechanism, or a row without noise): (s, k, d)}
    """
    caption = (
        f"{words} 'Aligned' and 'unaligned' are the published forms, which are not private. Sampling error: means of "
        "as many records drawn again from these. Private."
    )
    shown = [(*one, view) for one in panels.items() for view in outlines.views(mean.shape[1]).items()]
    most = np.ptp(mean, axis=0)
    with style.applied():
        high = WIDTH * min(most[1] / most[0], 1 / outlines.NARROWEST) + LETTERING
        rows = -(-len(shown) // COLUMNS)
        made = style.figure("page", high * rows + 0.9, caption)
        grid = made.subplots(rows, COLUMNS, squeeze=False)
        for axes, ((basis, name), drawn, (seen, view)) in zip(grid.flat, shown, strict=False):
            _panel(axes, drawn[..., view], mean[:, view], look)
            label = MECHANISMS[name].label if name in MECHANISMS else name
            axes.set_title(f"{label}\n{basis}{seen}", fontsize=7)
            axes.set_xlabel(f"{'xyz'[view[0]]} (unit size)", fontsize=7)
        for axes in grid.flat[len(shown) :]:
            axes.set_visible(False)
        for axes in grid[:, 0]:
            axes.set_ylabel("y (unit size)", fontsize=7)
    return made


def _panel(axes, drawn, mean, look):
    outlines.frame(axes, mean, REACH)
    axes.locator_params(nbins=3)
    axes.tick_params(labelsize=6)
    marker = "" if look.closed else "."
    for outline, colour in zip(drawn, style.COLOURS.values(), strict=False):
        outlines.draw(axes, outline, look, color=colour, linewidth=0.6, marker=marker, markersize=2, alpha=0.8)
    outlines.draw(axes, mean, look, color=style.COLOURS["black"], linewidth=0.8, marker=marker, markersize=2)


def distances(rows, apart, words):
    """A Figure of mean distances to the true mean, two standard errors either side; rows : of the comparison.

    apart : mean distance of the records themselves from their mean
    """
    caption = f"Mean distance of a release from the true mean, with two standard errors. {words} Private."
    with style.applied():
        made = style.figure("page", 0.26 * len(rows) + 1.3, caption)
        axes = made.subplots()
        places = np.arange(len(rows))[::-1]
        for row, place in zip(rows, places, strict=True):
            private = not row["guarantee"].startswith("none")
            colour = style.COLOURS["blue" if private else "vermilion"]
            axes.errorbar(row["distance"], place, xerr=2 * row["distance_se"], fmt="o", color=colour, capsize=3)
        axes.axvline(apart, color=style.COLOURS["black"], linestyle="--", linewidth=1)
        axes.annotate("records from their mean", (apart, places[0] + 0.5), xytext=(3, 0), textcoords="offset points")
        axes.set_yticks(places, [_label(row) for row in rows])
        axes.set_ylim(-0.7, len(rows))
        axes.set_xlim(0, None)
        axes.set_xlabel(style.label("distance from the true mean", "rad"))
    return made


def _label(row):
    name = row["mechanism"]
    return f"{MECHANISMS[name].label}, {row['basis']}; {row['guarantee']}" if name in MECHANISMS else name
