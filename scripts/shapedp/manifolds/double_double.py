"""Cholesky factors and quotients in twice the working precision (Dekker 1971, Numerische Mathematik 18), compiled.

A number is the pair (high, low) of doubles that stands for high + low. Of a matrix of condition c the smallest pivot is
known to c times the last digit: a relative 1e-10 at c = 1e6 in double precision, the last digit in this one.
"""

import numpy as np
from numba import njit

SPLIT = 134217729.0  # 2^27 + 1


@njit
def _sum(a, b):
    """(a + b, what rounding took from it)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit
def _product(a, b):
    """(a b, what rounding took from it)."""
    p = a * b
    t = SPLIT * a
    high = t - (t - a)
    u = SPLIT * b
    other = u - (u - b)
    low, rest = a - high, b - other
    return p, ((high * other - p) + high * rest + low * other) + low * rest


@njit
def _less_product(s, t, a, b, c, d):
    """(s, t) - (a, b) (c, d)."""
    p, e = _product(a, c)
    s, f = _sum(s, -p)
    return _sum(s, t + f - (e + a * d + b * c))


@njit
def _quotient(s, t, a, b):
    """(s, t) / (a, b)."""
    q = s / a
    rest, low = _less_product(s, t, q, 0.0, a, b)
    return _sum(q, (rest + low) / a)


@njit
def root(a, high, low):
    """(high + low)(high + low)^T = a, lower triangular; a negative pivot becomes NaN."""
    k = len(a)
    for j in range(k):
        for i in range(k):
            high[i, j] = low[i, j] = 0.0
        for i in range(j, k):
            s, t = a[i, j], 0.0
            for m in range(j):
                s, t = _less_product(s, t, high[i, m], low[i, m], high[j, m], low[j, m])
            if i == j:
                r = np.sqrt(s)
                rest, f = _less_product(s, t, r, 0.0, r, 0.0)
                high[j, j], low[j, j] = _sum(r, (rest + f) / (2 * r))
            else:
                high[i, j], low[i, j] = _quotient(s, t, high[j, j], low[j, j])


@njit
def solve(high, low, other_high, other_low, out):
    """out = (high + low)^-1 (other_high + other_low), both lower triangular, by forward substitution."""
    k = len(out)
    for j in range(k):
        for i in range(j):
            out[i, j] = 0.0
        for i in range(j, k):
            s, t = other_high[i, j], other_low[i, j]
            for m in range(j, i):
                # earlier quotients replace the right-hand side, which is not needed any more
                s, t = _less_product(s, t, high[i, m], low[i, m], other_high[m, j], other_low[m, j])
            other_high[i, j], other_low[i, j] = _quotient(s, t, high[i, i], low[i, i])
            out[i, j] = other_high[i, j]
