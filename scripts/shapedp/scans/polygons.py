"""Faces of any number of corners as triangles."""

import numpy as np

from shapedp.errors import Rejected
from shapedp.scans.limits import MAX_TRIANGLES, check_count


def fan(counts, corners):
    """Split each polygon (c_0, ..., c_{m-1}) into the triangles (c_0, c_k, c_{k+1}), orientation kept.

    counts : (f,) corners of each polygon; those with fewer than three give nothing
    corners : (sum of counts,) vertex indices, polygon after polygon
    returns (t, 3) of the dtype of corners
    """
    counts = np.asarray(counts, np.int64)
    pieces = np.maximum(counts - 2, 0)
    check_count("triangles", int(pieces.sum()), MAX_TRIANGLES)
    if counts.size and counts.min() == counts.max() == 3:
        return corners.reshape(-1, 3)
    first = np.repeat(np.cumsum(counts) - counts, pieces)
    step = np.arange(first.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    return np.column_stack([corners[first], corners[first + step + 1], corners[first + step + 2]])


def indices(triangles, points):
    """Corners as int32 after checking that each names one of the `points` (a count) vertices."""
    wrong = ~((triangles >= 0) & (triangles < points))
    if triangles.dtype.kind == "f":
        wrong |= triangles != np.floor(triangles)
    if wrong.any():
        raise Rejected(
            "bad_triangles",
            f"a face names vertex {triangles[wrong][0]:.17g} of {points} (counted from 0): the file is damaged; "
            "export it again, or save the points alone",
        )
    return triangles.astype(np.int32)
