"""Triangulate an open surface: Delaunay of its flattening, its rim peeled, its edges flipped to fit the surface."""

import numpy as np
from scipy.spatial import Delaunay

from shapedp.surfaces import edges

LONG = 5.0  # median edge lengths; a longer edge spans a gap of the scan
CAP = np.cos(np.deg2rad(150))  # rim corners more obtuse than 150 degrees are cut off
FLIP_ROUNDS = 30


def of_plane(flat):
    """Triangles (t, 3) of the Delaunay triangulation of flat (n, 2), counter-clockwise."""
    found = Delaunay(flat).simplices
    a, b, c = (flat[found[:, corner]] for corner in range(3))
    turned = (b - a)[:, 0] * (c - a)[:, 1] < (b - a)[:, 1] * (c - a)[:, 0]
    found[turned] = found[turned][:, ::-1]
    return canonical(found.astype(np.int64))


def canonical(triangles):
    """The same triangles, each from its least corner on, in the order of their corners."""
    first = np.argmin(triangles, axis=1)
    turned = np.take_along_axis(triangles, (first[:, None] + np.arange(3)) % 3, axis=1)
    return turned[np.lexsort(turned.T[::-1])]


def edge_lengths(points, triangles):
    """(t, 3) length of the edge opposite to each corner."""
    corners = points[triangles]
    return np.linalg.norm(corners[:, [1, 2, 0]] - corners[:, [2, 0, 1]], axis=2)


def corner_cosines(points, triangles):
    """(t, 3) cosine of the angle at each corner."""
    a, b, c = edge_lengths(points, triangles).T
    pairs = ((b, c, a), (c, a, b), (a, b, c))
    return np.column_stack([(x**2 + y**2 - z**2) / np.maximum(2 * x * y, 1e-300) for x, y, z in pairs])


def fit_to_surface(points, triangles):
    """Lawson flips on the surface's own angles."""
    triangles = triangles.copy()
    edges.lawson(points, triangles, edges.neighbours(triangles), FLIP_ROUNDS)
    return triangles


def peeled(points, triangles, typical):
    """The triangles left after the rim has lost those with long edges or obtuse caps."""
    long = edge_lengths(points, triangles) > LONG * typical
    across = edges.neighbours(triangles)
    return triangles[edges.peel(triangles, across, long, CAP, corner_cosines(points, triangles))]


def without_at_rim(points, triangles, bad):
    """The triangles left after `bad` (t,) ones have been taken off the rim; bad ones inside stay."""
    unwanted = np.repeat(bad[:, None], 3, axis=1)
    stay = edges.peel(triangles, edges.neighbours(triangles), unwanted, -1.0, corner_cosines(points, triangles))
    return triangles[stay]


def compact(triangles):
    """(triangles over the vertices they use, those vertices)."""
    used, numbered = np.unique(triangles, return_inverse=True)
    return numbered.reshape(triangles.shape), used
