"""The polar grid of the unit disk: radii r_i = (i + 1/2) h with the last r = 1, angles theta_k = 2 pi k / T.

A field is an array (R, T, ...) of Cartesian components, so nothing is singular at the centre: a diameter runs on
through it by F(-r, theta) = F(r, theta + pi). Derivatives are differences of fourth order.
"""

from functools import cached_property, lru_cache

import numpy as np

ENDS = [0, -3, -2, -1]  # rings whose weights are corrected, as many as powers of r^2 are integrated exactly


class PolarGrid:
    """R rings and T angles (T even)."""

    def __init__(self, rings, angles):
        if rings < 6 or angles < 8 or angles % 2:
            raise ValueError(f"a polar grid needs at least 6 rings and an even number of at least 8 angles, "
                             f"got {rings} and {angles}")  # fmt: skip
        self.rings, self.angles = rings, angles
        self.h = 1 / (rings - 0.5)
        self.r = (np.arange(rings) + 0.5) * self.h
        self.r[-1] = 1.0
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

    def along_radius(self, field):
        """dF/dr, (R, T, ...): central differences through the centre, one-sided at the last two rings."""
        turned = np.roll(field[1::-1], self.angles // 2, axis=1)
        line = np.concatenate([turned, field])
        slope = np.empty_like(field)
        slope[:-2] = 8 * (line[3:-1] - line[1:-3]) - (line[4:] - line[:-4])
        slope[-2] = 3 * field[-1] + 10 * field[-2] - 18 * field[-3] + 6 * field[-4] - field[-5]
        slope[-1] = 25 * field[-1] - 48 * field[-2] + 36 * field[-3] - 16 * field[-4] + 3 * field[-5]
        return slope / (12 * self.h)

    def along_angle(self, field):
        """dF/dtheta, (R, T, ...): central differences on the circle."""
        line = np.concatenate([field[:, -2:], field, field[:, :2]], axis=1)
        slope = 8 * (line[:, 3:-1] - line[:, 1:-3]) - (line[:, 4:] - line[:, :-4])
        return slope * (self.angles / (24 * np.pi))

    def gradient(self, field):
        """(dF/dx, dF/dy), each (R, T, ...)."""
        extra = (1,) * (field.ndim - 2)
        cos, sin = np.cos(self.theta).reshape(1, -1, *extra), np.sin(self.theta).reshape(1, -1, *extra)
        radial = self.along_radius(field)
        turning = self.along_angle(field) / self.r.reshape(-1, 1, *extra)
        return cos * radial - sin * turning, sin * radial + cos * turning


@lru_cache(maxsize=16)
def polar_grid(rings, angles):
    """The grid of this size, made once."""
    return PolarGrid(rings, angles)
