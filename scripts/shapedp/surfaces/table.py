"""A field tabulated on a polar grid, looked up anywhere in the disk by cubic B-splines.

Coefficients c solve (c[i-1] + 4 c[i] + c[i+1]) / 6 = F[i] along both coordinates: periodic in the angle, through the
center along each diameter, and at r = 1 with the slope of the one-sided fourth-order difference. On a diameter the sum
and the difference of the two radii stand for themselves: even and odd in r. scipy's spline filters know neither the
center nor that slope.
"""

import numpy as np

from shapedp.storage.loops import loop
from shapedp.surfaces import polar

SIXTH = 1 / 6
POLE = np.sqrt(3) - 2  # c[k] = POLE (c[k+1] - b[k]), b[k] = 6 F[k] + POLE b[k-1], solves the periodic system
FORGOTTEN = 32  # steps after which POLE has left nothing of what was


def coefficients(field, grid):
    """Spline coefficients of a field (R, T, d), padded for `lookup`: (R + 3, T + 3, d)."""
    c = np.empty((grid.rings + 3, grid.angles + 3, field.shape[2]))
    _coefficients(np.ascontiguousarray(field, dtype=float), POLE, c)
    return c


@loop
def _coefficients(field, pole, c):
    rings, angles, channels = field.shape
    half = angles // 2
    width = half * channels
    even, odd = np.empty((rings + 1, width)), np.empty((rings + 1, width))
    ring = np.empty((angles, channels))
    for i in range(rings):
        _around(field[i], pole, ring)
        flat = ring.reshape(-1)
        for n in range(width):
            even[i, n] = (flat[n] + flat[n + width]) / 2
            odd[i, n] = (flat[n] - flat[n + width]) / 2
    _along(even, 1.0)
    _along(odd, -1.0)
    for i in range(rings + 1):
        for k in range(half):
            for d in range(channels):
                a, b = even[i, k * channels + d], odd[i, k * channels + d]
                c[i + 2, k + 1, d] = a + b
                c[i + 2, k + 1 + half, d] = a - b
    for i in range(2):  # beyond the center, on the other side
        for k in range(half):
            for d in range(channels):
                c[1 - i, k + 1, d] = c[i + 2, k + 1 + half, d]
                c[1 - i, k + 1 + half, d] = c[i + 2, k + 1, d]
    for i in range(rings + 3):
        for d in range(channels):
            c[i, 0, d] = c[i, angles, d]
            c[i, angles + 1, d] = c[i, 1, d]
            c[i, angles + 2, d] = c[i, 2, d]


@loop
def _around(f, pole, c):
    """The periodic system on one ring: forwards, then backwards, from far enough before that the start is forgotten."""
    angles, channels = f.shape
    before = min(FORGOTTEN, angles)
    for d in range(channels):
        b = 0.0
        for k in range(angles - before, angles):
            b = 6 * f[k, d] + pole * b
        for k in range(angles):
            b = 6 * f[k, d] + pole * b
            c[k, d] = b
        after = 0.0
        for k in range(before - 1, -1, -1):
            after = pole * (after - c[k, d])
        for k in range(angles - 1, -1, -1):
            after = pole * (after - c[k, d])
            c[k, d] = after


@loop
def _along(c, parity):
    """The tridiagonal systems along all radii at once, in place, by elimination; c (R + 1, n), the last row for c[R].

    Rows: c[-1] = parity c[0];  c[i-1] + 4 c[i] + c[i+1] = 6 F[i];  c[R] = c[R-2] + 2 slope.
    """
    rings, width = len(c) - 1, c.shape[1]
    slope, upper = np.empty(width), np.empty(rings)
    for n in range(width):
        near = 25 * c[rings - 1, n] - 48 * c[rings - 2, n] + 36 * c[rings - 3, n]
        slope[n] = (near - 16 * c[rings - 4, n] + 3 * c[rings - 5, n]) / 12
    upper[0] = 1.0 / (4.0 + parity)
    for n in range(width):
        c[0, n] *= 6.0 * upper[0]
    for i in range(1, rings):
        last = i == rings - 1
        lower = 2.0 if last else 1.0
        upper[i] = 1.0 / (4.0 - lower * upper[i - 1])
        for n in range(width):
            c[i, n] = (6.0 * c[i, n] - lower * c[i - 1, n] - (2.0 * slope[n] if last else 0.0)) * upper[i]
    for i in range(rings - 2, -1, -1):
        for n in range(width):
            c[i, n] -= upper[i] * c[i + 1, n]
    for n in range(width):
        c[rings, n] = c[rings - 2, n] + 2 * slope[n]


@loop
def _steps(x, y, rings, angles):
    """Where a point lies across and around, in steps of the table, the first of which is beyond the center."""
    around = np.arctan2(y, x) * (angles / (2 * np.pi))
    return min(np.sqrt(x * x + y * y), 1.0) * (rings - 0.5) + 0.5, around + angles if around < 0.0 else around


