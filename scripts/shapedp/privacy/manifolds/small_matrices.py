"""Logarithms and exponentials of small whitened matrices, their norms and means, many matrices side by side.

Written by hand because LAPACK and numpy spend their time on the calls, and because no library in use here is accurate
for ill-conditioned matrices: with x = L L^T and y = C C^T the eigenvalues of L^-1 y L^-T are the squared singular
values of M = L^-1 C, whose condition is the root of theirs. One-sided Jacobi rotations find them to relative accuracy
(Demmel, Veselic 1992). They find the eigenvalues of a symmetric a as well: those of a + s I, s > |a|, are its singular
values, and its rows turn into its eigenvectors. Where a pivot cancels, Cholesky factors and quotients are in
twice the working precision (Dekker 1971, Numerische Mathematik 18): a number is the pair (high, low) of doubles that
stands for high + low. Of a matrix of condition c the smallest pivot is known to c times the last digit: a relative
1e-10 at c = 1e6 in double precision, the last digit in this one.

A block of matrices is an array (k, k, lanes): the processor takes the same step of many matrices at once, which only
the innermost loops show. What one lane finds does not depend on the others.

Only the loops with a signature are kept on the disk, with all that they call. A helper kept by itself, compiled for two
sorts of arrays by two processes at once, could be found under the wrong one of the two. numba asks this file alone
whether what it kept is still true, so all that the loops call stands in it.
"""

import fcntl
import os
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import numba
import numpy as np
from numba import float64, njit

LOCK = "vectorized.lock"
BESIDE = Path(__file__).parent / "__pycache__"


def vectorized(signatures, layout):
    """Return a decorator that compiles a function over leading axes that broadcast, for these signatures, and keeps it.

    numba keeps such a function in one file and what numpy calls of it in another, which knows the first by a name that
    counts the functions a process has compiled. Of two processes that compile at once the one may leave the first file
    and the other the second; whoever reads the two then calls a function that is not there, and the process dies. So
    one process at a time compiles and reads.
    """

    def compiled(function):
        with _lock_file().open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return numba.guvectorize(signatures, layout, cache=True)(function)

    return compiled


def _lock_file():
    """Return a file to lock while loops are compiled: beside the compiled code, or where this user may write."""
    for folder in filter(None, (numba.config.CACHE_DIR, BESIDE)):
        with suppress(OSError):
            path = Path(folder) / LOCK
            path.parent.mkdir(parents=True, exist_ok=True)
            if os.access(path if path.exists() else path.parent, os.W_OK):
                return path
    return Path(tempfile.gettempdir()) / f"shapedp-{os.getuid()}-{LOCK}"


# 2^27 + 1, by which Dekker's product splits a double into two halves of 26 bits.
SPLIT = 134217729.0
# Matrices in a block at most: at k = 10 a block fills the nearest memory.
LANES = 32
# At most; a matrix takes 3 to 8.
SWEEPS = 30
# Cosine of two rows that count as orthogonal.
RIGHT = 1e-15
# Rows of the largest matrices that these loops take.
LARGEST = 10
# Below this distance of the whitened matrix from the identity, log(1 + a) starts from the exact difference.
NEAR = 0.1
# s over the norm of a, so that a + s I is positive definite.
SHIFT = 1.5
# For a = 0; its fourth power is still a number.
LEAST_SHIFT = 1e-75
# A squared pivot that has lost this much of its diagonal entry asks for twice the precision.
CANCELLED = 1e-3
MATRIX, MATRICES = float64[:, :], float64[:, :, :]

compiled = njit(error_model="numpy")
# With it a b + c is rounded once.
contracted = njit(error_model="numpy", fastmath={"contract"})
inner = njit(error_model="numpy", fastmath={"contract"}, forceinline=True)


@compiled
def _two_sum(a, b):
    """Return (a + b, what rounding took from it), so that factors of ill-conditioned matrices keep their digits."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@compiled
def _two_product(a, b):
    """Return (a b, what rounding took from it), so that factors of ill-conditioned matrices keep their digits."""
    p = a * b
    t = SPLIT * a
    high = t - (t - a)
    u = SPLIT * b
    other = u - (u - b)
    low, rest = a - high, b - other
    return p, ((high * other - p) + high * rest + low * other) + low * rest


@compiled
def _two_less_product(s, t, a, b, c, d):
    """Return (s, t) - (a, b) (c, d), so that ill-conditioned matrices' factors keep digits; pairs as of `_two_sum`."""
    p, e = _two_product(a, c)
    s, f = _two_sum(s, -p)
    return _two_sum(s, t + f - (e + a * d + b * c))


