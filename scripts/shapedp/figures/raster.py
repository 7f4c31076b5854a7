"""Which triangle covers which pixel: the z-buffer of an orthographic camera, written to need no display.

Pixel coordinates: column to the right, row downwards, the center of pixel (i, j) at (row i + 1/2, column j + 1/2);
depth grows towards the viewer.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def _across(xa, ya, xb, yb, xc, yc, y):
    """Least and largest x of a triangle at height y: of a long thin one, a row is not searched from end to end."""
    low, high = np.inf, -np.inf
    for xp, yp, xq, yq in ((xa, ya, xb, yb), (xb, yb, xc, yc), (xc, yc, xa, ya)):
        if min(yp, yq) <= y <= max(yp, yq):
            x = xp if yp == yq else xp + (xq - xp) * ((y - yp) / (yq - yp))
            low, high = min(low, x), max(high, x)
            if yp == yq:
                low, high = min(low, xq), max(high, xq)
    return low, high


@njit(cache=True)
def cover(columns, rows, depths, triangles, height, width):
    """For every pixel the nearest triangle (-1: none), its depth and two barycentric weights there.

    columns, rows, depths : (n,) of the vertices; triangles : (t, 3)
    Returns (h, w) int32, (h, w) float32, (h, w, 2) float32.
    """
    nearest = np.full((height, width), -1, dtype=np.int32)
    depth = np.full((height, width), -np.inf, dtype=np.float32)
    weights = np.zeros((height, width, 2), dtype=np.float32)
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        xa, ya, xb, yb, xc, yc = columns[a], rows[a], columns[b], rows[b], columns[c], rows[c]
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        if area == 0.0:
            continue
        top = max(int(np.ceil(min(ya, yb, yc) - 0.5)), 0)
        bottom = min(int(np.floor(max(ya, yb, yc) - 0.5)), height - 1)
        left = max(int(np.ceil(min(xa, xb, xc) - 0.5)), 0)
        right = min(int(np.floor(max(xa, xb, xc) - 0.5)), width - 1)
        for i in range(top, bottom + 1):
            y = i + 0.5
            start, end = _across(xa, ya, xb, yb, xc, yc, y)
            for j in range(max(left, int(start - 1.5)), min(right, int(end + 0.5)) + 1):
                x = j + 0.5
                wa = ((xb - x) * (yc - y) - (xc - x) * (yb - y)) / area
                wb = ((xc - x) * (ya - y) - (xa - x) * (yc - y)) / area
                wc = 1.0 - wa - wb
                if wa < 0.0 or wb < 0.0 or wc < 0.0:
                    continue
                z = wa * depths[a] + wb * depths[b] + wc * depths[c]
                if z > depth[i, j]:
                    depth[i, j], nearest[i, j] = z, t
                    weights[i, j, 0], weights[i, j, 1] = wa, wb
    return nearest, depth, weights


@njit(cache=True)
def cover_lines(columns, rows, depths, starts, radius, bias, depth):
    """Pixels (h, w) bool where one of the polylines is seen: within `radius` pixels of it and not behind the surface.

    columns, rows, depths : (m,) of all points; polyline l is points starts[l] .. starts[l + 1] - 1
    bias : how far a line may lie behind the surface and still be seen (a curve on the surface must not flicker)
    """
    height, width = depth.shape
    seen = np.zeros((height, width), dtype=np.bool_)
    for line in range(starts.shape[0] - 1):
        for p in range(starts[line], starts[line + 1] - 1):
            x, y, dx, dy = columns[p], rows[p], columns[p + 1] - columns[p], rows[p + 1] - rows[p]
            length = max(dx * dx + dy * dy, 1e-12)
            top = max(int(min(y, y + dy) - radius), 0)
            left = max(int(min(x, x + dx) - radius), 0)
            for i in range(top, min(int(max(y, y + dy) + radius) + 1, height)):
                for j in range(left, min(int(max(x, x + dx) + radius) + 1, width)):
                    along = ((j + 0.5 - x) * dx + (i + 0.5 - y) * dy) / length
                    along = min(max(along, 0.0), 1.0)
                    away = (j + 0.5 - x - along * dx) ** 2 + (i + 0.5 - y - along * dy) ** 2
                    z = depths[p] + along * (depths[p + 1] - depths[p])
                    if away <= radius * radius and z + bias >= depth[i, j]:
                        seen[i, j] = True
    return seen
