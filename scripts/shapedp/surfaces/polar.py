"""The polar grid of the disk, its quadrature, and derivatives on it.

r_i = (i + 1/2) h with the last r = 1, so h = 1/(R - 1/2); theta_k = 2 pi k/T. A surface on the grid is (R, T, 3).
"""

import numpy as np


def radii(rings):
    """(R,) the radii."""
    return (np.arange(rings) + 0.5) / (rings - 0.5)


def weights(rings, angles):
    """(R, T) area of the grid's cells: each ring from r - h/2 to r + h/2, the last one cut at r = 1."""
    h = 1 / (rings - 0.5)
    edges = np.append(np.arange(rings) * h, 1.0)
    return np.repeat(np.diff(edges**2)[:, None] * np.pi / angles, angles, axis=1)


def derivatives(f):
    """(f_u, f_v), each (R, T, ...): derivatives along x and y, of fourth order inside and third at the rim.

    Rows beyond the pole are f(-r, theta) = f(r, theta + pi); T is even. Angles by Fourier series.
    """
    rings, angles = f.shape[:2]
    r, theta = radii(rings), 2 * np.pi * np.arange(angles) / angles
    shape = (-1, angles, *[1] * (f.ndim - 2))
    cos, sin = np.cos(theta).reshape(1, *shape[1:]), np.sin(theta).reshape(1, *shape[1:])
    f_r = _radial(f)
    f_theta = _angular(f) / r.reshape(-1, *[1] * (f.ndim - 1))
    return cos * f_r - sin * f_theta, sin * f_r + cos * f_theta


def _radial(f):
    rings = len(f)
    h = 1 / (rings - 0.5)
    beyond = np.roll(f[:2], f.shape[1] // 2, axis=1)[::-1]
    rows = np.concatenate([beyond, f])
    out = np.empty_like(f)
    out[:-2] = (rows[:-4] - 8 * rows[1:-3] + 8 * rows[3:-1] - rows[4:])[: rings - 2] / (12 * h)
    out[-2] = (2 * rows[-1] + 3 * rows[-2] - 6 * rows[-3] + rows[-4]) / (6 * h)
    out[-1] = (11 * rows[-1] - 18 * rows[-2] + 9 * rows[-3] - 2 * rows[-4]) / (6 * h)
    return out


def _angular(f):
    count = f.shape[1]
    waves = np.fft.rfftfreq(count, 1 / count)
    waves[-1] = 0  # the derivative of the Nyquist wave vanishes on the grid
    series = np.fft.rfft(f, axis=1)
    return np.fft.irfft(1j * waves.reshape(1, -1, *[1] * (f.ndim - 2)) * series, n=count, axis=1)
