"""The square root normal field q = n / sqrt|n|, n = f_u x f_v: the surface as the registration sees it.

Under a diffeomorphism gamma of the disk q becomes sqrt(J) q(gamma), under a rotation O it becomes O q, and both keep
the integral of |q1 - q2|^2: docs/mathematics.md, (1.6). The integral of |q|^2 is the surface's area.
"""

import numba
import numpy as np


def normals(f, grid):
    """n = f_u x f_v = (f_r x f_theta) / r, (R, T, 3); outwards for a disk seen from outside."""
    along, around = grid.derivatives(f)
    return np.cross(along, around) / grid.r[:, None, None]


def srnf(n):
    """q = n / sqrt|n|, (R, T, 3), 0 where n is 0."""
    size = np.sqrt(np.einsum("rtc,rtc->rt", n, n))[:, :, None]
    return n / np.sqrt(np.where(size > 0, size, 1))


def distance_squared(q1, q2, grid):
    """||q1 - q2||^2, the integral over the disk of |q1 - q2|^2."""
    return _distance_squared(q1, q2, grid.weights)


@numba.njit(cache=True)
def _distance_squared(q1, q2, weights):
    total = 0.0
    for i in range(q1.shape[0]):
        ring = 0.0
        for k in range(q1.shape[1]):
            for c in range(3):
                ring += (q1[i, k, c] - q2[i, k, c]) ** 2
        total += weights[i] * ring
    return total
