"""The sum of people's coordinates on an integer grid: exact in any order, so that no rounding can leak or add up.

Each person's coordinates are cut towards zero on a grid of bound/2^24, so that a person's integer vector is no longer
than 2^24: checked in integers. The sum is exact, one replaced person changes it by at most 2 * 2^24, and nothing is
to be added to the sensitivity for rounding.
"""

import numpy as np

from shapedp.errors import RefusedRelease

GRID = 1 << 24  # steps from 0 to the bound
ROWS = 256  # people at a time
MOST = 1 << 38  # people, so that sums of |steps| <= 2^24 stay within 63 bits


def integers(mechanism, curves):
    """(n, N) integer coordinates of people's curves (n, J, 3, m), each row no longer than GRID."""
    steps = mechanism.encode(curves).reshape(len(curves), -1) * (GRID / mechanism.bound)
    whole = np.trunc(steps).astype(np.int64)
    longer = np.sum(whole**2, axis=1) > GRID**2
    while longer.any():  # rounding in the clip: a hair too long
        steps[longer] *= 1 - 2.0**-40
        whole[longer] = np.trunc(steps[longer]).astype(np.int64)
        longer[longer] = np.sum(whole[longer] ** 2, axis=1) > GRID**2
    return whole


def chunks(count, rows=ROWS):
    """(start, stop) of the rows to read at a time."""
    return [(start, min(start + rows, count)) for start in range(0, count, rows)]


def total(mechanism, read_rows, n):
    """(N,) the exact sum over n people; read_rows(start, stop) gives their curves, a few at a time."""
    if not 2 <= n <= MOST:
        raise RefusedRelease(f"n = {n} people; between 2 and 2^38 can be averaged")
    return sum(integers(mechanism, read_rows(*chunk)).sum(axis=0) for chunk in chunks(n))


def release(mechanism, sums, n, source):
    """(released curves (J, 3, m), rho of zCDP): noise on the integer sum, then the public map back."""
    step = mechanism.bound / GRID
    noised, rho = source.gaussian_integers(sums, mechanism.noise / step, 2 * GRID)
    return mechanism.decode(noised.reshape(mechanism.gain.shape) * (step / n)), rho


def exact(mechanism, sums, n):
    """The curves that would be released without noise: private."""
    return mechanism.decode(sums.reshape(mechanism.gain.shape) * (mechanism.bound / GRID / n))
