"""Mean of matrix logarithms for small matrices, in one compiled loop: LAPACK and numpy spend their time on the calls.

Written by hand because no library in use here takes a mean of logarithms without storing all of them; eigenvalues by
Jacobi's cyclic rotations, which are as accurate as LAPACK's.
"""

import numpy as np
from numba import float64, guvectorize, njit

LARGEST = 4  # rows; above, LAPACK is as fast
NEAR = 0.5  # below this distance from the identity, log(1 + a) starts from the exact difference
SWEEPS = 30  # a matrix takes 4 to 6
ROUNDING = 1e-17  # of the matrix's norm: what is left off the diagonal then is below the last digit


@njit(cache=True)
def _whiten(a, s, half, out):
    """out = a s a^T, symmetric to the last bit."""
    k = len(a)
    for i in range(k):
        for j in range(k):
            half[i, j] = 0.0
            for m in range(k):
                half[i, j] += a[i, m] * s[m, j]
    for i in range(k):
        for j in range(i + 1):
            total = 0.0
            for m in range(k):
                total += half[i, m] * a[j, m]
            out[i, j] = out[j, i] = total


@njit(cache=True)
def _rotate(a, v, p, q):
    """Jacobi's rotation in the plane (p, q), that makes a[p, q] zero; v gathers the rotations."""
    turn = (a[q, q] - a[p, p]) / (2 * a[p, q])
    t = np.copysign(1.0, turn) / (abs(turn) + np.sqrt(turn * turn + 1))  # an infinite root makes t = 0, as it should
    c = 1 / np.sqrt(t * t + 1)
    s = t * c
    for m in range(len(a)):
        a[m, p], a[m, q] = c * a[m, p] - s * a[m, q], s * a[m, p] + c * a[m, q]
    for m in range(len(a)):
        a[p, m], a[q, m] = c * a[p, m] - s * a[q, m], s * a[p, m] + c * a[q, m]
        v[m, p], v[m, q] = c * v[m, p] - s * v[m, q], s * v[m, p] + c * v[m, q]


@njit(cache=True)
def _square(a):
    """Sum of the squared entries."""
    total = 0.0
    for i in range(len(a)):
        for j in range(len(a)):
            total += a[i, j] ** 2
    return total


@njit(cache=True)
def _diagonalise(a, v):
    """a becomes diagonal, with its eigenvalues; the columns of v become its eigenvectors."""
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
                    _rotate(a, v, p, q)
        if largest <= limit:
            return


MATRIX, MATRICES = float64[:, :], float64[:, :, :]


@guvectorize([(MATRIX, MATRIX, MATRICES, MATRIX)], "(k,k),(k,k),(n,k,k)->(k,k)", cache=True)
def mean_log(inverse, x, points, out):
    """Mean over i of Log(inverse x_i inverse^T), where inverse x inverse^T = I; leading axes broadcast."""
    n, k = points.shape[0], points.shape[1]
    half, a, v = np.empty((k, k)), np.empty((k, k)), np.empty((k, k))
    out[:] = 0.0
    for point in range(n):
        for i in range(k):
            for j in range(k):
                v[i, j] = points[point, i, j] - x[i, j]
        _whiten(inverse, v, half, a)
        shifted = _square(a) < NEAR**2
        if not shifted:
            _whiten(inverse, points[point], half, a)
        _diagonalise(a, v)
        for m in range(k):
            value = np.log1p(a[m, m]) if shifted else np.log(a[m, m])
            for i in range(k):
                for j in range(k):
                    out[i, j] += value * v[i, m] * v[j, m]
    out /= n
