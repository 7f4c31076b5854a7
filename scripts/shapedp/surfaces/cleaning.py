"""Drop what does not belong to the one surface of a scan: lone points and stray pieces, each counted."""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from shapedp.errors import Rejected

NEIGHBOURS = 8
REACH = 6.0  # median distances to the nearest neighbours; farther points are not connected
SECOND_PIECE = 0.05  # share of the points from which a second piece is a second object
FEWEST = 300


def one_surface(points):
    """(indices of the points that belong to the largest connected piece, notices)."""
    if len(points) < FEWEST:
        raise Rejected("too_few_points", f"{len(points)} points; a surface needs at least {FEWEST}")
    distance, index = cKDTree(points).query(points, NEIGHBOURS + 1)
    reach = REACH * np.median(distance[:, -1])
    near = distance[:, 1:] <= reach
    rows = np.repeat(np.arange(len(points)), near.sum(axis=1))
    graph = coo_matrix((np.ones(len(rows), dtype=bool), (rows, index[:, 1:][near])), shape=(len(points),) * 2)
    _, label = connected_components(graph, directed=False)
    sizes = np.sort(np.bincount(label))[::-1]
    if len(sizes) > 1 and sizes[1] > SECOND_PIECE * len(points):
        raise Rejected(
            "multiple_components",
            f"the points form {np.sum(sizes > SECOND_PIECE * len(points))} separate objects of "
            f"{sizes[0]} and {sizes[1]} points; crop the scan to one face",
        )
    kept = np.flatnonzero(label == np.argmax(np.bincount(label)))
    dropped = len(points) - len(kept)
    return kept, [f"{dropped} stray points dropped"] if dropped else []
