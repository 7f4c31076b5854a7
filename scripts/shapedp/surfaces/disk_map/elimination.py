"""Eliminate the inner vertices from a mesh's Laplacian, block by block of its nested dissection (multifrontal method).

Nested dissection is an order of elimination in which a sparse factor of a surface mesh stays sparse. A set of vertices
is halved along its longest extent; the vertices of one half that touch the other are the separator and come after both
halves, which are treated likewise (George 1973). scipy has no ordering that can keep the boundary last, and none that
tells the tree of separators, which makes the blocks.

A block's front is the dense matrix over its own vertices and those later ones that it touches. It gathers the block's
entries of the Laplacian and what the blocks below left over, its own vertices are eliminated, and the rest is left to
the block above (Duff and Reid 1983); what is left in the end is the Schur complement on the boundary.

scipy's SuperLU sees no symmetry and pivots anew each time (2.6 times as long for a disk map); of the wheels that hold
CHOLMOD sksparse-minimal takes no order and shows no factor, and cvxopt is under the GPL. Sums run in a fixed order, so
that results do not depend on a BLAS or its threads.

A front is as wide as a separator, which a surface that lies open in space keeps short. Where neighbours lie far apart
the fronts are known before any is laid out, and a mesh that asks for more than any scan does is refused.
"""

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.storage.loops import loop

# Numbers held at once, 2 GiB: twelve times what the densest scan takes that was mapped.
MOST_NUMBERS = 1 << 28
# Products of two numbers, which take half a minute; that scan takes 6.5e9.
MOST_PRODUCTS = 3e11

# Sets of this size are not cut further.
LEAF = 32
# A set is cut at the mean, unless one side holds less than an eighth: then at the median.
UNEVEN = 8

LOWER, UPPER, BETWEEN = 1, 2, 3


