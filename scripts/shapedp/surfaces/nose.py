"""The nose tip of a face, from the face's own geometry alone."""

import numba
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
    inside = cKDTree(points[rim]).query(points)[0] > RIM * size
    height = (points - frame.centroid) @ frame.axes[2]
    stand_out = np.full(len(points), -np.inf)
    coarse = np.flatnonzero(inside)[:: max(1, int(inside.sum()) // CANDIDATES)]
    stand_out[coarse] = _stand_out(points, height, coarse, INNER * size, OUTER * size)
    peak = int(np.argmax(stand_out))
    near = np.flatnonzero(inside & (_distance(points, peak) <= INNER * size))
    stand_out[near] = _stand_out(points, height, near, INNER * size, OUTER * size)
    bump = int(np.argmax(stand_out))
    second = np.max(stand_out[_distance(points, bump) > 2 * OUTER * size], initial=0.0)
    confidence = float(np.clip(1 - second / max(stand_out[bump], 1e-300), 0, 1))
    return _tip(points, bump, size), confidence


def _distance(points, i):
    return np.linalg.norm(points - points[i], axis=1)


def _tip(points, bump, size):
    """The foremost point near the bump, seen along the line from the middle of the face to it.

    That line leans about 2 degrees below the direction of gaze, where the foremost point is the anatomical tip.
    """
    near = np.flatnonzero(_distance(points, bump) <= TIP * size)
    tip = bump
    for _ in range(2):
        away = _distance(points, tip)
        middle = points[(away > INNER * size) & (away <= WIDE * size)].mean(axis=0)
        tip = int(near[np.argmax(points[near] @ (points[tip] - middle))])
    return tip


@numba.njit(cache=True)
def _stand_out(points, height, candidates, inner, outer):
    """How far each candidate lies in front of the ring of points at distance inner to outer; -inf if that is empty."""
    result = np.empty(len(candidates))
    for place, i in enumerate(candidates):
        total, count = 0.0, 0
        for j in range(len(points)):
            x, y, z = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1], points[j, 2] - points[i, 2]
            square = x * x + y * y + z * z
            if inner * inner < square <= outer * outer:
                total += height[j]
                count += 1
        result[place] = height[i] - total / count if count > 8 else -np.inf
    return result
