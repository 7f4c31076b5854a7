"""A field tabulated on a polar grid, looked up anywhere in the disk by cubic B-splines.

Coefficients c solve (c[i-1] + 4 c[i] + c[i+1]) / 6 = F[i] along both coordinates: periodic in the angle, through the
center along the radius (the m-th Fourier coefficient in the angle has parity (-1)^m in r), and at r = 1 with the
slope of the one-sided fourth-order difference. scipy's spline filters know neither the center nor that slope.
"""

import numba
import numpy as np

from shapedp.surfaces import polar


def coefficients(field, grid):
    """Spline coefficients of a field (R, T, d), padded for `lookup`: (R + 3, T + 3, d)."""
    return coefficients_of_spectrum(np.fft.rfft(field, axis=1), grid)


def coefficients_of_spectrum(spectrum, grid):
    """As `coefficients`, from the Fourier coefficients in the angle (R, T/2 + 1, d)."""
    m = np.arange(spectrum.shape[1])
    spectrum = spectrum * (3 / (2 + np.cos(2 * np.pi * m / grid.angles)))[:, None]
    slope = (25 * spectrum[-1] - 48 * spectrum[-2] + 36 * spectrum[-3] - 16 * spectrum[-4] + 3 * spectrum[-5]) / 12
    inner = _solve_radial(spectrum, slope, 1.0 - 2.0 * (m % 2))
    outer = inner[-2] + 2 * slope
    c = np.fft.irfft(np.concatenate([inner, outer[None]]), grid.angles, axis=1)
    turned = np.roll(c[1::-1], grid.angles // 2, axis=1)
    c = np.concatenate([turned, c])
    return np.concatenate([c[:, -1:], c, c[:, :2]], axis=1)


@numba.njit(cache=True)
def _solve_radial(right, slope, parity):
    """The tridiagonal systems of all angular frequencies by elimination: (R, M, d) complex.

    Rows: c[-1] = parity c[0];  c[i-1] + 4 c[i] + c[i+1] = 6 F[i];  c[R] = c[R-2] + 2 slope.
    """
    rings, count, channels = right.shape
    c = np.empty_like(right)
    for m in range(count):
        upper = np.empty(rings)
        diagonal = 4.0 + parity[m]
        for d in range(channels):
            c[0, m, d] = 6.0 * right[0, m, d] / diagonal
        upper[0] = 1.0 / diagonal
        for i in range(1, rings):
            last = i == rings - 1
            lower = 2.0 if last else 1.0
            scale = 1.0 / (4.0 - lower * upper[i - 1])
            upper[i] = scale
            for d in range(channels):
                value = 6.0 * right[i, m, d] - lower * c[i - 1, m, d]
                if last:
                    value -= 2.0 * slope[m, d]
                c[i, m, d] = value * scale
        for i in range(rings - 2, -1, -1):
            for d in range(channels):
                c[i, m, d] -= upper[i] * c[i + 1, m, d]
    return c


@numba.njit(cache=True)
def _cell(x, y, rings, angles):
    """(row, column, a, b): first of the four rows and columns, and the position between the two middle ones."""
    across = min(np.sqrt(x * x + y * y), 1.0) * (rings - 0.5) + 0.5
    row = min(int(across), rings - 1)
    around = np.arctan2(y, x) * (angles / (2 * np.pi))
    if around < 0.0:
        around += angles
    column = min(int(around), angles - 1)
    return row, column, across - row, around - column


@numba.njit(cache=True)
def _weights(t, w):
    """Cubic B-spline weights of four neighbours at position t in [0, 1] between the middle two."""
    s = 1.0 - t
    w[0] = s * s * s / 6.0
    w[1] = 2.0 / 3.0 - t * t * (2.0 - t) / 2.0
    w[2] = 2.0 / 3.0 - s * s * (2.0 - s) / 2.0
    w[3] = t * t * t / 6.0


@numba.njit(cache=True)
def _slopes(t, w):
    """Derivatives of the weights by t."""
    s = 1.0 - t
    w[0] = -s * s / 2.0
    w[1] = -2.0 * t + 1.5 * t * t
    w[2] = 2.0 * s - 1.5 * s * s
    w[3] = t * t / 2.0


@numba.njit(cache=True)
def _sum(c, row, column, a, b, out):
    """out[d] = sum over the 4 x 4 neighbours of a_i b_j c[row + i, column + j, d]."""
    if out.shape[0] == 3:
        x, y, z = 0.0, 0.0, 0.0
        for i in range(4):
            for j in range(4):
                w = a[i] * b[j]
                near = c[row + i, column + j]
                x += w * near[0]
                y += w * near[1]
                z += w * near[2]
        out[0], out[1], out[2] = x, y, z
        return
    for d in range(out.shape[0]):
        total = 0.0
        for i in range(4):
            near = c[row + i, column : column + 4, d]
            total += a[i] * (b[0] * near[0] + b[1] * near[1] + b[2] * near[2] + b[3] * near[3])
        out[d] = total


@numba.njit(cache=True)
def _lookup(c, points, out):
    """As `_sum` with `_weights`, written out: it is most of a registration's time."""
    rings, angles = c.shape[0] - 3, c.shape[1] - 3
    for n in range(points.shape[0]):
        row, column, t, u = _cell(points[n, 0], points[n, 1], rings, angles)
        s = 1.0 - t
        a0, a1 = s * s * s / 6.0, 2.0 / 3.0 - t * t * (2.0 - t) / 2.0
        a2, a3 = 2.0 / 3.0 - s * s * (2.0 - s) / 2.0, t * t * t / 6.0
        s = 1.0 - u
        b0, b1 = s * s * s / 6.0, 2.0 / 3.0 - u * u * (2.0 - u) / 2.0
        b2, b3 = 2.0 / 3.0 - s * s * (2.0 - s) / 2.0, u * u * u / 6.0
        near = c[row : row + 4, column : column + 4]
        for d in range(c.shape[2]):
            out[n, d] = (
                a0 * (b0 * near[0, 0, d] + b1 * near[0, 1, d] + b2 * near[0, 2, d] + b3 * near[0, 3, d])
                + a1 * (b0 * near[1, 0, d] + b1 * near[1, 1, d] + b2 * near[1, 2, d] + b3 * near[1, 3, d])
                + a2 * (b0 * near[2, 0, d] + b1 * near[2, 1, d] + b2 * near[2, 2, d] + b3 * near[2, 3, d])
                + a3 * (b0 * near[3, 0, d] + b1 * near[3, 1, d] + b2 * near[3, 2, d] + b3 * near[3, 3, d])
            )


@numba.njit(cache=True)
def _lookup_slopes(c, points, out):
    """out (n, 2, d): derivatives by r and by theta."""
    rings, angles = c.shape[0] - 3, c.shape[1] - 3
    a, b, da, db = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    for n in range(points.shape[0]):
        row, column, s, t = _cell(points[n, 0], points[n, 1], rings, angles)
        _weights(s, a)
        _weights(t, b)
        _slopes(s, da)
        _slopes(t, db)
        _sum(c, row, column, da, b, out[n, 0])
        _sum(c, row, column, a, db, out[n, 1])
        out[n, 0] *= rings - 0.5
        out[n, 1] *= angles / (2 * np.pi)


def lookup(c, points):
    """The field at points (..., 2) of the disk: (..., d). Points outside are taken to the rim."""
    out = np.empty((points.size // 2, c.shape[2]))
    _lookup(c, np.ascontiguousarray(points).reshape(-1, 2), out)
    return out.reshape(*points.shape[:-1], -1)


def lookup_grid(c, rings, angles, turn=0.0):
    """The field at the points of a polar grid of another size, turned by an angle: (rings, angles, d).

    As `lookup` there, in a tenth of the time: along the radius first, then along each circle.
    """
    across = np.minimum(polar.radii(rings), 1.0) * (c.shape[0] - 3.5) + 0.5
    around = (np.arange(angles) / angles + turn / (2 * np.pi)) % 1.0 * (c.shape[1] - 3)
    out = np.empty((rings, angles, c.shape[2]))
    _lookup_grid(c, across, around, out)
    return out


@numba.njit(cache=True)
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


def lookup_gradient(c, points):
    """(dF/dx, dF/dy) of the spline at points (..., 2) other than 0: two arrays (..., d)."""
    out = np.empty((points.size // 2, 2, c.shape[2]))
    _lookup_slopes(c, np.ascontiguousarray(points).reshape(-1, 2), out)
    slopes = out.reshape(*points.shape[:-1], 2, -1)
    r = np.hypot(points[..., :1], points[..., 1:])
    cos, sin = points[..., :1] / r, points[..., 1:] / r
    radial, turning = slopes[..., 0, :], slopes[..., 1, :] / r
    return cos * radial - sin * turning, sin * radial + cos * turning
