"""Eliminate the inner vertices from a mesh's Laplacian, block by block of its nested dissection (multifrontal method).

Nested dissection is an order of elimination in which a sparse factor of a surface mesh stays sparse. A set of vertices
is halved along its longest extent; the vertices of one half that touch the other are the separator and come after both
halves, which are treated likewise (George 1973). Written out because scipy has no ordering that can keep the boundary
last, and none that tells the tree of separators, which makes the blocks.

A block's front is the dense matrix over its own vertices and those later ones that it touches. It gathers the block's
entries of the Laplacian and what the blocks below left over, its own vertices are eliminated, and the rest is left to
the block above (Duff and Reid 1983); what is left in the end is the Schur complement on the boundary.

Written out: scipy's SuperLU sees no symmetry and pivots anew each time (2.6 times as long for a disk map), and of the
wheels that hold CHOLMOD sksparse-minimal takes no order and shows no factor, and cvxopt is under the GPL. Sums run in a
fixed order, so that results do not depend on a BLAS or its threads.
"""

import numpy as np

from shapedp.storage.loops import loop

LEAF = 16  # sets of this size are not cut further

LOWER, UPPER, BETWEEN = 1, 2, 3


@loop
def dissect(points, starts, neighbours, part):
    """(the vertices `part` (m,) in their order of elimination, blocks (b, 3)).

    A block is a separator or a set that was not cut, in places begin:end of the order: first, begin, end, where
    first:end is the block with all the blocks that it separates. Blocks come in their order of elimination.

    points : (n, 3); starts, neighbours : the graph's rows (indptr and indices of a sparse matrix)
    """
    part = part.copy()
    side = np.zeros(len(points), dtype=np.int8)
    first_of, end_of = np.full(len(part) + 1, -1), np.zeros(len(part) + 1, dtype=np.int64)  # by a block's begin
    waiting = [(0, len(part))]
    while len(waiting) > 0:
        first, end = waiting.pop()
        begin = first
        if end - first > LEAF:
            members = part[first:end].copy()
            _halve(points, members, side)
            _separate(starts, neighbours, members, side)
            upper, begin = _arrange(part, first, members, side)
            side[members] = 0
            waiting.append((first, upper))
            waiting.append((upper, begin))
        if begin < end:
            first_of[begin], end_of[begin] = first, end
    begins = np.flatnonzero(first_of >= 0)
    return part, np.column_stack((first_of[begins], begins, end_of[begins]))


@loop
def _halve(points, members, side):
    """Mark the lower and the upper half; of equals the first members are the lower ones."""
    longest, axis = -1.0, 0
    for d in range(points.shape[1]):
        x = points[members, d]
        if x.max() - x.min() > longest:
            longest, axis = x.max() - x.min(), d
    x = points[members, axis]
    room = len(x) // 2
    middle = np.partition(x, room)[room]
    room -= np.sum(x < middle)
    for i in range(len(x)):
        equal_and_first = x[i] == middle and room > 0
        room -= equal_and_first
        side[members[i]] = LOWER if x[i] < middle or equal_and_first else UPPER


@loop
def _separate(starts, neighbours, members, side):
    for v in members:
        if side[v] == LOWER:
            for edge in range(starts[v], starts[v + 1]):
                if side[neighbours[edge]] == UPPER:
                    side[v] = BETWEEN


@loop
def _arrange(part, first, members, side):
    """Write the members to part[first:], half by half, the separator last; where the second and third begin."""
    at = first
    begins = [first, first, first]
    for which in (LOWER, UPPER, BETWEEN):
        begins[which - 1] = at
        for v in members:
            if side[v] == which:
                part[at] = v
                at += 1
    return begins[1], begins[2]


@loop
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


@loop
def _inverse(order):
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place


@loop
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


@loop
def _note(q, end, b, seen, rows):
    if q >= end and seen[q] != b:
        seen[q] = b
        rows.append(q)


@loop
def _gather(front, matrix, begin, end, local):
    """Add the matrix's entries on and right of the diagonal, for the vertices in begin:end."""
    starts, neighbours, values, order, place = matrix
    for p in range(begin, end):
        for edge in range(starts[order[p]], starts[order[p] + 1]):
            q = place[neighbours[edge]]
            if q >= p:
                front[local[p], local[q]] += values[edge]


@loop
def _add(front, left, local):
    """Add the upper half of what a block left, its rows at `local` in the front, ascending."""
    for i in range(len(local)):
        row = front[local[i]]
        for j in range(i, len(local)):
            row[local[j]] += left[i, j]


@loop(error_model="numpy")
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


@loop
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


@loop
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
