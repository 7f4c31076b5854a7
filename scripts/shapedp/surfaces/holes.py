"""Holes of a scan that the triangulation has bridged: how many, how large."""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import edges, rim

SMALLEST = 0.002  # share of the area below which a gap is not called a hole


@dataclass(frozen=True)
class Filled:
    """count of holes; largest as a share of the area; area of the whole surface."""

    count: int
    largest: float
    area: float


def measure(vertices, triangles):
    """Holes are connected patches of triangles with an edge longer than LONG typical ones."""
    corners = vertices[triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    lengths = edges.lengths(vertices, triangles)
    bridging = lengths.max(axis=1) > rim.LONG * np.median(lengths)
    patch = rim.patches(edges.neighbours(triangles), bridging)
    shares = np.bincount(patch[bridging], weights=areas[bridging], minlength=1) / areas.sum()
    return Filled(int(np.sum(shares > SMALLEST)), float(shares.max()), float(areas.sum()))


def judge(vertices, triangles, options, notices):
    """Refuse a hole beyond options.refused_hole, note one beyond options.largest_hole; returns Filled."""
    filled = measure(vertices, triangles)
    if filled.largest > options.refused_hole:
        raise Rejected(
            "large_hole",
            f"a hole covers {filled.largest:.1%} of the surface, more than {options.refused_hole:.0%}; "
            "scan again, or raise faces.mesh.refused_hole",
        )
    if filled.largest > options.largest_hole:
        notices.append(f"a hole of {filled.largest:.1%} of the surface was closed")
    return filled
