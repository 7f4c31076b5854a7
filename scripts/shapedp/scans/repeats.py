"""Rows that occur more than once."""

import numpy as np


def merge(points):
    """Keep the first of equal rows, in their order.

    points : (n, 3)
    returns (m, 3) distinct rows, and (n,) the new index of each old row
    """
    order = np.lexsort(points.T)  # stable: equal rows stay in file order
    sorted_points = points[order]
    starts = np.ones(len(points), bool)
    starts[1:] = np.any(sorted_points[1:] != sorted_points[:-1], axis=1)
    first = order[starts]
    rank = np.empty(len(first), int)
    rank[np.argsort(first)] = np.arange(len(first))
    index = np.empty(len(points), int)
    index[order] = rank[np.cumsum(starts) - 1]
    return points[np.sort(first)], index