@compiled
def _two_quotient(s, t, a, b):
    """Return (s, t) / (a, b), so that factors of ill-conditioned matrices keep their digits; pairs as of `_two_sum`."""
    q = s / a
    rest, low = _two_less_product(s, t, q, 0.0, a, b)
    return _two_sum(q, (rest + low) / a)


@compiled
def _two_root(a, high, low):
    """Write the Cholesky factor of an ill-conditioned matrix a in twice the working precision, for accurate logs.

    (high + low)(high + low)^T = a, lower triangular; a negative pivot becomes NaN.
    """
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


@compiled
def _two_solve(high, low, other_high, other_low, out):
    """Write out, the quotient of ill-conditioned matrices' factors, whose singular values distances and logs need.

    For `_quotient`, in twice the working precision: out = (high + low)^-1 (other_high + other_low), all lower
    triangular, by forward substitution.
    """
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


@inner
def _dots(u, v, out):
    """Write the inner products of rows u and v (k, lanes), for all matrices of a block at once: lengths and angles."""
    out[:] = 0.0
    for i in range(len(u)):
        for lane in range(len(out)):
            out[lane] += u[i, lane] * v[i, lane]


@contracted
def _orthogonalise(m, squares):
    """Turn the rows of m until they are orthogonal, by Jacobi rotations: this finds singular or eigenvectors.

    squares become the rows' squared lengths. A rotation by tangent t turns a cosine c that another pair has left into
    one of about t c at most. Where k t c is below RIGHT for all of a sweep, the next one would find nothing, and the
    lane is done.
    """
    k, lanes = squares.shape
    is_turning = np.ones(lanes)
    work = np.empty((5, lanes))
    products, cosine, sine, steepest, largest = work[0], work[1], work[2], work[3], work[4]
    for _ in range(SWEEPS):
        for p in range(k):
            _dots(m[p], m[p], squares[p])
        steepest[:] = 0.0
        largest[:] = 0.0
        for p in range(k):
            for q in range(p + 1, k):
                _dots(m[p], m[q], products)
                if _any_turns(products, is_turning, squares[p], squares[q]):
                    _angles(products, is_turning, squares[p], squares[q], cosine, sine, steepest, largest)
                    _turn(m[p], m[q], cosine, sine)
        left = 0.0
        for lane in range(lanes):
            is_turning[lane] = is_turning[lane] if k**2 * steepest[lane] * largest[lane] > RIGHT**2 else 0.0
            left += is_turning[lane]
        if left == 0.0:
            return


@inner
def _any_turns(products, is_turning, p, q):
    """Return whether two rows must still be turned in some lane, or `_orthogonalise` may pass them by.

    p, q : their squared lengths
    """
    count = 0.0
    for lane in range(len(products)):
        count += 1.0 if is_turning[lane] * products[lane] ** 2 > RIGHT**2 * (p[lane] * q[lane]) else 0.0
    return count > 0.0


@inner
def _angles(products, is_turning, p, q, cosine, sine, steepest, largest):
    """Write, for `_orthogonalise`, cosine and sine of the rotations that make two rows orthogonal.

    They are by Jacobi's smaller angle. p, q : squared lengths of the two rows, which become those of the rotated ones
    """
    for lane in range(len(products)):
        c, lengths, d = products[lane], p[lane] * q[lane], q[lane] - p[lane]
        turns = is_turning[lane] * c * c > RIGHT**2 * lengths
        whole = abs(d) + np.sqrt(d * d + 4 * c * c) if turns else 1.0
        t = np.copysign(2.0, d) * c / whole if turns else 0.0
        p[lane] -= t * c
        q[lane] += t * c
        cosine[lane] = 1 / np.sqrt(t * t + 1)
        sine[lane] = t * cosine[lane]
        steepest[lane] = max(steepest[lane], t * t)
        largest[lane] = max(largest[lane], c * c / lengths if turns else 0.0)


