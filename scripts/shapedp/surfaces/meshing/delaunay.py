"""Triangulate points in the plane by Delaunay, one point after the other, where rounding leaves no doubt of it.

A point is put into the triangle that it lies in, and edges round it are flipped until none has a point within the
circle beyond it (Lawson 1977). Outside of the hull lie triangles of its edges and one vertex at infinity, so that a
point beyond the hull is one like any other. Points come along a curve through the plane, every 64th of them first, then
every 8th, then all: so each lies near the one before, and few edges are flipped in vain (Amenta, Choi and Rote 2003).

Where rounding may have decided a sign there is no answer: points on a line or a circle, or twice at a place, ask for
exact arithmetic, which another library has. Without such points the triangulation is the only one, whoever finds it.
"""

import numpy as np

from shapedp.base.storage.loops import loop
from shapedp.surfaces import topology

# Of the curve, which has 4 ** LEVELS cells.
LEVELS = 6
# Every so many points come in each round.
ROUNDS = 64, 8, 1
# Shares of a determinant's terms, rounded up: what rounding may have changed.
DOUBT, DOUBT_OF_CIRCLE = 3.4e-16, 1.2e-15
# This stands in place of a sign.
DOUBTFUL = 2


def triangulate(places):
    """Return (triangles (t, 3), across (t, 3)), the Delaunay triangulation of places (n, 2), counter-clockwise, by
    which clouds are meshed.

    None where rounding leaves a doubt.
    """
    order = _sort_along_curve(places) if len(places) > 2 else np.empty(0, dtype=np.int64)
    corners, across = _triangulate_with_infinity(places[order])
    triangles, across = topology.part(corners, across, (corners != len(places)).all(axis=1))
    return order[triangles], across


@loop
def _triangulate_with_infinity(points):
    """Return the Delaunay triangles of points and, outside of their hull, others that `triangulate` leaves out.

    Those have a corner at infinity, number n, so that a point beyond the hull is put in like any other. Points are put
    in one by one, in the order given; both arrays are as of `triangulate`.
    """
    n = len(points)
    nothing = np.empty((0, 3), dtype=np.int64), np.empty((0, 3), dtype=np.int64)
    if n < 3:
        return nothing
    corners, across = np.empty((2 * n, 3), dtype=np.int64), np.empty((2 * n, 3), dtype=np.int64)
    waiting = np.empty(2 * n, dtype=np.int64)
    sequence = _sequence(n)
    a, b, c = sequence[0], sequence[1], sequence[2]
    turn = _find_turn(points, a, b, c)
    if turn == DOUBTFUL:
        return nothing
    if turn < 0:
        b, c = c, b
    corners[0] = a, b, c
    corners[1], corners[2], corners[3] = (n, c, b), (n, a, c), (n, b, a)
    across[0] = 1, 2, 3
    across[1], across[2], across[3] = (0, 3, 2), (0, 1, 3), (0, 2, 1)
    count, t = 4, 0
    for at in range(3, n):
        p = sequence[at]
        t = _locate(points, corners, across, t, p)
        if t < 0:
            return nothing
        _split(corners, across, t, p, count)
        waiting[0], waiting[1], waiting[2] = t, count, count + 1
        count += 2
        if not _legalise(points, corners, across, waiting, 3, p):
            return nothing
    return corners[:count], across[:count]


@loop
def _sort_along_curve(places):
    """Return (n,), an order of the points in which each lies near the one before, so that it is found in few steps.

    It is that of Hilbert's curve through the cells of a grid.
    """
    cells = 2**LEVELS
    number = np.empty(len(places), dtype=np.int64)
    left, bottom = places[:, 0].min(), places[:, 1].min()
    side = max(places[:, 0].max() - left, places[:, 1].max() - bottom, 1e-300) / cells
    for i in range(len(places)):
        x = min(int((places[i, 0] - left) / side), cells - 1)
        y = min(int((places[i, 1] - bottom) / side), cells - 1)
        total, half = 0, cells // 2
        while half > 0:
            right, upper = int((x & half) > 0), int((y & half) > 0)
            total += half * half * ((3 * right) ^ upper)
            if upper == 0:
                if right == 1:
                    x, y = cells - 1 - x, cells - 1 - y
                x, y = y, x
            half //= 2
        number[i] = total
    return topology.by_number(number, cells * cells)[0]


@loop
def _sequence(n):
    """Return (n,), the rounds in which points are inserted: numbers below n, those of the coarsest round first, each
    ascending.
    """
    sequence, at = np.empty(n, dtype=np.int64), 0
    coarser = 0
    for step in ROUNDS:
        for i in range(0, n, step):
            if coarser == 0 or i % coarser != 0:
                sequence[at] = i
                at += 1
        coarser = step
    return sequence


