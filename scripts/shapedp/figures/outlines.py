"""A shape drawn on axes: in the plane, or in space from in front and from the side."""

from dataclasses import dataclass

import numpy as np
from matplotlib.collections import LineCollection

from shapedp.figures import style

NARROWEST = 0.6  # width of a panel over its height
IN_FRONT, FROM_THE_SIDE = (0, 1), (2, 1)  # coordinates across and up


@dataclass(frozen=True)
class Look:
    """closed : whether landmarks follow a closed contour; links : ((from, to), ...) numbers of landmarks, from 1."""

    closed: bool
    links: list


def views(dimensions):
    """{what a panel's title adds: (across, up)} of shapes with that many coordinates."""
    if dimensions == 2:
        return {"": IN_FRONT}
    return {", in front": IN_FRONT, ", from the side": FROM_THE_SIDE}


def draw(axes, landmarks, look, **drawn):
    """Landmarks (k, 2) on matplotlib axes, at equal scale; closed outlines are joined up, others along their links:
    the order of landmarks is no path.
    """
    points = np.vstack([landmarks, landmarks[:1]]) if look.closed else landmarks
    joined = {} if look.closed else {"linestyle": "none"}
    drawn = {"color": style.COLOURS["blue"], "marker": ".", **drawn}
    axes.plot(*points.T, **{**drawn, **joined})
    ends = [landmarks[[start - 1, stop - 1]] for start, stop in look.links]
    lines = {"colors": drawn["color"], "linewidths": drawn.get("linewidth", 1.0), "alpha": drawn.get("alpha")}
    axes.add_collection(LineCollection(ends, **lines))
    axes.set_aspect("equal")


def frame(axes, points, margin):
    """Show points (..., 2) about 0 whole, whether wide or tall; margin : factor on their extent."""
    wide, tall = margin * np.abs(points.reshape(-1, 2)).max(axis=0)
    wide = max(wide, NARROWEST * tall)  # room for the numbers below
    axes.set_xlim(-wide, wide)
    axes.set_ylim(-tall, tall)