@inner
def _turn(p, q, cosine, sine):
    """Rotate the rows p and q by the angles that `_angles` found: one step of `_orthogonalise`."""
    for i in range(len(p)):
        for lane in range(len(cosine)):
            u, v = p[i, lane], q[i, lane]
            p[i, lane] = cosine[lane] * u - sine[lane] * v
            q[i, lane] = sine[lane] * u + cosine[lane] * v


@contracted
def _root(a, out, kept):
    """Write the Cholesky factors of a block of matrices, out out^T = a, by which they are whitened.

    kept : at most the least share of a diagonal entry that a squared pivot kept
    """
    k, lanes = len(a), len(kept)
    out[:] = 0.0
    for j in range(k):
        for i in range(j, k):
            entry = out[i, j]
            entry[:] = a[i, j]
            for m in range(j):
                for lane in range(lanes):
                    entry[lane] -= out[i, m, lane] * out[j, m, lane]
            for lane in range(lanes):
                if i == j:
                    kept[lane] = min(kept[lane], entry[lane] / a[j, j, lane])
                    entry[lane] = np.sqrt(entry[lane])
                else:
                    entry[lane] /= out[j, j, lane]


@contracted
def _solve(root, b, out):
    """Write out^T = root^-1 b, b full, for a block of matrices: applied twice it whitens b."""
    k, lanes = len(root), root.shape[2]
    for j in range(k):
        for i in range(k):
            entry = out[j, i]
            entry[:] = b[i, j]
            for m in range(i):
                for lane in range(lanes):
                    entry[lane] -= root[i, m, lane] * out[j, m, lane]
            for lane in range(lanes):
                entry[lane] /= root[i, i, lane]


@contracted
def _apply(a, b, out):
    """Write (a b)^T to out, one a (k, k) for all lanes: applied twice, on a symmetric b, it whitens b to a b a^T."""
    k = len(a)
    out[:] = 0.0
    for i in range(k):
        for j in range(k):
            for m in range(k):
                for lane in range(b.shape[2]):
                    out[j, i, lane] += a[i, m] * b[m, j, lane]


@contracted
def _quotient(x, y, root, other, m):
    """Write m^T = L^-1 C for x = L L^T, y = C C^T, whose squared singular values are y's eigenvalues beside x.

    It is in twice the precision where a pivot cancels; root becomes L.
    """
    k, lanes = len(x), x.shape[2]
    kept = np.ones(lanes)
    _root(x, root, kept)
    _root(y, other, kept)
    _solve(root, other, m)
    for lane in range(lanes):
        if not kept[lane] > CANCELLED:
            low, other_low, out = np.empty((k, k)), np.empty((k, k)), np.empty((k, k))
            _two_root(x[:, :, lane], root[:, :, lane], low)
            _two_root(y[:, :, lane], other[:, :, lane], other_low)
            _two_solve(root[:, :, lane], low, other[:, :, lane], other_low, out)
            m[:, :, lane] = out.T


@contracted
def _is_near(m, distance):
    """Return whether some lane's m^T m is near the identity, where logarithms need an exact difference.

    distance becomes its squared distance from the identity.
    """
    k, lanes = len(m), len(distance)
    products = np.empty(lanes)
    distance[:] = 0.0
    for p in range(k):
        for q in range(p + 1):
            _dots(m[p], m[q], products)
            for lane in range(lanes):
                distance[lane] += (products[lane] - 1) ** 2 if p == q else 2 * products[lane] ** 2
    return distance.min() < NEAR**2


@contracted
def _shift(a, chosen, m, shift):
    """Make a matrix positive, so that `_orthogonalise` finds its eigenvectors: write m = a + s I, and s into shift.

    a, m (k, k, lanes) hold a symmetric matrix in each lane; s (lanes,) lies above the length of a. Lanes that are not
    chosen stay.
    """
    k = len(a)
    for lane in range(len(shift)):
        if chosen[lane]:
            square = 0.0
            for i in range(k):
                for j in range(k):
                    square += a[i, j, lane] ** 2
            shift[lane] = max(SHIFT * np.sqrt(square), LEAST_SHIFT)
            for i in range(k):
                for j in range(k):
                    m[i, j, lane] = a[i, j, lane]
                m[i, i, lane] += shift[lane]


