"""A planar shape drawn on axes, and the picture of a released mean."""

import numpy as np

from shapedp.figures import style


def draw(axes, landmarks, closed=True, **look):
    """One outline (k, 2) on matplotlib axes, at equal scale; closed outlines are joined up."""
    points = np.vstack([landmarks, landmarks[:1]]) if closed else landmarks
    axes.plot(*points.T, **{"color": style.COLOURS["blue"], "marker": ".", **look})
    axes.set_aspect("equal")


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
