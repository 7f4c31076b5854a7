"""Build the cotangent Laplacian of a triangle mesh, on its intrinsic Delaunay triangulation.

That is the same surface and vertices with better triangles: edges are flipped within the surface, unfolding the two
triangles at each, until no two angles opposite to an edge add up to more than pi. Then no cotangent weight inside is
negative and discrete harmonic functions obey the maximum principle (Bobenko and Springborn 2007, "A discrete
Laplace-Beltrami operator for simplicial surfaces"). Only lengths are kept: a flipped edge is a geodesic across the old
triangles. No library in use here has it.

Half-edge 3 t + k lies opposite to corner k of triangle t; its twin belongs to the triangle across, -1 at the boundary.
"""

from typing import NamedTuple

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.storage.loops import loop
from shapedp.surfaces import topology

# The weight that replaces a smaller one at raised vertices; with far less, triangles would all but collapse.
SMALLEST = 1e-3


class Rows(NamedTuple):
    """A sparse matrix by its rows: row i holds `data` in the columns `indices`, both in starts[i]:starts[i + 1]."""

    starts: np.ndarray
    indices: np.ndarray
    data: np.ndarray


def laplacian(vertices, triangles, on_boundary, raised, folded):
    """Return L (n, n) as Rows, the Laplacian of a mesh whose harmonic functions make the disk map conformal.

    It is positive semi-definite: L_ij = -(cot a_ij + cot b_ij)/2, rows sum to 0. The cotangents are those of the
    intrinsic Delaunay triangulation: none is negative inside, whatever the triangles.

    raised : (n,) vertices whose own triangles are kept instead, negative weights at their edges becoming SMALLEST. The
    harmonic extension is a convex combination either way; only this one is sure to turn none of *their* triangles over,
    at a cost in conformality. Edges between two boundary vertices keep their weight, for raising it bends the map.

    folded : (n,) boundary vertices that keep it no more: there the boundary turned back on the circle
    """
    corners, half, twin = half_cotangents(vertices, triangles, raised)
    starts, columns, weights = _gather_rows(corners.ravel(), half.ravel(), twin, len(vertices))
    if raised.any():
        row, keeps_weight = np.repeat(np.arange(len(vertices)), np.diff(starts)), on_boundary & ~folded
        low = (weights < SMALLEST) & (row != columns) & (raised[row] | raised[columns])
        weights[low & ~(keeps_weight[row] & keeps_weight[columns])] = SMALLEST
    _close_rows(starts, columns, weights)
    return Rows(starts, columns, weights)


@loop
def _gather_rows(corners, half, twin, n):
    """Return (starts, columns, weights), the sparse rows of `laplacian` before `_close_rows` makes their sums 0.

    In each vertex's row a diagonal, 0, and the half cotangents opposite to its edges.
    """
    starts = np.ones(n + 1, dtype=np.int64)
    starts[0] = 0
    for h in range(len(corners)):
        first, second = _around(h)
        # Flips may lead an edge back to its own vertex.
        if twin[h] < h and corners[first] != corners[second]:
            starts[corners[first] + 1] += 1
            starts[corners[second] + 1] += 1
    starts = np.cumsum(starts)
    columns, weights = np.empty(starts[-1], dtype=np.int64), np.zeros(starts[-1])
    end = starts[:-1].copy()
    for i in range(n):
        columns[end[i]] = i
        end[i] += 1
    for h in range(len(corners)):
        first, second = _around(h)
        i, j = corners[first], corners[second]
        # Of the two halves of an edge the later one, and the one at the boundary, so that each edge comes once.
        if twin[h] < h and i != j:
            weight = half[h] + (half[twin[h]] if twin[h] >= 0 else 0.0)
            columns[end[i]], weights[end[i]] = j, weight
            columns[end[j]], weights[end[j]] = i, weight
            end[i] += 1
            end[j] += 1
    return starts, columns, weights


@loop
def _close_rows(starts, columns, weights):
    """Turn weights into the Laplacian, in place, as the end of `laplacian`: minus the weights, and on the diagonal
    their sum.
    """
    for i in range(len(starts) - 1):
        total = 0.0
        for at in range(starts[i], starts[i + 1]):
            total += weights[at]
            weights[at] = -weights[at]
        for at in range(starts[i], starts[i + 1]):
            if columns[at] == i:
                weights[at] += total


# On the sum of two cotangents: ties stay as they are.
MARGIN = 1e-10
# The double area over the squared perimeter that counts as that of a flat triangle.
THINNEST = 1e-15


