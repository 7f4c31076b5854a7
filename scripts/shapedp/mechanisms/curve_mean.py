"""The sum of people's curves under a mechanism, a few people at a time."""

import math

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import integer_sums

ROWS = 256  # people read at a time
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
    of_people = (lambda curves: integers(mechanism, curves)), math.prod(mechanism.coordinates), mechanism.at_once
    return summed(*of_people, read_rows, n)


def summed(integers_of, size, at_once, read_rows, n):
    """(size,) the exact sum over n people of integers_of(curves) (..., size), at_once people at a time."""
    if n > MOST:
        raise RefusedRelease(f"n = {n} people; at most 2^38 can be averaged")
    sums = np.zeros(size, dtype=np.int64)
    for chunk in chunks(n):
        curves = read_rows(*chunk)
        for start, stop in chunks(len(curves), at_once):
            sums += integers_of(curves[start:stop]).sum(axis=0)
    return sums


def settled(mechanism, read_rows, n, source):
    """(mechanism, sum) as `draw` takes them, with whatever the mechanism asks first."""
    return mechanism.settled(mechanism.opening(read_rows, n), read_rows, n, source)
