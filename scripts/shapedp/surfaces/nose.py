"""The nose tip of a face, from the face's own geometry alone."""

import numba
import numpy as np
from scipy.spatial import cKDTree

INNER, OUTER = 0.10, 0.17  # of the square root of the area: the ring that a nose stands out from
WIDE = 0.325  # of the same: the middle of the face, which says where the nose points
TIP = 0.08  # of the same: how far the tip may lie from the point that stands out most
RIM = 0.10  # of the same: candidates keep this distance from the boundary
LEAST = 3  # sectors of eight in which a nose must stand out, too: its bridge takes up two
CANDIDATES, RING_POINTS = 800, 1500  # at most so many each, evenly drawn, where the whole face is searched


def find(points, frame, size, rim):
    """(index of the tip, confidence 0..1) of a face.

    points : (n, 3) vertices; frame : the scan's frame, its third axis outward; size : square root of the area
    rim : (b,) indices of the boundary vertices
    """
    inside = cKDTree(points[rim]).query(points, distance_upper_bound=RIM * size)[0] > RIM * size
    seen = (points - frame.centroid) @ frame.axes.T
    stand_out = np.full(len(points), -np.inf)
    coarse = _spread(np.flatnonzero(inside), CANDIDATES)
    stand_out[coarse] = _stand_out(seen[coarse], _spread(seen, RING_POINTS), size)
    away = _distance(points, int(np.argmax(stand_out)))
    near = np.flatnonzero(inside & (away <= INNER * size))
    stand_out[near] = _stand_out(seen[near], seen[away <= (INNER + OUTER) * size], size)
    bump = near[np.argmax(stand_out[near])]
    second = np.max(stand_out[_distance(points, bump) > 2 * OUTER * size], initial=0.0)
    confidence = float(np.clip(1 - second / max(stand_out[bump], 1e-300), 0, 1))
    return _tip(points, bump, size), confidence


def _spread(rows, most):
    """Every k-th row, so that no more than `most` are left: the rows come by distance from the centroid."""
    return rows[:: 1 + len(rows) // most]


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
def _stand_out(tips, points, size):
    """How far each tip lies in front of its surroundings: the ring of points at INNER to OUTER sizes from it.

    The ring is cut into eight sectors, and of their mean depths below the tip the LEAST smallest are averaged. So a tip
    counts that stands out on every side, as a nose does; a chin or the edge of a forehead has sides where it does not.
    -inf where the ring has hardly any points.

    tips, points : (m, 3) and (n, 3), the third axis outward
    """
    result = np.full(len(tips), -np.inf)
    inner, outer = (INNER * size) ** 2, (OUTER * size) ** 2
    for i in range(len(tips)):
        total, count = np.zeros(8), np.zeros(8)
        for j in range(len(points)):
            x, y, z = points[j, 0] - tips[i, 0], points[j, 1] - tips[i, 1], tips[i, 2] - points[j, 2]
            square = x * x + y * y + z * z
            if inner < square <= outer:
                sector = 4 * (x > 0) + 2 * (y > 0) + (abs(x) > abs(y))
                total[sector] += z
                count[sector] += 1
        if count.sum() > 8:
            result[i] = np.sort(total[count > 0] / count[count > 0])[:LEAST].mean()
    return result
