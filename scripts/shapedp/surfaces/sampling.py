"""Read a mesh's values at the points of the polar grid, through the triangles of its disk map.

scipy's interpolators build a triangulation of their own and are wrong where it differs; point-location trees are an
order slower than walking over the triangles, since the grid's points in a triangle's bounding sector are known at once.
"""

import numba
import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import polar

SLACK = 1e-9  # barycentric, and in steps of the grid; a point on an edge belongs to both triangles


def sample(vertices, triangles, z, rings, angles):
    """f (R, T, 3): linear interpolation of the vertices in the triangles of z at the grid's points.

    The boundary is a polygon inside the circle: r_max = cos(largest gap / 2) counts as r = 1.
    """
    inner = reach(z, triangles)
    inside, weights = locate(z / inner, triangles, rings, angles)
    if np.any(inside < 0):
        raise Rejected("uncovered_disk", f"{np.sum(inside < 0)} points of the polar grid lie in no triangle of the map")
    return np.einsum("rtk,rtkc->rtc", weights, vertices[triangles[inside]])


def reach(z, triangles):
    """The radius within which the map's polygon covers the disk."""
    corners = z[triangles]
    on_circle = np.abs(z) > 1 - 1e-9
    rim = np.sort(np.angle(z[on_circle]))
    if len(rim) < 3 or len(corners) == 0:
        raise Rejected("uncovered_disk", f"only {len(rim)} vertices of the map lie on the unit circle")
    gap = np.diff(np.append(rim, rim[0] + 2 * np.pi)).max()
    return np.cos(gap / 2)


def locate(z, triangles, rings, angles):
    """(R, T) triangle of each grid point, -1 where there is none; and its barycentric weights (R, T, 3)."""
    x, y = np.ascontiguousarray(z.real), np.ascontiguousarray(z.imag)
    return _rasterise(x, y, triangles, polar.radii(rings), rings, angles)


@numba.njit(cache=True)
def _rasterise(x, y, triangles, radii, rings, angles):
    inside = np.full((rings, angles), -1, dtype=np.int64)
    weights = np.zeros((rings, angles, 3))
    turn = 2 * np.pi / angles
    cos, sin = np.cos(turn * np.arange(angles)), np.sin(turn * np.arange(angles))
    for t in range(len(triangles)):
        a, b, c = triangles[t]
        ax, ay, bx, by, cx, cy = x[a], y[a], x[b], y[b], x[c], y[c]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area <= 0:
            continue
        first, last, start, count = _sector(ax, ay, bx, by, cx, cy, rings, angles)
        for i in range(first, last + 1):
            for step in range(count):
                k = (start + step) % angles
                if inside[i, k] >= 0:
                    continue
                px, py = radii[i] * cos[k], radii[i] * sin[k]
                wa = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / area
                wb = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / area
                wc = 1 - wa - wb
                if wa >= -SLACK and wb >= -SLACK and wc >= -SLACK:
                    inside[i, k] = t
                    weights[i, k, 0], weights[i, k, 1], weights[i, k, 2] = wa, wb, wc
    return inside, weights


@numba.njit(cache=True)
def _sector(ax, ay, bx, by, cx, cy, rings, angles):
    """First and last ring, first angle and number of angles of the grid points that may lie in a triangle."""
    outer = np.sqrt(max(ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy))
    holds_pole = ax * by - ay * bx >= -SLACK and bx * cy - by * cx >= -SLACK and cx * ay - cy * ax >= -SLACK
    inner = 0.0 if holds_pole else _nearest(ax, ay, bx, by, cx, cy)
    spacing = 1 / (rings - 0.5)
    first = max(0, int(np.ceil(inner / spacing - 0.5 - SLACK)))
    last = min(rings - 1, int(np.floor(outer / spacing - 0.5 + SLACK)))
    if holds_pole or first > last:
        return first, last, 0, angles
    middle = np.arctan2(ay + by + cy, ax + bx + cx)
    low, high = 0.0, 0.0
    for px, py in ((ax, ay), (bx, by), (cx, cy)):
        away = np.arctan2(py, px) - middle
        away -= 2 * np.pi * np.round(away / (2 * np.pi))
        low, high = min(low, away), max(high, away)
    turn = 2 * np.pi / angles
    start = int(np.ceil((middle + low) / turn - SLACK))
    count = int(np.floor((middle + high) / turn + SLACK)) - start + 1
    return first, last, start % angles, min(count, angles)


@numba.njit(cache=True)
def _nearest(ax, ay, bx, by, cx, cy):
    """Distance from the pole to a triangle that does not hold it: the nearest point of its edges."""
    best = np.inf
    for px, py, qx, qy in ((ax, ay, bx, by), (bx, by, cx, cy), (cx, cy, ax, ay)):
        dx, dy = qx - px, qy - py
        along = -(px * dx + py * dy) / (dx * dx + dy * dy)
        along = min(1.0, max(0.0, along))
        best = min(best, np.hypot(px + along * dx, py + along * dy))
    return best
