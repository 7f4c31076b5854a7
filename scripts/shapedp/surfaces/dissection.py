"""Nested dissection: an order of elimination in which a sparse factor of a surface mesh stays sparse.

A set of vertices is halved along its longest extent; the vertices of one half that touch the other are the separator
and come after both halves, which are treated likewise (George 1973). Written out because scipy has no ordering that can
keep the boundary last, and none that tells the tree of separators, by which `elimination` works in dense blocks.
"""

import numba
import numpy as np

LEAF = 16  # sets of this size are not cut further

LOWER, UPPER, BETWEEN = 1, 2, 3


@numba.njit(cache=True)
def order(points, starts, neighbours, part):
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


@numba.njit(cache=True)
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


@numba.njit(cache=True)
def _separate(starts, neighbours, members, side):
    for v in members:
        if side[v] == LOWER:
            for edge in range(starts[v], starts[v + 1]):
                if side[neighbours[edge]] == UPPER:
                    side[v] = BETWEEN


@numba.njit(cache=True)
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
