"""The cotangent Laplacian of a triangle mesh."""

import numpy as np
from scipy.sparse import coo_matrix, diags

SMALLEST = 1e-9  # weight that replaces a negative cotangent


def cotangents(vertices, triangles):
    """(t, 3) cotangent of the angle at each corner."""
    columns = []
    for corner in range(3):
        a, b, c = (vertices[triangles[:, (corner + shift) % 3]] for shift in range(3))
        cross = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        columns.append(np.einsum("ij,ij->i", b - a, c - a) / cross)
    return np.column_stack(columns)


def laplacian(vertices, triangles, on_boundary, raised):
    """L (n, n), positive semi-definite: L_ij = -(cot a_ij + cot b_ij)/2, rows sum to 0.

    raised : (n,) vertices at whose edges negative weights become SMALLEST, so that the harmonic extension there is a
    convex combination and turns no triangle over; elsewhere they stay, since raising costs conformality. Edges between
    two boundary vertices always keep theirs: raising them bends the whole map.
    """
    n = len(vertices)
    half = cotangents(vertices, triangles) / 2
    i, j = triangles[:, [1, 2, 0]].ravel(), triangles[:, [2, 0, 1]].ravel()
    weights = coo_matrix(
        (np.concatenate([half.ravel()] * 2), (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(n, n)
    )
    weights = weights.tocsr().tocoo()
    lifted = (weights.data < SMALLEST) & (raised[weights.row] | raised[weights.col])
    weights.data[lifted & ~(on_boundary[weights.row] & on_boundary[weights.col])] = SMALLEST
    weights = weights.tocsr()
    return (diags(np.asarray(weights.sum(axis=1)).ravel()) - weights).tocsc()
