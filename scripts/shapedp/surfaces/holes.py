"""Holes of a scan that the triangulation has bridged: how many, how large."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from shapedp.errors import Rejected
from shapedp.surfaces import delaunay, edges

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
    lengths = delaunay.edge_lengths(vertices, triangles)
    bridging = lengths.max(axis=1) > delaunay.LONG * np.median(lengths)
    across = edges.neighbours(triangles)
    t, k = np.nonzero((across >= 0) & bridging[:, None])
    other = across[t, k]
    both = bridging[other]
    graph = coo_matrix((np.ones(both.sum(), dtype=bool), (t[both], other[both])), shape=(len(triangles),) * 2)
    _, label = connected_components(graph, directed=False)
    shares = np.bincount(label[bridging], weights=areas[bridging], minlength=1) / areas.sum()
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
