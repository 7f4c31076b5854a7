"""The nose tip of a face, from the face's own geometry alone."""

import numpy as np
from scipy.spatial import cKDTree

INNER, OUTER = 0.10, 0.17  # of the square root of the area: the ring that a nose stands out from
WIDE = 0.325  # of the same: the middle of the face, which says where the nose points
TIP = 0.08  # of the same: how far the tip may lie from the point that stands out most
RIM = 0.10  # of the same: candidates keep this distance from the boundary
CANDIDATES = 400


def find(points, frame, size, rim):
    """(index of the tip, confidence 0..1) of a face.

    points : (n, 3) vertices; frame : the scan's frame, its third axis outward; size : square root of the area
    rim : (b,) indices of the boundary vertices
    """
    tree = cKDTree(points)
    inside = cKDTree(points[rim]).query(points)[0] > RIM * size
    height = (points - frame.centroid) @ frame.axes[2]
    stand_out = np.full(len(points), -np.inf)
    coarse = np.flatnonzero(inside)[:: max(1, int(inside.sum()) // CANDIDATES)]
    stand_out[coarse] = [_stand_out(points, height, tree, i, size) for i in coarse]
    peak = int(np.argmax(stand_out))
    near = [i for i in tree.query_ball_point(points[peak], INNER * size) if inside[i]]
    stand_out[near] = [_stand_out(points, height, tree, i, size) for i in near]
    bump = int(np.argmax(stand_out))
    rivals = np.linalg.norm(points - points[bump], axis=1) > 2 * OUTER * size
    second = np.max(stand_out[rivals], initial=0.0)
    confidence = float(np.clip(1 - second / max(stand_out[bump], 1e-300), 0, 1))
    return _tip(points, tree, bump, size), confidence


def _tip(points, tree, bump, size):
    """The foremost point near the bump, seen along the line from the middle of the face to it.

    That line leans about 2 degrees below the direction of gaze, where the foremost point is the anatomical tip.
    """
    near = np.array(tree.query_ball_point(points[bump], TIP * size))
    tip = bump
    for _ in range(2):
        around = np.array(tree.query_ball_point(points[tip], WIDE * size))
        ring = around[np.linalg.norm(points[around] - points[tip], axis=1) > INNER * size]
        tip = int(near[np.argmax(points[near] @ (points[tip] - points[ring].mean(axis=0)))])
    return tip


def _stand_out(points, height, tree, i, size):
    """How far point i lies in front of the ring around it, in units of the face's size."""
    around = np.array(tree.query_ball_point(points[i], OUTER * size))
    away = np.linalg.norm(points[around] - points[i], axis=1)
    ring = around[away > INNER * size]
    return (height[i] - height[ring].mean()) / size if len(ring) > 8 else -np.inf
