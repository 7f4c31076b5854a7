"""Nested dissection: an order of elimination in which a sparse factor of a surface mesh stays sparse.

A set of vertices is halved along its longest extent; the vertices of one half that touch the other are the separator
and come after both halves, which are treated likewise (George 1973). Written out because scipy has no ordering that can
keep the boundary last, and the minimum-degree ones inside its solver take as long as the factorisation itself.
"""

import numba
import numpy as np

LEAF = 16  # sets of this size are not cut further

LOWER, UPPER, BETWEEN = 1, 2, 3


@numba.njit(cache=True)
def order(points, starts, neighbours, part):
    """The vertices `part` (m,), in their order of elimination.

    points : (n, 3); starts, neighbours : the graph's rows (indptr and indices of a sparse matrix)
    """
    part = part.copy()
    side = np.zeros(len(points), dtype=np.int8)
    waiting = [(0, len(part))]
    while len(waiting) > 0:
        first, end = waiting.pop()
        if end - first > LEAF:
            members = part[first:end].copy()
            _halve(points, members, side)
            _separate(starts, neighbours, members, side)
            upper, between = _arrange(part, first, members, side)
            side[members] = 0
            waiting.append((first, upper))
            waiting.append((upper, between))
    return part


@numba.njit(cache=True)
def _halve(points, members, side):
    longest, axis = -1.0, 0
    for d in range(points.shape[1]):
        x = points[members, d]
        if x.max() - x.min() > longest:
            longest, axis = x.max() - x.min(), d
    ranks = np.argsort(points[members, axis], kind="mergesort")
    side[members[ranks]] = UPPER
    side[members[ranks[: len(members) // 2]]] = LOWER


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