def half_cotangents(vertices, triangles, fixed):
    """Return the weights by corners of the Laplacian that the disk map solves: half the cotangents of their angles.

    They are of the intrinsic Delaunay triangulation, where an edge's two weights add up to no negative number.

    (corners (t, 3), half the cotangent of the angle at each, twins (3t,)); fixed : (n,) vertices whose triangles stay
    as they are
    """
    corners = triangles.astype(np.int64).ravel()
    lengths = topology.lengths(vertices, triangles).ravel()
    if lengths.min() == 0:
        raise Rejected("repeated_points", "two joined vertices lie at the same place; merge repeated points first")
    twin = topology.twins(triangles)
    cotangents, flips = _flip_all(corners, lengths, twin, fixed)
    if flips >= topology.MOST_FLIPS * len(triangles):
        raise Rejected(
            "degenerate",
            f"the mesh's triangles are too thin to compute with: {flips} flips of {len(triangles)} triangles did "
            "not mend them; save the points alone, or mesh the scan again",
        )
    return corners.reshape(-1, 3), cotangents.reshape(-1, 3) / 2, twin


@loop
def _around(h):
    """Return the other two half-edges of the triangle of h, in turn."""
    first = h - h % 3
    return first + (h + 1) % 3, first + (h + 2) % 3


@loop
def _cotangent(lengths, h):
    """Return the cotangent of the angle opposite to half-edge h, from the lengths of its triangle, exact for needles.

    The area is by Kahan's form of Heron's rule.
    """
    second, third = _around(h)
    a, b, c = lengths[h], lengths[second], lengths[third]
    x, z = max(a, b, c), min(a, b, c)
    y = max(min(a, b), min(max(a, b), c))
    product = (x + (y + z)) * (z - (x - y)) * (z + (x - y)) * (x + (y - z))
    quadruple_area = np.sqrt(max(product, (THINNEST * x * x) ** 2))
    return ((b - a) * (b + a) + c * c) / quadruple_area


@loop
def _flip_all(corners, lengths, twin, fixed):
    """Flip edges, in place, until all are Delaunay, so that the disk map's weights are not negative.

    It is the compiled loop of `half_cotangents`. Returned are ((3t,) the cotangents opposite to all half-edges, flips).
    These are finitely many, for each lowers the harmonic index; after MOST_FLIPS a triangle there is no end.
    """
    flips = 0
    waiting = [h for h in range(len(corners)) if twin[h] > h]
    while len(waiting) > 0 and flips < topology.MOST_FLIPS * (len(corners) // 3):
        h = waiting.pop()
        g = twin[h]
        first, second = _around(h)
        if g < 0 or fixed[corners[h]] or fixed[corners[g]] or fixed[corners[first]] or fixed[corners[second]]:
            continue
        if not _cotangent(lengths, h) + _cotangent(lengths, g) < -MARGIN:
            continue
        _flip(corners, lengths, twin, h, g)
        flips += 1
        for side in (h, second, g, _around(g)[1]):
            waiting.append(side)
    cotangents = np.empty(len(lengths))
    for h in range(len(lengths)):
        cotangents[h] = _cotangent(lengths, h)
    return cotangents, flips


@loop
def _flip(corners, lengths, twin, h, g):
    """Flip one edge of the mesh, in place, on the way to the Delaunay triangulation of `_flip_all`: AB gives way to CD.

    Triangles (C, A, B) and (D, B, A) become (C, A, D) and (D, B, C).
    """
    h1, h2 = _around(h)  # BC and CA
    g1, g2 = _around(g)  # AD and DB
    diagonal = _diagonal(lengths[h], lengths[h1], lengths[h2], lengths[g1], lengths[g2])
    beyond_ad, beyond_bc = twin[g1], twin[h1]
    if beyond_ad == h1:
        # The two triangles were glued along that edge as well.
        beyond_ad, beyond_bc = g, h
    corners[h2], corners[g2] = corners[g], corners[h]
    lengths[h], lengths[g] = lengths[g1], lengths[h1]
    lengths[h1], lengths[g1] = diagonal, diagonal
    for mine, other in ((h, beyond_ad), (g, beyond_bc), (h1, g1)):
        twin[mine] = other
        if other >= 0:
            twin[other] = mine


@loop
def _diagonal(ab, bc, ca, ad, db):
    """Return |CD|, the length of the edge that `_flip` makes, when triangles ABC and ABD are unfolded into the plane.

    A lies at 0 and B at (ab, 0).
    """
    cx, dx = (ca * ca - bc * bc + ab * ab) / (2 * ab), (ad * ad - db * db + ab * ab) / (2 * ab)
    cy, dy = np.sqrt(max(ca * ca - cx * cx, 0.0)), np.sqrt(max(ad * ad - dx * dx, 0.0))
    return np.hypot(cx - dx, cy + dy)
