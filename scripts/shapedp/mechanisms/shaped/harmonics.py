"""Smooth functions on the disk of curves: its Neumann eigenfunctions, from slow to fast.

h(rho, theta) = J_k(z rho) cos(k theta) or sin(k theta), z a zero of J_k' : smooth at the nose, where rho = 0, and flat
at the rim. rho = j/J counts curves, so that with curves at equal steps of arc the functions are as smooth on the face
as on the disk. Each stands for x, y and z.
"""

from functools import cache

import numpy as np
from scipy.special import jnp_zeros, jv

ANGULAR, RADIAL = 60, 20  # how many angular frequencies and zeros are looked through


def roots(count):
    """The `count` slowest (z, k, turn): z the frequency, turn 0 for the cosine and 1 for the sine."""
    return _all_roots()[:count]


@cache
def _all_roots():
    found = [(0.0, 0, 0)]
    for k in range(ANGULAR):
        turns = (0,) if k == 0 else (0, 1)
        found += [(float(z), k, turn) for z in jnp_zeros(k, RADIAL) for turn in turns]
    return sorted(found)


def frequencies(count):
    """(3 count,) frequency z of each harmonic, x, y and z in turn."""
    return np.repeat([z for z, _, _ in roots(count)], 3)


def functions(shape, count):
    """(3 count, J, 3, m) harmonics on curves of shape (J, 3, m), x, y and z in turn; not yet orthogonal."""
    curves, _, samples = shape
    rho = np.arange(1, curves + 1) / curves
    theta = 2 * np.pi * np.arange(samples) / samples
    out = np.zeros((count, 3, *shape), dtype=np.float32)
    for row, (z, k, turn) in enumerate(roots(count)):
        wave = np.sin(k * theta) if turn else np.cos(k * theta)
        for axis in range(3):
            out[row, axis, :, axis] = np.outer(jv(k, z * rho), wave)
    return out.reshape(3 * count, *shape)