@contracted
def _spectrum(m, shift, values):
    """Turn the rows of m into eigenvectors, and write the eigenvalues' logs: a matrix logarithm, for distance and mean.

    They are those of m^T m or, where m = a + shift I, of I + a.
    """
    k, lanes = values.shape
    _orthogonalise(m, values)
    for p in range(k):
        _dots(m[p], m[p], values[p])
        for lane in range(lanes):
            square, length = values[p, lane], np.sqrt(values[p, lane])
            values[p, lane] = np.log1p(length - shift[lane]) if shift[lane] > 0 else np.log(square)
            for i in range(k):
                m[p, i, lane] /= length


@contracted
def _exponentials(m, shift, values):
    """Write a matrix exponential's spectrum, by which `_exp` moves along geodesics: a's eigenvectors, e^eigenvalues.

    m = a + shift I was orthogonalised; its rows are turned into the eigenvectors.
    """
    k, lanes = values.shape
    for p in range(k):
        _dots(m[p], m[p], values[p])
        for lane in range(lanes):
            length = np.sqrt(values[p, lane])
            values[p, lane] = np.exp(length - shift[lane])
            for i in range(k):
                m[p, i, lane] /= length


@contracted
def _whitened(x, y, work, m, logs):
    """Write the spectrum of y seen from x = L L^T, from which `_log` and `_dist` have the way from x to y.

    These are eigenvectors (rows of m) and logarithms of the eigenvalues of L^-1 y L^-T; work[0] becomes L.
    """
    distance, shift = np.empty(x.shape[2]), np.zeros(x.shape[2])
    _quotient(x, y, work[0], work[1], m)
    if _is_near(m, distance):
        work[2] = y - x
        _whiten(work)
        _shift(work[2], distance < NEAR**2, m, shift)
    _spectrum(m, shift, logs)


@contracted
def _whiten(work):
    """Turn work[2] into L^-1 work[2] L^-T, L = work[0]."""
    _solve(work[0], work[2], work[1])
    _solve(work[0], work[1], work[2])


@contracted
def _unwhiten(work, values, rows, out):
    """Write out, the tangent vector or point that a spectrum found beside x stands for: the last step of log and exp.

    x = L L^T, L = work[0]; out = L (sum_p values_p rows_p rows_p^T) L^T.
    """
    k, lanes = values.shape
    ahead = work[1]
    ahead[:] = 0.0
    for p in range(k):
        for i in range(k):
            for j in range(i + 1):
                for lane in range(lanes):
                    ahead[p, i, lane] += work[0, i, j, lane] * rows[p, j, lane]
    out[:] = 0.0
    _add(values, ahead, out)


@contracted
def _add(values, rows, out):
    """Add to out the matrices that have these eigenvalues and eigenvectors, for tangent vectors and their means.

    That is sum_p values_p rows_p rows_p^T, in the lower triangle and mirrored.
    """
    k, lanes = values.shape
    for i in range(k):
        for j in range(i + 1):
            for p in range(k):
                for lane in range(lanes):
                    out[i, j, lane] += values[p, lane] * rows[p, i, lane] * rows[p, j, lane]
            out[j, i] = out[i, j]


