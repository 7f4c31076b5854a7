"""The cotangent Laplacian of a triangle mesh."""

import numpy as np
from scipy.sparse import coo_matrix

from shapedp.surfaces import intrinsic

SMALLEST = 1e-3  # weight that replaces a smaller one at raised vertices; far less, and triangles would all but collapse


def laplacian(vertices, triangles, on_boundary, raised, folded):
    """L (n, n) in rows, positive semi-definite: L_ij = -(cot a_ij + cot b_ij)/2, rows sum to 0.

    The cotangents are those of the intrinsic Delaunay triangulation: none is negative inside, whatever the triangles.

    raised : (n,) vertices whose own triangles are kept instead, negative weights at their edges becoming SMALLEST. The
    harmonic extension is a convex combination either way; only this one is sure to turn none of *their* triangles over,
    at a cost in conformality. Edges between two boundary vertices keep their weight, for raising it bends the map.

    folded : (n,) boundary vertices that keep it no more: there the boundary turned back on the circle
    """
    n = len(vertices)
    corners, half = intrinsic.half_cotangents(vertices, triangles, raised)
    corners = corners.astype(np.int32)  # scipy looks through larger ones twice to see whether they are needed
    i, j, half = corners[:, [1, 2, 0]].ravel(), corners[:, [2, 0, 1]].ravel(), half.ravel()
    diagonal = np.arange(n, dtype=np.int32)
    places = np.concatenate([i, j, diagonal]), np.concatenate([j, i, diagonal])
    weights = coo_matrix((np.concatenate([half, half, np.zeros(n)]), places), shape=(n, n)).tocsr()
    row = np.repeat(diagonal, np.diff(weights.indptr))
    if raised.any():
        _raise(weights, row, on_boundary & ~folded, raised)
    sums = np.add.reduceat(weights.data, weights.indptr[:-1])
    weights.data *= -1
    weights.data[row == weights.indices] += sums
    return weights


def _raise(weights, row, kept, raised):
    """kept : (n,) vertices between any two of which weights stay"""
    column = weights.indices
    low = (weights.data < SMALLEST) & (row != column)
    weights.data[low & (raised[row] | raised[column]) & ~(kept[row] & kept[column])] = SMALLEST