@loop
def dissect(points, starts, neighbours, part):
    """Return (the vertices `part` (m,) in an order of elimination that keeps the factor sparse, blocks (b, 3)).

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
            lower = _halve(points, members, side)
            between = _separate(starts, neighbours, members, side)
            upper, begin = first + lower - between, end - between
            _arrange(part, first, upper, begin, members, side)
            waiting.append((first, upper))
            waiting.append((upper, begin))
        if begin < end:
            first_of[begin], end_of[begin] = first, end
    begins = np.flatnonzero(first_of >= 0)
    return part, np.column_stack((first_of[begins], begins, end_of[begins]))


@loop
def _halve(points, members, side):
    """Mark members as LOWER or UPPER along their longest extent, the cut of `dissect`; return how many are lower.

    Of equals the first members are the lower ones.
    """
    low, high, total = np.full(3, np.inf), np.full(3, -np.inf), np.zeros(3)
    for v in members:
        for d in range(3):
            x = points[v, d]
            low[d], high[d], total[d] = min(low[d], x), max(high[d], x), total[d] + x
    axis = np.argmax(high - low)
    middle, lower = total[axis] / len(members), 0
    for v in members:
        is_lower = points[v, axis] < middle
        lower += is_lower
        side[v] = LOWER if is_lower else UPPER
    if UNEVEN * min(lower, len(members) - lower) >= len(members):
        return lower
    x = points[members, axis]
    lower = len(x) // 2
    middle = np.partition(x, lower)[lower]
    room = lower - np.sum(x < middle)
    for i in range(len(x)):
        equal_and_first = x[i] == middle and room > 0
        room -= equal_and_first
        side[members[i]] = LOWER if x[i] < middle or equal_and_first else UPPER
    return lower


@loop
def _separate(starts, neighbours, members, side):
    """Mark the lower members that touch an upper one as the separator of `dissect`; return how many they are."""
    count = 0
    for v in members:
        if side[v] == LOWER:
            for edge in range(starts[v], starts[v + 1]):
                if side[neighbours[edge]] == UPPER:
                    side[v] = BETWEEN
                    count += 1
                    break
    return count


@loop
def _arrange(part, first, upper, begin, members, side):
    """Write the members to part[first:], half by half and the separator last, as `dissect` goes on; take their marks
    away.
    """
    for v in members:
        if side[v] == LOWER:
            part[first] = v
            first += 1
        elif side[v] == UPPER:
            part[upper] = v
            upper += 1
        else:
            part[begin] = v
            begin += 1
        side[v] = 0


def eliminate(starts, neighbours, values, order, blocks):
    """Return the Schur complement of a Laplacian on the boundary, by which the disk map is found, and the factor to
    extend it.

    (schur (B, B), starts (b + 1,) and rows of the fronts, starts (b + 1,) and entries of the factor U). Of each block,
    `rows` are the places of its later vertices, ascending, and the factor holds the rows of U = D L' for its own
    vertices, over its own vertices and `rows`; everywhere else they are 0.

    starts, neighbours, values : a symmetric matrix by rows; order : its vertices, those of no block (the boundary) last
    """
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    matrix = starts, neighbours, values, order, place
    # What the elimination asks for is known before any front is laid out, so that no mesh can fill the memory.
    row_starts, rows = _find_later_rows(matrix, blocks, MOST_NUMBERS)
    numbers, products = _measure_demand(blocks, row_starts) if len(rows) <= MOST_NUMBERS else (float(len(rows)), 0.0)
    if numbers > MOST_NUMBERS or products > MOST_PRODUCTS:
        raise Rejected(
            "too_entangled",
            f"mapping the mesh takes {8 * numbers / 2**30:.1f} GiB and {products:.1g} products, more than any "
            f"scan of one surface needs ({MOST_NUMBERS >> 27} GiB, {MOST_PRODUCTS:.1g}), because its triangles "
            "join points that lie far apart: save the points alone, or mesh the scan again",
        )
    return _eliminate_blocks(matrix, blocks, row_starts, rows)


@loop
def _measure_demand(blocks, row_starts):
    """Return (numbers held at once, products of two numbers) that an elimination would take, so that `eliminate` can
    refuse.

    Held at once are the factor, the widest front, and what waits.
    """
    factor, widest, waiting, most, products = 0.0, 0.0, 0.0, 0.0, 0.0
    leftovers = [(0, 0.0) for _ in range(0)]
    for b in range(len(blocks)):
        own, later = float(blocks[b, 2] - blocks[b, 1]), float(row_starts[b + 1] - row_starts[b])
        factor, widest = factor + own * (own + later), max(widest, (own + later) ** 2)
        products += own * (own + later) ** 2
        while len(leftovers) > 0 and blocks[leftovers[-1][0], 1] >= blocks[b, 0]:
            waiting -= leftovers.pop()[1]
        leftovers.append((b, later**2))
        waiting += later**2
        most = max(most, waiting)
    return factor + widest + most, products


@loop
def _eliminate_blocks(matrix, blocks, row_starts, rows):
    """Return a Laplacian's Schur complement and factor, which disk maps need, for `eliminate`: the compiled loop.

    It goes block by block; `row_starts` and `rows` are of `_find_later_rows`.
    """
    _, _, _, order, _ = matrix
    n, inner = len(order), blocks[-1, 2] if len(blocks) > 0 else 0
    own = blocks[:, 2] - blocks[:, 1]
    factor_starts = np.zeros(len(blocks) + 1, dtype=np.int64)
    factor_starts[1:] = np.cumsum(own * (own + np.diff(row_starts)))
    factor = np.empty(factor_starts[-1])
    local = np.empty(n, dtype=np.int64)
    largest = np.max(own + np.diff(row_starts)) if len(blocks) > 0 else 0
    work = np.empty(largest * largest)
    # Blocks, and what they left over for the block above.
    waiting = [(0, np.zeros((0, 0))) for _ in range(0)]
    for b in range(len(blocks)):
        first, begin, end = blocks[b]
        later = rows[row_starts[b] : row_starts[b + 1]]
        size = end - begin + len(later)
        for i in range(begin, end):
            local[i] = i - begin
        for i in range(len(later)):
            local[later[i]] = end - begin + i
        front = work[: size * size].reshape(size, size)
        front[:] = 0.0
        _add_own_entries(front, matrix, begin, end, local)
        while len(waiting) > 0 and blocks[waiting[-1][0], 1] >= first:
            below, leftover = waiting.pop()
            _add_leftover(front, leftover, local, rows[row_starts[below] : row_starts[below + 1]])
        _eliminate_first(front, end - begin)
        factor[factor_starts[b] : factor_starts[b + 1]] = front[: end - begin].ravel()
        waiting.append((b, front[end - begin :, end - begin :].copy()))
    schur = np.zeros((n - inner, n - inner))
    local[inner:] = np.arange(n - inner)
    _add_own_entries(schur, matrix, inner, n, local)
    for below, leftover in waiting:
        _add_leftover(schur, leftover, local, rows[row_starts[below] : row_starts[below + 1]])
    for i in range(len(schur)):
        schur[i:, i] = schur[i, i:]
    return schur, row_starts, rows, factor_starts, factor


@loop
def _find_later_rows(matrix, blocks, most):
    """Return (starts, rows), the places beyond its end that each block touches, to size the sparse solver's fronts.

    They are known before any front is made, ascending. A block touches them by itself or through the blocks below.
    Where there are more than `most` of them no more are looked for.
    """
    starts, neighbours, _, order, place = matrix
    row_starts = np.zeros(len(blocks) + 1, dtype=np.int64)
    rows = np.empty(16 * len(order), dtype=np.int64)
    last_block = np.full(len(order), -1)
    below = [0 for _ in range(0)]
    for b in range(len(blocks)):
        first, begin, end = blocks[b]
        at = row_starts[b]
        if len(rows) < at + len(order):
            rows = np.append(rows, np.empty(len(rows) + len(order), dtype=np.int64))
        last = at
        while len(below) > 0 and blocks[below[-1], 1] >= first:
            child = below.pop()
            for other in range(row_starts[child], row_starts[child + 1]):
                last = _append_row(rows[other], end, b, last_block, rows, last)
        for p in range(begin, end):
            for edge in range(starts[order[p]], starts[order[p] + 1]):
                last = _append_row(place[neighbours[edge]], end, b, last_block, rows, last)
        below.append(b)
        rows[at:last] = np.sort(rows[at:last])
        row_starts[b + 1] = last
        if last > most:
            row_starts[b + 1 :] = last
            break
    return row_starts, rows[: row_starts[-1]].copy()


@loop
def _append_row(q, end, b, seen, rows, last):
    """Append place q to the rows that block b of the sparse solver touches later, once; return the rows' new end.

    For `_find_later_rows`; the rows end at `last`. A place is passed over if it does not lie beyond the block's `end`
    or was seen before.
    """
    if q >= end and seen[q] != b:
        seen[q] = b
        rows[last] = q
        return last + 1
    return last


@loop
def _add_own_entries(front, matrix, begin, end, local):
    """Add to a front the Laplacian's own entries, on and right of the diagonal, of the vertices in begin:end.

    local : the row of the front that each place has
    """
    starts, neighbours, values, order, place = matrix
    for p in range(begin, end):
        for edge in range(starts[order[p]], starts[order[p] + 1]):
            q = place[neighbours[edge]]
            if q >= p:
                front[local[p], local[q]] += values[edge]


@loop
def _add_leftover(front, left, local, rows):
    """Add to a front what a block below left over, the upper half of `left`, whose rows (ascending places) are
    local[rows].
    """
    at = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        at[i] = local[rows[i]]
    for i in range(len(at)):
        row, own = front[at[i]], left[i]
        for j in range(i, len(at)):
            row[at[j]] += own[j]


@loop(error_model="numpy")
def _eliminate_first(front, count):
    """Eliminate the first `count` vertices of a front, in place and in its upper half: a block's share of `eliminate`.

    From two rows at a time, and four at a time, for the memory's sake. A pivot of 0 leaves infinities or NaN.
    """
    n = len(front)
    for i in range(0, n - 1, 2):
        row, under = front[i, i:], front[i + 1, i:]
        last = min(i, count)
        k = 0
        while k + 4 <= last:
            a, b, c, d = front[k, i:], front[k + 1, i:], front[k + 2, i:], front[k + 3, i:]
            e, f, g, h = front[k, k], front[k + 1, k + 1], front[k + 2, k + 2], front[k + 3, k + 3]
            p, q, r, s = a[0] / e, b[0] / f, c[0] / g, d[0] / h
            t, u, v, w = a[1] / e, b[1] / f, c[1] / g, d[1] / h
            for j in range(len(row)):
                row[j] -= (p * a[j] + q * b[j]) + (r * c[j] + s * d[j])
                under[j] -= (t * a[j] + u * b[j]) + (v * c[j] + w * d[j])
            k += 4
        while k < last:
            a = front[k, i:]
            p, t = a[0] / front[k, k], a[1] / front[k, k]
            for j in range(len(row)):
                row[j] -= p * a[j]
                under[j] -= t * a[j]
            k += 1
        if i < count:
            p = row[1] / row[0]
            for j in range(1, len(row)):
                under[j] -= p * row[j]
    if n % 2 == 1:
        for k in range(min(n - 1, count)):
            front[n - 1, n - 1] -= front[k, n - 1] * front[k, n - 1] / front[k, k]


@loop(fastmath={"reassoc", "contract"})
def extend(blocks, row_starts, rows, factor_starts, factor, x):
    """Carry the boundary's places in the disk inwards, for `Harmonic.extend`: the harmonic map of all other vertices.

    It fills x (n, k), in the order's places, from its last rows on, with U x = 0 inside; U is the factor of
    `eliminate`.
    """
    # Of a column, at the block's own places and its later ones.
    column_values = np.empty(len(x))
    for b in range(len(blocks) - 1, -1, -1):
        begin, own = blocks[b, 1], blocks[b, 2] - blocks[b, 1]
        later = rows[row_starts[b] : row_starts[b + 1]]
        u = factor[factor_starts[b] : factor_starts[b + 1]].reshape(own, -1)
        for column in range(x.shape[1]):
            for j in range(len(later)):
                column_values[own + j] = x[later[j], column]
            for i in range(own - 1, -1, -1):
                row, later_values = u[i, i + 1 :], column_values[i + 1 :]
                total = 0.0
                for j in range(len(row)):
                    total += row[j] * later_values[j]
                column_values[i] = -total / u[i, i]
                x[begin + i, column] = column_values[i]


@loop
def move_outwards(blocks, row_starts, rows, factor_starts, factor, x):
    """Move weights on a mesh's vertices to its boundary, in place, for `Harmonic.measure`, which balances a disk map.

    The last entries of x (n,) end as x_B - A21 A11^-1 x_inner: L y = x is solved for the eliminated, with the factor
    of `eliminate`.
    """
    outward_sums = np.empty(len(x))
    for b in range(len(blocks)):
        begin, own = blocks[b, 1], blocks[b, 2] - blocks[b, 1]
        later = rows[row_starts[b] : row_starts[b + 1]]
        u = factor[factor_starts[b] : factor_starts[b + 1]].reshape(own, -1)
        size = own + len(later)
        outward_sums[:size] = 0.0
        for i in range(own):
            x[begin + i] += outward_sums[i]
            if x[begin + i] != 0:
                share, row, rest = x[begin + i] / u[i, i], u[i, i + 1 :], outward_sums[i + 1 : size]
                for j in range(len(row)):
                    rest[j] -= row[j] * share
        for j in range(len(later)):
            x[later[j]] += outward_sums[own + j]
