"""Pictures of planar shapes: a released mean, and releases side by side."""

import numpy as np

from shapedp.figures import style

COLUMNS = 3  # panels side by side


def draw(axes, landmarks, closed=True, **look):
    """One outline (k, 2) on matplotlib axes, at equal scale; closed outlines are joined up."""
    points = np.vstack([landmarks, landmarks[:1]]) if closed else landmarks
    axes.plot(*points.T, **{"color": style.COLOURS["blue"], "marker": ".", **look})
    axes.set_aspect("equal")


def released(landmarks, reach, closed):
    """A Figure of a released mean shape; reach : root mean square distance of the noise in radian, or NaN."""
    words = f"noise moves the whole shape by {reach:.3g} rad (rms)" if np.isfinite(reach) else "noise size withheld"
    caption = f"Released mean shape, noise included; size 1, turned to the public centre; {words}."
    with style.applied():
        made = style.figure("column", 3.0, caption)
        axes = made.subplots()
        draw(axes, landmarks, closed)
        axes.set_xlabel(style.label("x", "1, unit size"))
        axes.set_ylabel(style.label("y", "1, unit size"))
    return made


def side_by_side(panels, caption):
    """A Figure with one panel a (title, [outlines], mean): releases in colour over the mean in black, one scale."""
    rows = -(-len(panels) // COLUMNS)
    reach = 1.6 * max(np.abs(mean).max() for _, _, mean in panels)
    with style.applied():
        made = style.figure("page", 1.7 * rows + 0.4, caption)
        grid = made.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False)
        for axes, (title, drawn, mean) in zip(grid.ravel(), panels, strict=False):
            for outline in drawn:
                draw(axes, outline, linewidth=0.6, marker="", alpha=0.8)
            draw(axes, mean, color=style.COLOURS["black"], linewidth=0.8, marker="")
            axes.set_xlim(-reach, reach)
            axes.set_ylim(-0.6 * reach, 0.6 * reach)
            axes.set_title(title.replace("_", " "), fontsize=8)
        for axes in grid[-1]:
            axes.set_xlabel("x (unit size)")
        for axes in grid[:, 0]:
            axes.set_ylabel("y (unit size)")
    return made
