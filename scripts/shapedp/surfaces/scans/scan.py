"""Hold a scan as it is read: points each once and finite, and triangles that fit them."""

from dataclasses import dataclass

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.reading.files import MAX_TRIANGLES, MIN_POINTS, check_count


@dataclass(frozen=True)
class Scan:
    """A point cloud or a mesh, as the file has it.

    points : (n, 3) float64, finite, no row twice, in the file's order and units
    triangles : (t, 3) int32 indices into points, corners distinct, in the file's orientation; None for a cloud
    notices : what a person should know about how the file was read, one sentence each
    """

    points: np.ndarray
    triangles: np.ndarray | None = None
    notices: tuple[str, ...] = ()


def fan(counts, corners):
    """Return (t, 3), polygons (c_0, ..., c_{m-1}) of a file split into triangles (c_0, c_k, c_{k+1}), orientation kept.

    counts : (f,) corners of each polygon, of which fewer than three give nothing; corners : all their vertex indices
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
    """Return a file's corners as int32 after checking that each names one of the `points` (a count) vertices."""
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


# Rows that are mixed at a time.
BLOCK = 1 << 18
# Odd, so that nothing is lost in the product.
MIXERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


def merge(points):
    """Return ((m, 3) the first of equal rows of points (n, 3), in order; (n,) the new index of each), so that triangles
    join.

    STL, for one, repeats each point in every triangle.
    """
    if _all_differ(points):
        return points, np.arange(len(points))
    # A stable sort: equal rows stay in file order.
    order = np.lexsort(points.T)
    sorted_points = points[order]
    starts = np.ones(len(points), bool)
    starts[1:] = np.any(sorted_points[1:] != sorted_points[:-1], axis=1)
    first = order[starts]
    rank = np.empty(len(first), int)
    rank[np.argsort(first)] = np.arange(len(first))
    index = np.empty(len(points), int)
    index[order] = rank[np.cumsum(starts) - 1]
    return points[np.sort(first)], index


def _all_differ(points):
    """Return True only where no two rows are equal, by which `merge` is spared on most scans.

    By numbers made of their bits, which sort ten times as fast as rows.
    """
    mixed = np.zeros(len(points), dtype=np.uint64)
    for start in range(0, len(points), BLOCK):
        part = mixed[start : start + BLOCK]
        for column, mixer in zip(points[start : start + BLOCK].T, MIXERS, strict=True):
            part ^= (column.astype(float) + 0.0).view(np.uint64) * mixer  # + 0.0 makes -0 a 0
            part ^= part >> np.uint64(29)
            part *= mixer
    mixed.sort()
    return not np.any(mixed[1:] == mixed[:-1])


MAX_DROPPED = 0.05  # share of unusable rows that is put down to the scanner, not to a broken file
LARGEST = 1e30  # beyond it are placeholders for missing values, and squares that overflow
SMALLEST = 1e-9  # longest side below which squares of squares are lost beside 1
MISSING = "not finite (NaN, infinite or beyond 1e30)"
UNMEASURED = "pixels without a measurement (x, y and z are NaN): left out"


def clean(points, triangles, notices):
    """Return the Scan of what was read, whatever its format, without unusable and repeated points; notices say so.

    Triangles that lose a corner by that are left out.
    """
    notices = list(notices)
    if len(points) < MIN_POINTS:
        raise Rejected("too_few_points", f"{len(points)} points, a surface needs at least {MIN_POINTS}: scan again")
    points, triangles = _keep_finite(points, triangles, notices)
    distinct, index = merge(points)
    if len(distinct) < MIN_POINTS:
        words = f"{len(points)} points, but only {len(distinct)} distinct: no surface; export the scan again"
        raise Rejected("degenerate", words)
    if len(distinct) < len(points):
        notices.append(f"{len(points) - len(distinct)} repeated points merged")
        triangles = None if triangles is None else index[triangles].astype(np.int32)
    if triangles is not None:
        a, b, c = triangles.T
        whole = (a != b) & (b != c) & (c != a)
        if not whole.all():
            notices.append(f"{len(whole) - int(whole.sum())} triangles without three different corners dropped")
        triangles = triangles[whole] if whole.any() else None
    extent = max(np.ptp(column) for column in distinct.T)
    if extent < SMALLEST:
        words = f"the longest side is {extent:.3g}, too small to compute with: export the scan in millimetres"
        raise Rejected("degenerate", words)
    # A guess in words: the pipeline is free of scale, so nothing is converted.
    if not 60 <= extent <= 1000:
        guess = "metres" if extent < 1 else "centimetres or another unit" if extent < 60 else "micrometres, or no face"
        notices.append(f"units: the longest side is {extent:.3g}, which looks like {guess}; nothing was converted")
    return Scan(np.ascontiguousarray(distinct), triangles, tuple(notices))


def _keep_finite(points, triangles, notices):
    """Return (points, triangles) without the rows that are no numbers, which scanners write for holes; many are
    refused.
    """
    # This is False for NaN.
    if points.min() > -LARGEST and points.max() < LARGEST:
        return points, triangles
    usable = np.all(np.abs(points) < LARGEST, axis=1)
    # Organized clouds have a row for each pixel, whether it was measured or not: that is no damage.
    unmeasured = int(np.isnan(points).all(axis=1).sum())
    rows = len(points) - unmeasured
    dropped = rows - int(usable.sum())
    if rows < MIN_POINTS:
        words = f"{unmeasured} of {len(points)} rows are {UNMEASURED}; a surface needs at least {MIN_POINTS} points"
        raise Rejected("too_few_points", f"{words}: scan again")
    if dropped > MAX_DROPPED * rows:
        words = f"{dropped} of {rows} rows are {MISSING}, more than {MAX_DROPPED:.0%}: export the scan again"
        raise Rejected("non_finite", words)
    if unmeasured:
        notices.append(f"{unmeasured} of {len(points)} rows are {UNMEASURED}")
    if dropped:
        notices.append(f"{dropped} of {rows} rows dropped because they are {MISSING}")
    if triangles is not None:
        is_kept = np.all(usable[triangles], axis=1)
        if not is_kept.all():
            notices.append(f"{len(is_kept) - int(is_kept.sum())} triangles at dropped rows dropped")
        triangles = (np.cumsum(usable) - 1)[triangles[is_kept]].astype(np.int32)
    return points[usable], triangles
