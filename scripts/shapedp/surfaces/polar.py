"""The polar grid of the unit disk: radii r_i = (i + 1/2) h with the last r = 1, angles theta_k = 2 pi k / T.

A field is an array (R, T, ...) of Cartesian components, so nothing is singular at the center: a diameter runs on
through it by F(-r, theta) = F(r, theta + pi). Derivatives are differences of fourth order.
"""

from functools import cached_property, lru_cache

import numba
import numpy as np

ENDS = [0, -3, -2, -1]  # rings whose weights are corrected, as many as powers of r^2 are integrated exactly


def radii(rings):
    """(R,) the radii."""
    found = (np.arange(rings) + 0.5) / (rings - 0.5)
    found[-1] = 1.0
    return found


class PolarGrid:
    """R rings and T angles (T even)."""

    def __init__(self, rings, angles):
        if rings < 6 or angles < 8 or angles % 2:
            raise ValueError(f"a polar grid needs at least 6 rings and an even number of at least 8 angles, "
                             f"got {rings} and {angles}")  # fmt: skip
        self.rings, self.angles = rings, angles
        self.h = 1 / (rings - 0.5)
        self.r = radii(rings)
        self.theta = 2 * np.pi * np.arange(angles) / angles

    @cached_property
    def points(self):
        """(R, T, 2) the grid's points; those of the last ring have norm 1."""
        return self.r[:, None, None] * np.stack([np.cos(self.theta), np.sin(self.theta)], axis=-1)

    @cached_property
    def weights(self):
        """(R,) w_i with sum_i w_i sum_k F_ik = the integral of F over the disk.

        Cells of width h (h/2 at the rim), then those at the ends changed so that 1, r^2, r^4, r^6 are integrated
        exactly: the mean of a smooth F over a circle is an even function of r.
        """
        cells = self.r * self.h
        cells[-1] /= 2
        powers = self.r ** (2 * np.arange(len(ENDS))[:, None])
        missing = 1 / (2 * np.arange(len(ENDS)) + 2) - powers @ cells
        cells[ENDS] += np.linalg.solve(powers[:, ENDS], missing)
        return cells * 2 * np.pi / self.angles

    def integral(self, field):
        """The integral of a scalar field (R, T) over the disk."""
        return float((self.weights * field.sum(axis=1)).sum())

    def derivatives(self, field):
        """(dF/dr, dF/dtheta), each (R, T, d): central differences on circles and through the center.

        One-sided at the last two rings.
        """
        along, around = np.empty_like(field), np.empty_like(field)
        _differences(field, 1 / (12 * self.h), self.angles / (24 * np.pi), along, around)
        return along, around

    def gradient(self, field):
        """(dF/dx, dF/dy), each (R, T, d)."""
        cos, sin = np.cos(self.theta)[:, None], np.sin(self.theta)[:, None]
        along, around = self.derivatives(field)
        around /= self.r[:, None, None]
        return cos * along - sin * around, sin * along + cos * around


@numba.njit(cache=True)
def _differences(f, per_radius, per_angle, along, around):
    rings, angles, channels = f.shape
    half = angles // 2
    for i in range(rings):
        for k in range(angles):
            a, b, c, e = (k - 2) % angles, (k - 1) % angles, (k + 1) % angles, (k + 2) % angles
            beyond = (k + half) % angles
            for d in range(channels):
                around[i, k, d] = (8 * (f[i, c, d] - f[i, b, d]) - (f[i, e, d] - f[i, a, d])) * per_angle
                if i < rings - 2:
                    one = f[i - 1, k, d] if i > 0 else f[0, beyond, d]
                    two = f[i - 2, k, d] if i > 1 else f[1 - i, beyond, d]
                    slope = 8 * (f[i + 1, k, d] - one) - (f[i + 2, k, d] - two)
                elif i == rings - 2:
                    slope = 3 * f[i + 1, k, d] + 10 * f[i, k, d] - 18 * f[i - 1, k, d]
                    slope += 6 * f[i - 2, k, d] - f[i - 3, k, d]
                else:
                    slope = 25 * f[i, k, d] - 48 * f[i - 1, k, d] + 36 * f[i - 2, k, d]
                    slope += 3 * f[i - 4, k, d] - 16 * f[i - 3, k, d]
                along[i, k, d] = slope * per_radius


@lru_cache(maxsize=16)
def polar_grid(rings, angles):
    """The grid of this size, made once."""
    return PolarGrid(rings, angles)
