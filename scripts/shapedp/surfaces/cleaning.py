"""Drop what does not belong to the one surface of a scan: lone points and stray pieces, each counted."""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from shapedp.errors import Rejected
from shapedp.surfaces import frame

NEIGHBOURS = 8
FOURTH = 4  # the distance to the fourth neighbour is a point's spacing
REACH = 6.0  # median distances to the last of these neighbours; farther points are not connected
NEAR = 0.5  # of the largest piece's radius (rms); a piece beyond such a gap is another object
STRAY = 0.005  # share of the points below which a piece is stray, however near
SECOND = 0.05  # share of the points from which a far piece is a second object
FEWEST = 300


def one_surface(points):
    """(indices of the points that belong to the surface, their spacing, notices).

    A patch beside the largest piece, beyond a shadow of the scanner, belongs to it: the neck under the chin.
    """
    if len(points) < FEWEST:
        raise Rejected("too_few_points", f"{len(points)} points; a surface needs at least {FEWEST}")
    distance, index = cKDTree(points).query(points, NEIGHBOURS + 1)
    label = _pieces(distance, index)
    share = np.bincount(label) / len(points)
    belongs = np.arange(len(share)) == np.argmax(share)
    main = points[belongs[label]]
    for piece in np.flatnonzero((share > STRAY) & ~belongs):
        gap = cKDTree(main).query(points[label == piece])[0].min() / np.sqrt(main.var(axis=0).sum())
        belongs[piece] = gap < NEAR
        if not belongs[piece] and share[piece] > SECOND:
            frame.fit(points)  # of points on a line or in a plane that is what is wrong, and says so
            raise Rejected(
                "multiple_components",
                f"the points form separate objects of {len(main)} and {share[piece] * len(points):.0f} points, "
                f"{gap:.1f} radii apart; crop the scan to one face",
            )
    kept = np.flatnonzero(belongs[label])
    dropped = len(points) - len(kept)
    return kept, distance[kept, FOURTH], [f"{dropped} stray points dropped"] if dropped else []


def _pieces(distance, index):
    """(n,) the number of the connected piece each point belongs to; its neighbours' distances and indices (n, k)."""
    near = distance[:, 1:] <= REACH * np.median(distance[:, -1])
    rows = np.repeat(np.arange(len(index), dtype=np.int32), near.sum(axis=1))
    columns = index[:, 1:][near].astype(np.int32)
    graph = coo_matrix((np.ones(len(rows), dtype=bool), (rows, columns)), shape=(len(index),) * 2)
    return connected_components(graph, directed=False)[1]
