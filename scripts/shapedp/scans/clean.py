"""From what a file says to a Scan: finite rows, each once, and triangles that fit them."""

import numpy as np

from shapedp.errors import Rejected
from shapedp.scans import repeats
from shapedp.scans.limits import MIN_POINTS
from shapedp.scans.scan import Scan

MAX_DROPPED = 0.05  # share of unusable rows that is put down to the scanner, not to a broken file
LARGEST = 1e30  # beyond it are placeholders for missing values, and squares that overflow
SMALLEST = 1e-9  # longest side below which squares of squares are lost beside 1
MISSING = "not finite (NaN, infinite or beyond 1e30)"


def scan(points, triangles, notices):
    """Drop unusable rows, merge repeated ones, drop triangles that lose a corner; say so in notices."""
    notices = list(notices)
    if len(points) < MIN_POINTS:
        raise Rejected("too_few_points", f"{len(points)} points, a surface needs at least {MIN_POINTS}: scan again")
    points, triangles = _finite(points, triangles, notices)
    points, triangles = _distinct(points, triangles, notices)
    if triangles is not None:
        triangles = _whole(triangles, notices)
    extent = np.max(np.ptp(points, axis=0))
    if extent < SMALLEST:
        raise Rejected(
            "degenerate", f"the longest side is {extent:.3g}, too small to compute with: export the scan in millimetres"
        )
    notices += _units(extent)
    return Scan(np.ascontiguousarray(points), triangles, tuple(notices))


def _finite(points, triangles, notices):
    if points.min() > -LARGEST and points.max() < LARGEST:  # False for NaN
        return points, triangles
    usable = np.all(np.abs(points) < LARGEST, axis=1)
    dropped = len(points) - int(usable.sum())
    if dropped > MAX_DROPPED * len(points):
        raise Rejected(
            "non_finite",
            f"{dropped} of {len(points)} rows are {MISSING}, more than {MAX_DROPPED:.0%}: export the scan again",
        )
    notices.append(f"{dropped} of {len(points)} rows dropped because they are {MISSING}")
    if triangles is not None:
        kept = np.all(usable[triangles], axis=1)
        if not kept.all():
            notices.append(f"{len(kept) - int(kept.sum())} triangles at dropped rows dropped")
        triangles = (np.cumsum(usable) - 1)[triangles[kept]].astype(np.int32)
    return points[usable], triangles


def _distinct(points, triangles, notices):
    distinct, index = repeats.merge(points)
    if len(distinct) < MIN_POINTS:
        raise Rejected(
            "degenerate", f"{len(points)} points, but only {len(distinct)} distinct: no surface; export the scan again"
        )
    if len(distinct) == len(points):
        return points, triangles
    notices.append(f"{len(points) - len(distinct)} repeated points merged")
    return distinct, None if triangles is None else index[triangles].astype(np.int32)


def _whole(triangles, notices):
    """Triangles with three different corners; None if there are none."""
    a, b, c = triangles.T
    whole = (a != b) & (b != c) & (c != a)
    if not whole.all():
        notices.append(f"{len(whole) - int(whole.sum())} triangles without three different corners dropped")
    return triangles[whole] if whole.any() else None


def _units(extent):
    """A guess in words; the pipeline is free of scale, so nothing is converted."""
    if 60 <= extent <= 1000:
        return []
    guess = "metres" if extent < 1 else "centimetres or another unit" if extent < 60 else "micrometres, or no face"
    return [f"units: the longest side is {extent:.3g}, which looks like {guess}; nothing was converted"]
