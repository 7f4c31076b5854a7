"""A planar shape drawn on axes."""

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