@loop
def _weights(t, w):
    """Cubic B-spline weights of four neighbours at position t in [0, 1] between the middle two."""
    s = 1.0 - t
    w[0] = s * s * s / 6.0
    w[1] = 2.0 / 3.0 - t * t * (2.0 - t) / 2.0
    w[2] = 2.0 / 3.0 - s * s * (2.0 - s) / 2.0
    w[3] = t * t * t / 6.0


@loop
def _lookup(c, points, out):
    """As `_sum` with `_weights`, written out over the flat table: it is most of a registration's time. In two loops,
    since a call of arctan2 empties the registers.
    """
    rings, angles, channels = c.shape[0] - 3, c.shape[1] - 3, c.shape[2]
    across, around = np.empty(len(points)), np.empty(len(points))
    for n in range(len(points)):
        across[n], around[n] = _steps(points[n, 0], points[n, 1], rings, angles)
    flat, one, two = c.reshape(-1), np.uint64(channels), np.uint64(2 * channels)
    below = np.uint64((angles + 3) * channels)
    for n in range(len(points)):
        row, column = min(int(across[n]), rings - 1), min(int(around[n]), angles - 1)
        t, u = across[n] - row, around[n] - column
        s, v = 1.0 - t, 1.0 - u
        far = s * s * s * SIXTH, 4 * SIXTH - t * t * (1.0 - t / 2), 4 * SIXTH - s * s * (1.0 - s / 2), t * t * t * SIXTH
        a, b = v * v * v * SIXTH, 4 * SIXTH - u * u * (1.0 - u / 2)
        e, f = 4 * SIXTH - v * v * (1.0 - v / 2), u * u * u * SIXTH
        first = np.uint64((row * (angles + 3) + column) * channels)  # known not to be negative
        for d in range(channels):
            at, total = first + np.uint64(d), 0.0
            for weight in far:
                near = (a * flat[at] + b * flat[at + one]) + (e * flat[at + two] + f * flat[at + one + two])
                total += weight * near
                at += below
            out[n, d] = total


def lookup(c, points):
    """The field at points (..., 2) of the disk: (..., d). Points outside are taken to the rim."""
    out = np.empty((points.size // 2, c.shape[2]))
    _lookup(c, np.ascontiguousarray(points).reshape(-1, 2), out)
    return out.reshape(*points.shape[:-1], -1)


def lookup_grid(c, rings, angles, turn=0.0):
    """The field at the points of a polar grid of another size, turned by an angle: (rings, angles, d)."""
    return lookup_circles(c, polar.radii(rings), angles, turn)


def lookup_circles(c, radii, angles, turn=0.0):
    """The field at equal angles on circles of these radii (n,): (n, angles, d).

    As `lookup` there, in a tenth of the time: along the radius first, then along each circle.
    """
    across = np.minimum(radii, 1.0) * (c.shape[0] - 3.5) + 0.5
    around = (np.arange(angles) / angles + turn / (2 * np.pi)) % 1.0 * (c.shape[1] - 3)
    out = np.empty((len(across), angles, c.shape[2]))
    _lookup_grid(c, across, around, out)
    return out


@loop
def _lookup_grid(c, across, around, out):
    rows, columns, channels = c.shape
    a, b = np.empty(4), np.empty((len(around), 4))
    first = np.empty(len(around), dtype=np.int64)
    for k in range(len(around)):
        first[k] = min(int(around[k]), columns - 4)
        _weights(around[k] - first[k], b[k])
    line = np.empty((columns, channels))
    for i in range(len(across)):
        row = min(int(across[i]), rows - 4)
        _weights(across[i] - row, a)
        for j in range(columns):
            for d in range(channels):
                line[j, d] = (a[0] * c[row, j, d] + a[1] * c[row + 1, j, d]) + (
                    a[2] * c[row + 2, j, d] + a[3] * c[row + 3, j, d]
                )
        for k in range(len(around)):
            j = first[k]
            for d in range(channels):
                out[i, k, d] = (b[k, 0] * line[j, d] + b[k, 1] * line[j + 1, d]) + (
                    b[k, 2] * line[j + 2, d] + b[k, 3] * line[j + 3, d]
                )


def gradient(c, grid):
    """(dF/dx, dF/dy) of the spline at the points of the grid that it was made on: two arrays (R, T, d)."""
    circles, rays = (c[:, :-3] + 4 * c[:, 1:-2] + c[:, 2:-1]) / 6, (c[1:-2] + 4 * c[2:-1] + c[3:]) / 6
    radial = (circles[3:] - circles[1:-2]) * ((grid.rings - 0.5) / 2)
    turning = (rays[:, 2:-1] - rays[:, :-3]) * (grid.angles / (4 * np.pi)) / grid.r[:, None, None]
    cos, sin = np.cos(grid.theta)[:, None], np.sin(grid.theta)[:, None]
    return cos * radial - sin * turning, sin * radial + cos * turning
