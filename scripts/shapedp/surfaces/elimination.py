"""Eliminate the inner vertices from a mesh's Laplacian, block by block of its nested dissection (multifrontal method).

A block's front is the dense matrix over its own vertices and those later ones that it touches. It gathers the block's
entries of the Laplacian and what the blocks below left over, its own vertices are eliminated, and the rest is left to
the block above (Duff and Reid 1983); what is left in the end is the Schur complement on the boundary.

Written out: scipy's SuperLU sees no symmetry and pivots anew each time (2.6 times as long for a disk map), and of the
wheels that hold CHOLMOD sksparse-minimal takes no order and shows no factor, and cvxopt is under the GPL. Sums run in a
fixed order, so that results do not depend on a BLAS or its threads.
"""

import numba
import numpy as np


@numba.njit(cache=True)
def eliminate(starts, neighbours, values, order, blocks):
    """(schur (B, B), starts (b + 1,) and rows of the fronts, starts (b + 1,) and entries of the factor U).

    Of each block, `rows` are the places of its later vertices, ascending, and the factor holds the rows of U = D L' for
    its own vertices, over its own vertices and `rows`; everywhere else they are 0.

    starts, neighbours, values : a symmetric matrix by rows; order : its vertices, those of no block (the boundary) last
    """
    n, inner = len(order), blocks[-1, 2] if len(blocks) > 0 else 0
    matrix = starts, neighbours, values, order, _inverse(order)
    row_starts, rows = _later_rows(matrix, blocks)
    own = blocks[:, 2] - blocks[:, 1]
    factor_starts = np.zeros(len(blocks) + 1, dtype=np.int64)
    factor_starts[1:] = np.cumsum(own * (own + np.diff(row_starts)))
    factor = np.empty(factor_starts[-1])
    local = np.empty(n, dtype=np.int64)
    waiting = [(0, np.zeros((0, 0))) for _ in range(0)]  # blocks, and what they left over
    for b in range(len(blocks)):
        first, begin, end = blocks[b]
        later = rows[row_starts[b] : row_starts[b + 1]]
        size = end - begin + len(later)
        local[begin:end] = np.arange(end - begin)
        local[later] = np.arange(end - begin, size)
        front = np.zeros((size, size))
        _gather(front, matrix, begin, end, local)
        while len(waiting) > 0 and blocks[waiting[-1][0], 1] >= first:
            below, left = waiting.pop()
            _add(front, left, local[rows[row_starts[below] : row_starts[below + 1]]])
        _eliminate_first(front, end - begin)
        factor[factor_starts[b] : factor_starts[b + 1]] = front[: end - begin].copy().ravel()
        waiting.append((b, front[end - begin :, end - begin :].copy()))
    schur = np.zeros((n - inner, n - inner))
    local[inner:] = np.arange(n - inner)
    _gather(schur, matrix, inner, n, local)
    for below, left in waiting:
        _add(schur, left, local[rows[row_starts[below] : row_starts[below + 1]]])
    for i in range(len(schur)):
        schur[i:, i] = schur[i, i:]
    return schur, row_starts, rows, factor_starts, factor


@numba.njit(cache=True)
def _inverse(order):
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


@numba.njit(cache=True)
def _later_rows(matrix, blocks):
    """Places that each block touches beyond its end, by itself or through the blocks below."""
    starts, neighbours, _, order, place = matrix
    row_starts = np.zeros(len(blocks) + 1, dtype=np.int64)
    rows = [0 for _ in range(0)]
    seen = np.full(len(order), -1)
    below = [0 for _ in range(0)]
    for b in range(len(blocks)):
        first, begin, end = blocks[b]
        for p in range(begin, end):
            for edge in range(starts[order[p]], starts[order[p] + 1]):
                _note(place[neighbours[edge]], end, b, seen, rows)
        while len(below) > 0 and blocks[below[-1], 1] >= first:
            child = below.pop()
            for at in range(row_starts[child], row_starts[child + 1]):
                _note(rows[at], end, b, seen, rows)
        below.append(b)
        rows[row_starts[b] :] = sorted(rows[row_starts[b] :])
        row_starts[b + 1] = len(rows)
    return row_starts, np.array(rows)


@numba.njit(cache=True)
def _note(q, end, b, seen, rows):
    if q >= end and seen[q] != b:
        seen[q] = b
        rows.append(q)


@numba.njit(cache=True)
def _gather(front, matrix, begin, end, local):
    """Add the matrix's entries on and right of the diagonal, for the vertices in begin:end."""
    starts, neighbours, values, order, place = matrix
    for p in range(begin, end):
        for edge in range(starts[order[p]], starts[order[p] + 1]):
            q = place[neighbours[edge]]
            if q >= p:
                front[local[p], local[q]] += values[edge]


@numba.njit(cache=True)
def _add(front, left, local):
    """Add the upper half of what a block left, its rows at `local` in the front, ascending."""
    for i in range(len(local)):
        row = front[local[i]]
        for j in range(i, len(local)):
            row[local[j]] += left[i, j]


@numba.njit(cache=True, error_model="numpy")
def _eliminate_first(front, count):
    """Eliminate the first vertices of a front, in place and in its upper half; four at a time, for the memory's sake.

    A pivot of 0 leaves infinities or NaN.
    """
    for i in range(len(front)):
        row = front[i, i:]
        last = min(i, count)
        k = 0
        while k + 4 <= last:
            a, b, c, d = front[k, i:], front[k + 1, i:], front[k + 2, i:], front[k + 3, i:]
            p, q = a[0] / front[k, k], b[0] / front[k + 1, k + 1]
            r, s = c[0] / front[k + 2, k + 2], d[0] / front[k + 3, k + 3]
            for j in range(len(row)):
                row[j] -= (p * a[j] + q * b[j]) + (r * c[j] + s * d[j])
            k += 4
        while k < last:
            a = front[k, i:]
            p = a[0] / front[k, k]
            for j in range(len(row)):
                row[j] -= p * a[j]
            k += 1


@numba.njit(cache=True)
def extend(blocks, row_starts, rows, factor_starts, factor, x):
    """Fill x (n, k), in the order's places, inwards from its last rows: U x = 0 for the eliminated."""
    for b in range(len(blocks) - 1, -1, -1):
        begin, end = blocks[b, 1], blocks[b, 2]
        later = rows[row_starts[b] : row_starts[b + 1]]
        u = factor[factor_starts[b] : factor_starts[b + 1]].reshape(end - begin, -1)
        for p in range(end - 1, begin - 1, -1):
            i = p - begin
            for column in range(x.shape[1]):
                total = 0.0
                for j in range(i + 1, end - begin):
                    total += u[i, j] * x[begin + j, column]
                for j in range(len(later)):
                    total += u[i, end - begin + j] * x[later[j], column]
                x[p, column] = -total / u[i, i]


@numba.njit(cache=True)
def move_outwards(blocks, row_starts, rows, factor_starts, factor, x):
    """Solve L y = x (n,) in place for the eliminated; the last entries end as x_B - A21 A11^-1 x_inner."""
    for b in range(len(blocks)):
        begin, end = blocks[b, 1], blocks[b, 2]
        later = rows[row_starts[b] : row_starts[b + 1]]
        u = factor[factor_starts[b] : factor_starts[b + 1]].reshape(end - begin, -1)
        for p in range(begin, end):
            i = p - begin
            if x[p] != 0:
                share = x[p] / u[i, i]
                for j in range(i + 1, end - begin):
                    x[begin + j] -= u[i, j] * share
                for j in range(len(later)):
                    x[later[j]] -= u[i, end - begin + j] * share