@loop
def _find_turn(points, a, b, c):
    """Return 1 if a, b, c turn to the left, -1 if to the right, which says on what side of an edge a point lies, or
    DOUBTFUL.

    It is DOUBTFUL where rounding may have decided it.
    """
    x, y = points[c, 0], points[c, 1]
    product, other_product = (points[a, 0] - x) * (points[b, 1] - y), (points[a, 1] - y) * (points[b, 0] - x)
    doubt = DOUBT * (abs(product) + abs(other_product))
    return 1 if product - other_product > doubt else -1 if other_product - product > doubt else DOUBTFUL


@loop
def _find_side_of_circle(points, a, b, c, d):
    """Return 1 if d lies within the circle through a, b, c, so that an edge must be flipped, -1 if beyond it, or
    DOUBTFUL.

    a, b, c turn to the left.
    """
    x, y = points[d, 0], points[d, 1]
    ax, ay, bx, by = points[a, 0] - x, points[a, 1] - y, points[b, 0] - x, points[b, 1] - y
    cx, cy = points[c, 0] - x, points[c, 1] - y
    a2, b2, c2 = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
    bc, cb, ca, ac, ab, ba = bx * cy, cx * by, cx * ay, ax * cy, ax * by, bx * ay
    determinant = a2 * (bc - cb) + b2 * (ca - ac) + c2 * (ab - ba)
    doubt = a2 * (abs(bc) + abs(cb)) + b2 * (abs(ca) + abs(ac)) + c2 * (abs(ab) + abs(ba))
    doubt *= DOUBT_OF_CIRCLE
    return 1 if determinant > doubt else -1 if determinant < -doubt else DOUBTFUL


@loop
def _locate(points, corners, across, t, p):
    """Return the triangle into which a new point p is to be put, by walking from triangle t; -1 in doubt."""
    infinite = len(points)
    for k in range(3):
        if corners[t, k] == infinite:
            t = across[t, k]
            break
    while True:
        beyond = -1
        for k in range(3):
            turn = _find_turn(points, corners[t, (k + 1) % 3], corners[t, (k + 2) % 3], p)
            if turn == DOUBTFUL:
                return -1
            if turn < 0:
                beyond = across[t, k]
                break
        if beyond < 0:
            return t
        t = beyond
        if corners[t, 0] == infinite or corners[t, 1] == infinite or corners[t, 2] == infinite:
            return t


@loop
def _split(corners, across, t, p, new):
    """Put the next point p of a triangulation into its triangle t, which becomes three, in place.

    Of t (a, b, c), (p, b, c) stays number t; (p, c, a) and (p, a, b) are number `new` and the next.
    """
    a, b, c = corners[t, 0], corners[t, 1], corners[t, 2]
    second, third, beyond_b, beyond_c = new, new + 1, across[t, 1], across[t, 2]
    corners[t, 0] = p
    corners[second, 0], corners[second, 1], corners[second, 2] = p, c, a
    corners[third, 0], corners[third, 1], corners[third, 2] = p, a, b
    across[t, 1], across[t, 2] = second, third
    across[second, 0], across[second, 1], across[second, 2] = beyond_b, third, t
    across[third, 0], across[third, 1], across[third, 2] = beyond_c, t, second
    across[beyond_b, topology.corner(across, beyond_b, t)] = second
    across[beyond_c, topology.corner(across, beyond_c, t)] = third


@loop
def _legalise(points, corners, across, waiting, count, p):
    """Flip edges round a new point p, in place, until the triangulation is Delaunay again; return False in doubt.

    waiting : the `count` triangles to be looked at, of which p is a corner
    """
    infinite = len(points)
    while count > 0:
        count -= 1
        t = waiting[count]
        k = topology.corner(corners, t, p)
        other, b, c = across[t, k], corners[t, (k + 1) % 3], corners[t, (k + 2) % 3]
        d = corners[other, topology.corner(across, other, t)]
        if d == infinite:
            continue
        if b == infinite:
            verdict = _find_turn(points, d, c, p)
        elif c == infinite:
            verdict = _find_turn(points, b, d, p)
        else:
            verdict = _find_side_of_circle(points, p, b, c, d)
        if verdict == DOUBTFUL:
            return False
        if verdict > 0:
            topology.flip(corners, across, t, k)
            waiting[count], waiting[count + 1] = t, other
            count += 2
    return True
