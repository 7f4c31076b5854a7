"""Holes of a scan that the triangulation has bridged: how many, how large."""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import edges, rim

SMALLEST = 0.002  # share of the area below which a gap is not called a hole
SHADOW = 2.0  # times larger than a hole inside a gap may be that reaches the rim: behind it lies the neck, not the face


@dataclass(frozen=True)
class Filled:
    """count of holes; largest as a share of the area; area of the whole surface; shadow: the largest reaches the rim"""

    count: int
    largest: float
    area: float
    shadow: bool


def measure(vertices, triangles):
    """Holes are connected patches of triangles with an edge longer than LONG typical ones."""
    areas = edges.areas(vertices, triangles)
    lengths = edges.lengths(vertices, triangles)
    across = edges.neighbours(triangles)
    patch = rim.patches(across, lengths.max(axis=1) > rim.LONG * np.median(lengths))
    bridging = patch >= 0
    shares = np.bincount(patch[bridging], weights=areas[bridging], minlength=1) / areas.sum()
    largest = np.argmax(shares)
    shadow = bool((across[patch == largest] < 0).any())
    return Filled(int(np.sum(shares > SMALLEST)), float(shares[largest]), float(areas.sum()), shadow)


def judge(vertices, triangles, options, notices):
    """Refuse a hole beyond options.refused_hole, note one beyond options.largest_hole; returns Filled."""
    filled = measure(vertices, triangles)
    limit = options.refused_hole * (SHADOW if filled.shadow else 1)
    what = "shadow at the rim" if filled.shadow else "hole"
    if filled.largest > limit:
        raise Rejected(
            "large_hole",
            f"a {what} covers {filled.largest:.1%} of the surface, more than {limit:.0%}; "
            "if it lies between chin and neck or behind glasses, crop those off; else scan again, or raise "
            "faces.mesh.refused_hole",
        )
    if filled.largest > options.largest_hole:
        notices.append(f"a {what} of {filled.largest:.1%} of the surface was closed")
    return filled
