"""Logarithms of small whitened matrices, their norms and means, each in one compiled loop.

Written by hand because LAPACK and numpy spend their time on the calls, and because no library in use here is accurate
for ill-conditioned matrices: with x = L L^T and y = C C^T the eigenvalues of L^-1 y L^-T are the squared singular
values of M = L^-1 C, whose condition is the root of theirs. One-sided Jacobi rotations find them to relative accuracy
(Demmel, Veselic 1992); two-sided ones find eigenvalues. Where a pivot cancels, Cholesky factors and quotients are in
twice the working precision (Dekker 1971, Numerische Mathematik 18): a number is the pair (high, low) of doubles that
stands for high + low. Of a matrix of condition c the smallest pivot is known to c times the last digit: a relative
1e-10 at c = 1e6 in double precision, the last digit in this one.

Only the loops with a signature are kept on the disk, with all that they call. A helper kept by itself, compiled for two
sorts of arrays by two processes at once, could be found under the wrong one of the two. numba asks this file alone
whether what it kept is still true, so all that the loops call stands in it.
"""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import numba
import numpy as np
from numba import float64, njit

from shapedp.storage import files

LOCK = "vectorized.lock"
BESIDE = Path(__file__).parent / "__pycache__"


def vectorized(signatures, layout):
    """A decorator: the function over leading axes that broadcast, compiled now for these signatures and kept on disk.

    numba keeps such a function in one file and what numpy calls of it in another, which knows the first by a name that
    counts the functions a process has compiled. Of two processes that compile at once the one may leave the first file
    and the other the second; whoever reads the two then calls a function that is not there, and the process dies. So
    one process at a time compiles and reads.
    """

    def compiled(function):
        with files.locked(_lock_file()):
            return numba.guvectorize(signatures, layout, cache=True)(function)

    return compiled


def _lock_file():
    """A file that this user may write, where the compiled code lies, or else on this machine."""
    for folder in filter(None, (numba.config.CACHE_DIR, BESIDE)):
        with suppress(OSError):
            path = Path(folder) / LOCK
            path.parent.mkdir(parents=True, exist_ok=True)
            if os.access(path if path.exists() else path.parent, os.W_OK):
                return path
    return Path(tempfile.gettempdir()) / f"shapedp-{os.getuid()}-{LOCK}"


SPLIT = 134217729.0  # 2^27 + 1
SWEEPS = 30  # a matrix takes 3 to 7
ROUNDING = 1e-17  # of the matrix's norm: what is left off the diagonal then is below the last digit
RIGHT = 1e-15  # cosine of two columns that count as orthogonal
LARGEST = 10  # rows; above, LAPACK is as fast
LARGEST_EXP = 6  # rows; the same for exponentials
NEAR = 0.1  # below this distance of the whitened matrix from the identity, log(1 + a) starts from the exact difference
CANCELLED = 1e-3  # a squared pivot that has lost this much of its diagonal entry asks for twice the precision
MATRIX, MATRICES = float64[:, :], float64[:, :, :]


@njit
def _two_sum(a, b):
    """(a + b, what rounding took from it)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit
def _two_product(a, b):
    """(a b, what rounding took from it)."""
    p = a * b
    t = SPLIT * a
    high = t - (t - a)
    u = SPLIT * b
    other = u - (u - b)
    low, rest = a - high, b - other
    return p, ((high * other - p) + high * rest + low * other) + low * rest


@njit
def _two_less_product(s, t, a, b, c, d):
    """(s, t) - (a, b) (c, d)."""
    p, e = _two_product(a, c)
    s, f = _two_sum(s, -p)
    return _two_sum(s, t + f - (e + a * d + b * c))


@njit
def _two_quotient(s, t, a, b):
    """(s, t) / (a, b)."""
    q = s / a
    rest, low = _two_less_product(s, t, q, 0.0, a, b)
    return _two_sum(q, (rest + low) / a)


@njit
def _two_root(a, high, low):
    """(high + low)(high + low)^T = a, lower triangular; a negative pivot becomes NaN."""
    k = len(a)
    for j in range(k):
        for i in range(k):
            high[i, j] = low[i, j] = 0.0
        for i in range(j, k):
            s, t = a[i, j], 0.0
            for m in range(j):
                s, t = _two_less_product(s, t, high[i, m], low[i, m], high[j, m], low[j, m])
            if i == j:
                r = np.sqrt(s)
                rest, f = _two_less_product(s, t, r, 0.0, r, 0.0)
                high[j, j], low[j, j] = _two_sum(r, (rest + f) / (2 * r))
            else:
                high[i, j], low[i, j] = _two_quotient(s, t, high[j, j], low[j, j])


@njit
def _two_solve(high, low, other_high, other_low, out):
    """out = (high + low)^-1 (other_high + other_low), both lower triangular, by forward substitution."""
    k = len(out)
    for j in range(k):
        for i in range(j):
            out[i, j] = 0.0
        for i in range(j, k):
            s, t = other_high[i, j], other_low[i, j]
            for m in range(j, i):
                # earlier quotients replace the right-hand side, which is not needed any more
                s, t = _two_less_product(s, t, high[i, m], low[i, m], other_high[m, j], other_low[m, j])
            other_high[i, j], other_low[i, j] = _two_quotient(s, t, high[i, i], low[i, i])
            out[i, j] = other_high[i, j]


@njit
def _dot(u, v):
    total = 0.0
    for i in range(len(u)):
        total += u[i] * v[i]
    return total


@njit
def _orthogonalise(m, squares):
    """Rows of m become orthogonal by rotations; squares are their squared lengths.

    A rotation by tangent t turns a cosine c that another pair has left into one of about t c at most. Where k t c is
    below RIGHT for all of a sweep, the next one would find nothing.
    """
    k = len(m)
    for _ in range(SWEEPS):
        for p in range(k):
            squares[p] = _dot(m[p], m[p])
        steepest = largest = 0.0
        for p in range(k):
            for q in range(p + 1, k):
                c = _dot(m[p], m[q])
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
def _diagonalise(a, v):
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
    _two_root(x, work[0], work[2])
    _two_root(y, work[1], work[3])
    _two_solve(work[0], work[2], work[1], work[3], m)
    for i in range(len(m)):
        for j in range(i):
            m[i, j], m[j, i] = m[j, i], m[i, j]


@njit
def _spectrum(m, squares):
    """Rows of m^T m's eigenvectors in m, logarithms of its eigenvalues in squares; whether it is near the identity."""
    k = len(m)
    _orthogonalise(m, squares)
    distance = 0.0
    for p in range(k):
        square = _dot(m[p], m[p])
        distance += (square - 1) ** 2
        squares[p] = np.log(square)
        m[p] /= np.sqrt(square)
    return distance < NEAR**2


@njit
def _near(d, v, logs):
    """The same for I + d: eigenvectors in the rows of v, log(1 + eigenvalue of d)."""
    _diagonalise(d, v)
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
    _diagonalise(work[1], rows)
    for p in range(k):
        values[p] = np.exp(work[1, p, p])
    _unwhiten(work, values, rows, out)


@vectorized([(MATRIX, MATRIX, float64[:])], "(k,k),(k,k)->()")
def dist(x, y, out):
    """Frobenius norm of Log(L^-1 y L^-T); leading axes broadcast."""
    k = len(x)
    work, m, logs = np.empty((4, k, k)), np.empty((k, k)), np.empty(k)
    _whitened(x, y, work, m, logs)
    out[0] = np.sqrt(_dot(logs, logs))


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
