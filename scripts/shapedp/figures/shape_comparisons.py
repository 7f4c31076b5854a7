"""Pictures that compare the mechanisms for a mean shape: releases over the true mean, and their distances to it."""

import numpy as np

from shapedp.figures import outlines, style
from shapedp.mechanisms.shape_mechanisms import MECHANISMS

REACH = 1.6  # of a panel, in extents of the mean


def releases(panels, mean, words, closed):
    """A Figure of releases in colour over the mean in black, one scale, one column a mechanism.

    panels : {(row, mechanism): (s, k, 2)}; rows and columns in the order they are found, each column without gaps
    """
    rows, columns = (list(dict.fromkeys(place[axis] for place in panels)) for axis in (0, 1))
    caption = f"{words} 'Aligned' and 'unaligned' are the published forms, which are not private. Private."
    with style.applied():
        made = style.figure("page", 0.9 * len(rows) + 1.1, caption)
        grid = made.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
        for (row, name), drawn in panels.items():
            _panel(grid[rows.index(row), columns.index(name)], drawn, mean, closed)
        for column, name in enumerate(columns):
            grid[0, column].set_title(MECHANISMS[name].label.replace(", ", ",\n"), fontsize=8)
            used = [axes for row, axes in zip(rows, grid[:, column], strict=True) if (row, name) in panels]
            used[-1].set_xlabel("x (unit size)", fontsize=7)
            used[-1].tick_params(labelbottom=True)
            for axes in grid[len(used) :, column]:
                axes.set_visible(False)
        for row, axes in zip(rows, grid[:, 0], strict=True):
            axes.set_ylabel(f"{row}\ny (unit size)", fontsize=7)
    return made


def _panel(axes, drawn, mean, closed):
    outlines.frame(axes, mean, REACH)
    axes.locator_params(nbins=3)
    marker = "" if closed else "."
    for outline, colour in zip(drawn, style.COLOURS.values(), strict=False):
        outlines.draw(axes, outline, closed, color=colour, linewidth=0.6, marker=marker, markersize=2, alpha=0.8)
    outlines.draw(axes, mean, closed, color=style.COLOURS["black"], linewidth=0.8, marker=marker, markersize=2)


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
