"""The sum of people's curves under a mechanism, a few people at a time."""

import math

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import integer_sums

ROWS = 256  # people read at a time
AT_ONCE = 16  # people summed at a time: at 23 x 3 x 80 numbers each their arrays stay in the cache, twice as fast
MOST = 1 << 38  # people, so that sums of |steps| <= 2^24 stay within 63 bits


def integers(mechanism, curves):
    """(n, N) integer coordinates of people's curves (n, J, 3, m), each row no longer than GRID, whatever they hold."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        coordinates = mechanism.encode(curves).reshape(len(curves), -1)
    return integer_sums.integers(coordinates, mechanism.bound)


def chunks(count, rows=ROWS):
    """(start, stop) of the rows to read at a time."""
    return [(start, min(start + rows, count)) for start in range(0, count, rows)]


def total(mechanism, read_rows, n):
    """(N,) the exact sum over n people; read_rows(start, stop) gives their curves, a few at a time.

    A group whose members are private may have any number of people, none included: that must not show as an error.
    """
    if n > MOST:
        raise RefusedRelease(f"n = {n} people; at most 2^38 can be averaged")
    sums = np.zeros(math.prod(mechanism.coordinates), dtype=np.int64)
    for chunk in chunks(n):
        curves = read_rows(*chunk)
        for start, stop in chunks(len(curves), AT_ONCE):
            sums += integers(mechanism, curves[start:stop]).sum(axis=0)
    return sums
