"""Logarithms of small whitened matrices, their norms and means, each in one compiled loop.

Written by hand because LAPACK and numpy spend their time on the calls, and because no library in use here is accurate
for ill-conditioned matrices: with x = L L^T and y = C C^T the eigenvalues of L^-1 y L^-T are the squared singular
values of M = L^-1 C, whose condition is the root of theirs. One-sided Jacobi rotations find them to relative accuracy
(Demmel, Veselic 1992).

Only the loops with a signature are kept on the disk, with all that they call. A helper kept by itself, compiled for two
sorts of arrays by two processes at once, could be found under the wrong one of the two. numba asks this file alone
whether what it kept is still true: a change in `jacobi` or `double_double` needs one here.
"""

import numpy as np
from numba import float64, njit

from shapedp.manifolds import double_double, jacobi
from shapedp.manifolds.vectorized import vectorized

LARGEST = 10  # rows; above, LAPACK is as fast
LARGEST_EXP = 6  # rows; the same for exponentials
NEAR = 0.1  # below this distance of the whitened matrix from the identity, log(1 + a) starts from the exact difference
CANCELLED = 1e-3  # a squared pivot that has lost this much of its diagonal entry asks for twice the precision


@njit
def _root(a, out):
    """out out^T = a, lower triangular; the least share of a diagonal entry that a squared pivot kept."""
    kept = 1.0
    k = len(a)
    for j in range(k):
        for i in range(j):
            out[i, j] = 0.0
        for i in range(j, k):
            s = a[i, j]
            for m in range(j):
                s -= out[i, m] * out[j, m]
            if i == j:
                kept = min(kept, s / a[j, j])
                out[j, j] = np.sqrt(s)
            else:
                out[i, j] = s / out[j, j]
    return kept


@njit
def _solve(root, b, out):
    """out^T = root^-1 b, b full."""
    k = len(root)
    for j in range(k):
        for i in range(k):
            s = b[i, j]
            for m in range(i):
                s -= root[i, m] * out[j, m]
            out[j, i] = s / root[i, i]


@njit
def _apply(a, b, out):
    """out^T = a b."""
    k = len(a)
    for i in range(k):
        for j in range(k):
            total = 0.0
            for m in range(k):
                total += a[i, m] * b[m, j]
            out[j, i] = total


@njit
def _quotient(x, y, work, m):
    """m^T = L^-1 C for x = L L^T, y = C C^T, in twice the precision where a pivot cancels; work[0] (k, k) becomes L."""
    if min(_root(x, work[0]), _root(y, work[1])) > CANCELLED:
        _solve(work[0], work[1], m)
        return
    double_double.root(x, work[0], work[2])
    double_double.root(y, work[1], work[3])
    double_double.solve(work[0], work[2], work[1], work[3], m)
    for i in range(len(m)):
        for j in range(i):
            m[i, j], m[j, i] = m[j, i], m[i, j]


@njit
def _spectrum(m, squares):
    """Rows of m^T m's eigenvectors in m, logarithms of its eigenvalues in squares; whether it is near the identity."""
    k = len(m)
    jacobi.orthogonalise(m, squares)
    distance = 0.0
    for p in range(k):
        square = jacobi.dot(m[p], m[p])
        distance += (square - 1) ** 2
        squares[p] = np.log(square)
        m[p] /= np.sqrt(square)
    return distance < NEAR**2


@njit
def _near(d, v, logs):
    """The same for I + d: eigenvectors in the rows of v, log(1 + eigenvalue of d)."""
    jacobi.diagonalise(d, v)
    for p in range(len(d)):
        logs[p] = np.log1p(d[p, p])


@njit
def _add(logs, rows, out):
    """out += sum_p logs_p rows_p rows_p^T."""
    k = len(logs)
    for p in range(k):
        for i in range(k):
            scaled = logs[p] * rows[p, i]
            for j in range(k):
                out[i, j] += scaled * rows[p, j]


@njit
def _whitened(x, y, work, m, logs):
    """Eigenvectors (rows of m) and logarithms of the eigenvalues of L^-1 y L^-T; work[0] becomes L."""
    _quotient(x, y, work, m)
    if _spectrum(m, logs):
        for i in range(len(x)):
            for j in range(len(x)):
                work[1, i, j] = y[i, j] - x[i, j]
        _whiten(work)
        _near(work[1], m, logs)


@njit
def _whiten(work):
    """work[1] becomes L^-1 work[1] L^-T, L = work[0]."""
    _solve(work[0], work[1], work[2])
    _solve(work[0], work[2], work[1])


@njit
def _unwhiten(work, values, rows, out):
    """out = L (sum_p values_p rows_p rows_p^T) L^T, L = work[0]."""
    k = len(values)
    for p in range(k):
        for i in range(k):
            total = 0.0
            for j in range(i + 1):
                total += work[0, i, j] * rows[p, j]
            work[1, p, i] = total
    out[:] = 0.0
    _add(values, work[1], out)


MATRIX, MATRICES = float64[:, :], float64[:, :, :]


@vectorized([(MATRIX, MATRIX, MATRIX)], "(k,k),(k,k)->(k,k)")
def log(x, y, out):
    """L Log(L^-1 y L^-T) L^T for x = L L^T; leading axes broadcast."""
    k = len(x)
    work, m, logs = np.empty((4, k, k)), np.empty((k, k)), np.empty(k)
    _whitened(x, y, work, m, logs)
    _unwhiten(work, logs, m, out)


@vectorized([(MATRIX, MATRIX, MATRIX)], "(k,k),(k,k)->(k,k)")
def exp(x, v, out):
    """L Exp(L^-1 v L^-T) L^T for x = L L^T; leading axes broadcast."""
    k = len(x)
    work, rows, values = np.empty((3, k, k)), np.empty((k, k)), np.empty(k)
    _root(x, work[0])
    work[1] = v
    _whiten(work)
    jacobi.diagonalise(work[1], rows)
    for p in range(k):
        values[p] = np.exp(work[1, p, p])
    _unwhiten(work, values, rows, out)


@vectorized([(MATRIX, MATRIX, float64[:])], "(k,k),(k,k)->()")
def dist(x, y, out):
    """Frobenius norm of Log(L^-1 y L^-T); leading axes broadcast."""
    k = len(x)
    work, m, logs = np.empty((4, k, k)), np.empty((k, k)), np.empty(k)
    _whitened(x, y, work, m, logs)
    out[0] = np.sqrt(jacobi.dot(logs, logs))


@vectorized([(MATRIX, MATRIX, MATRICES, MATRIX)], "(k,k),(k,k),(n,k,k)->(k,k)")
def mean_log(inverse, x, points, out):
    """Mean over i of Log(inverse x_i inverse^T), where inverse x inverse^T = I; leading axes broadcast."""
    n, k = points.shape[0], points.shape[1]
    root, m, d, logs = np.empty((k, k)), np.empty((k, k)), np.empty((k, k)), np.empty(k)
    out[:] = 0.0
    for point in range(n):
        _root(points[point], root)
        _apply(inverse, root, m)
        if _spectrum(m, logs):
            for i in range(k):
                for j in range(k):
                    root[i, j] = points[point, i, j] - x[i, j]
            _apply(inverse, root, m)
            _apply(inverse, m, d)
            _near(d, m, logs)
        _add(logs, m, out)
    out /= n
