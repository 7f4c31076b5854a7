"""Jacobi rotations of small matrices, compiled into the loops of `small_logs`.

One-sided for singular values, which they find to relative accuracy (Demmel, Veselic 1992), two-sided for eigenvalues.
Written by hand because LAPACK's drivers lose small singular values, and spend their time on the calls.
"""

import numpy as np
from numba import njit

SWEEPS = 30  # a matrix takes 3 to 7
ROUNDING = 1e-17  # of the matrix's norm: what is left off the diagonal then is below the last digit
RIGHT = 1e-15  # cosine of two columns that count as orthogonal


@njit
def dot(u, v):
    total = 0.0
    for i in range(len(u)):
        total += u[i] * v[i]
    return total


@njit
def orthogonalise(m, squares):
    """Rows of m become orthogonal by rotations; squares are their squared lengths.

    A rotation by tangent t turns a cosine c that another pair has left into one of about t c at most. Where k t c is
    below RIGHT for all of a sweep, the next one would find nothing.
    """
    k = len(m)
    for _ in range(SWEEPS):
        for p in range(k):
            squares[p] = dot(m[p], m[p])
        steepest = largest = 0.0
        for p in range(k):
            for q in range(p + 1, k):
                c = dot(m[p], m[q])
                lengths = squares[p] * squares[q]
                if c * c > RIGHT**2 * lengths:
                    t = _tangent((squares[q] - squares[p]) / (2 * c))
                    _turn(m, p, q, t)
                    squares[p] -= t * c
                    squares[q] += t * c
                    steepest, largest = max(steepest, t * t), max(largest, c * c / lengths)
        if k**2 * steepest * largest <= RIGHT**2:
            return


@njit
def _tangent(turn):
    """Of Jacobi's smaller angle, where `turn` is the cotangent of twice that angle."""
    return np.copysign(1.0, turn) / (abs(turn) + np.sqrt(turn * turn + 1))  # an infinite root makes 0, as it should


@njit
def _turn(m, p, q, t):
    """Rotate rows p and q of m by the angle of tangent t."""
    c = 1 / np.sqrt(t * t + 1)
    s = t * c
    for i in range(m.shape[1]):
        u, v = m[p, i], m[q, i]
        m[p, i] = c * u - s * v
        m[q, i] = s * u + c * v


@njit
def diagonalise(a, v):
    """a becomes diagonal, with its eigenvalues; the rows of v become its eigenvectors."""
    k = len(a)
    limit = ROUNDING * np.sqrt(_square(a))
    for p in range(k):
        for q in range(k):
            v[p, q] = 1.0 if p == q else 0.0
    for _ in range(SWEEPS):
        largest = 0.0
        for p in range(k):
            for q in range(p + 1, k):
                largest = max(largest, abs(a[p, q]))
                if abs(a[p, q]) > limit:
                    t = _tangent((a[q, q] - a[p, p]) / (2 * a[p, q]))
                    _turn(a, p, q, t)
                    _turn(a.T, p, q, t)
                    _turn(v, p, q, t)
        if largest <= limit:
            return


@njit
def _square(a):
    """Sum of the squared entries."""
    total = 0.0
    for i in range(len(a)):
        for j in range(len(a)):
            total += a[i, j] ** 2
    return total
