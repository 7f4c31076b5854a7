"""A planar shape drawn on axes, and the picture of a released mean."""

import numpy as np

from shapedp.figures import style

NARROWEST = 0.6  # width of a panel over its height


def draw(axes, landmarks, closed=True, **look):
    """Landmarks (k, 2) on matplotlib axes, at equal scale; closed outlines are joined up, other landmarks never: their
    order is no path.
    """
    points = np.vstack([landmarks, landmarks[:1]]) if closed else landmarks
    joined = {} if closed else {"linestyle": "none"}
    axes.plot(*points.T, **{"color": style.COLOURS["blue"], "marker": ".", **look, **joined})
    axes.set_aspect("equal")


def frame(axes, points, margin):
    """Show points (..., 2) about 0 whole, whether wide or tall; margin : factor on their extent."""
    wide, tall = margin * np.abs(points.reshape(-1, 2)).max(axis=0)
    wide = max(wide, NARROWEST * tall)  # room for the numbers below
    axes.set_xlim(-wide, wide)
    axes.set_ylim(-tall, tall)


def released(landmarks, reach, closed):
    """A Figure of a released mean shape; reach : root mean square distance of the noise in radian, or NaN."""
    words = f"noise moves the whole shape by {reach:.3g} rad (rms)" if np.isfinite(reach) else "noise size withheld"
    caption = f"Released mean shape, noise included; size 1, turned to the public center; {words}."
    with style.applied():
        made = style.figure("column", 3.0, caption)
        axes = made.subplots()
        draw(axes, landmarks, closed)
        axes.set_xlabel(style.label("x", "1, unit size"))
        axes.set_ylabel(style.label("y", "1, unit size"))
    return made
