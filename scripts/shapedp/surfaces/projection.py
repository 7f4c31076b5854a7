"""Flatten an open surface: directions from inside it, then stereographic projection from behind."""

import numpy as np


def eye(frame):
    """The point inside the head from which the surface is seen: the fitted sphere's center, not nearer than twice its
    thickness and not farther than four, so that a nearly flat surface is seen from a finite distance."""
    behind = float((frame.centroid - frame.center) @ frame.axes[2])
    return frame.centroid - np.clip(behind, 2 * frame.extents[2], 4 * frame.extents[0]) * frame.axes[2]


def directions(points, origin):
    """Unit vectors from `origin` to points (n, 3), and the distances."""
    away = points - origin
    distance = np.linalg.norm(away, axis=1)
    return away / distance[:, None], distance


def stereographic(directions, frame):
    """(n, 2): directions d (n, 3) projected from the point opposite to the outward axis, (d.u, d.v)/(1 + d.w)."""
    along = directions @ frame.axes.T
    return along[:, :2] / (1 + along[:, 2:])
