"""The cotangent Laplacian of a triangle mesh."""

import numpy as np
from scipy.sparse import coo_matrix, diags

from shapedp.surfaces import intrinsic

SMALLEST = 1e-3  # weight that replaces a smaller one at raised vertices; far less, and triangles would all but collapse


def laplacian(vertices, triangles, on_boundary, raised):
    """L (n, n), positive semi-definite: L_ij = -(cot a_ij + cot b_ij)/2, rows sum to 0.

    The cotangents are those of the intrinsic Delaunay triangulation: none is negative inside, whatever the triangles.

    raised : (n,) vertices whose own triangles are kept instead, negative weights at their edges becoming SMALLEST. The
    harmonic extension is a convex combination either way; only this one is sure to turn none of *their* triangles over,
    at a cost in conformality. Edges between two boundary vertices always keep their weight: raising it bends the map.
    """
    n = len(vertices)
    corners, half = intrinsic.half_cotangents(vertices, triangles, raised)
    i, j, half = corners[:, [1, 2, 0]].ravel(), corners[:, [2, 0, 1]].ravel(), half.ravel()
    weights = coo_matrix((np.tile(half, 2), (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(n, n)).tocsr()
    if raised.any():
        _raise(weights, on_boundary, raised)
    return (diags(np.asarray(weights.sum(axis=1)).ravel()) - weights).tocsc()


def _raise(weights, on_boundary, raised):
    row, column = np.repeat(np.arange(len(raised)), np.diff(weights.indptr)), weights.indices
    lifted = (weights.data < SMALLEST) & (raised[row] | raised[column]) & ~(on_boundary[row] & on_boundary[column])
    weights.data[lifted] = SMALLEST