@compiled
def _width(n):
    """Return the lanes of a block where n matrices are divided evenly."""
    blocks = max(1, (n + LANES - 1) // LANES)
    return max(1, (n + blocks - 1) // blocks)


@compiled
def _take(matrices, start, out):
    """Write out[..., lane] = matrices[start + lane]; beyond the last, the last again."""
    for lane in range(out.shape[2]):
        out[:, :, lane] = matrices[min(start + lane, len(matrices) - 1)]


@compiled
def _put(block, start, out):
    """Write out[start + lane] = block[..., lane], as far as there are matrices: the opposite of `_take`."""
    for lane in range(min(block.shape[2], len(out) - start)):
        out[start + lane] = block[:, :, lane]


@vectorized([(MATRICES, MATRICES, MATRICES)], "(n,k,k),(n,k,k)->(n,k,k)")
def _log(x, y, out):
    """Write the tangent vectors at x that lead to y, in which matrices are averaged and noised, side by side.

    That is L Log(L^-1 y L^-T) L^T for x = L L^T.
    """
    k, lanes = x.shape[1], _width(len(x))
    work, logs = np.empty((6, k, k, lanes)), np.empty((k, lanes))
    for start in range(0, len(x), lanes):
        _take(x, start, work[4])
        _take(y, start, work[5])
        _whitened(work[4], work[5], work, work[3], logs)
        _unwhiten(work, logs, work[3], work[4])
        _put(work[4], start, out)


@vectorized([(MATRICES, MATRICES, MATRICES)], "(n,k,k),(n,k,k)->(n,k,k)")
def _exp(x, v, out):
    """Write the points to which tangent vectors v at x lead, by which means and noise become matrices, side by side.

    That is L Exp(L^-1 v L^-T) L^T for x = L L^T.
    """
    k, lanes = x.shape[1], _width(len(x))
    work, values = np.empty((5, k, k, lanes)), np.empty((k, lanes))
    every, shift = np.ones(lanes, dtype=np.bool_), np.ones(lanes)
    for start in range(0, len(x), lanes):
        _take(x, start, work[4])
        _take(v, start, work[2])
        _root(work[4], work[0], shift)
        _whiten(work)
        _shift(work[2], every, work[3], shift)
        _orthogonalise(work[3], values)
        _exponentials(work[3], shift, values)
        _unwhiten(work, values, work[3], work[4])
        _put(work[4], start, out)


@vectorized([(MATRICES, MATRICES, float64[:])], "(n,k,k),(n,k,k)->(n)")
def _dist(x, y, out):
    """Write the distances of positive definite x and y, by which the papers' noise on P(k) falls off, side by side.

    That is the Frobenius norm of Log(L^-1 y L^-T) for x = L L^T.
    """
    k, lanes = x.shape[1], _width(len(x))
    work, logs, squares = np.empty((6, k, k, lanes)), np.empty((k, lanes)), np.empty(lanes)
    for start in range(0, len(x), lanes):
        _take(x, start, work[4])
        _take(y, start, work[5])
        _whitened(work[4], work[5], work, work[3], logs)
        _dots(logs, logs, squares)
        for lane in range(min(lanes, len(x) - start)):
            out[start + lane] = np.sqrt(squares[lane])


@vectorized([(MATRIX, MATRIX, MATRICES, MATRIX)], "(k,k),(k,k),(n,k,k)->(k,k)")
def mean_log(inverse, x, points, out):
    """Write the mean of whitened points' logarithms, the step of a Fréchet mean: of Log(inverse x_i inverse^T) over i.

    inverse x inverse^T = I; leading axes broadcast.
    """
    n, k, lanes = points.shape[0], points.shape[1], _width(len(points))
    work, total = np.empty((3, k, k, lanes)), np.zeros((k, k, lanes))
    point, root, m = work[0], work[1], work[2]
    logs, distance, shift = np.empty((k, lanes)), np.ones(lanes), np.empty(lanes)
    for start in range(0, n, lanes):
        _take(points, start, point)
        _root(point, root, distance)
        _apply(inverse, root, m)
        shift[:] = 0.0
        if _is_near(m, distance):
            for lane in range(lanes):
                point[:, :, lane] -= x
            _apply(inverse, point, root)
            _apply(inverse, root, point)
            _shift(point, distance < NEAR**2, m, shift)
        _spectrum(m, shift, logs)
        logs[:, n - start :] = 0.0
        _add(logs, m, total)
    for i in range(k):
        for j in range(k):
            out[i, j] = total[i, j].sum() / n


def _side_by_side(loop, *pair):
    """Return what a compiled loop makes of two arrays of matrices, whose leading axes broadcast, all as one row."""
    shape = np.broadcast_shapes(*(np.shape(matrices) for matrices in pair))
    rows = loop(*(np.broadcast_to(matrices, shape).reshape(-1, *shape[-2:]) for matrices in pair))
    return rows.reshape(shape[: len(shape) - 3 + rows.ndim])


log, exp, dist = (partial(_side_by_side, loop) for loop in (_log, _exp, _dist))
