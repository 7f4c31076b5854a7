"""Triangulate an open surface: Delaunay of its flattening, edges flipped to fit the surface, rim and spikes trimmed."""

import numpy as np
import pythoncdt as cdt

from shapedp.errors import Rejected
from shapedp.surfaces import edges, rim, spikes

FARTHEST = 1e6  # radii of the sphere from the middle of its flattening; at 1e15 and beyond CDT does not come to an end


def disk(points, flat, height):
    """(triangles, kept): a disk over points[kept], from the flattening flat (n, 2); height (n,) increases outwards."""
    triangles = of_plane(flat)
    across = edges.neighbours(triangles)
    edges.fit_to_surface(points, triangles, across)
    triangles = triangles[rim.trimmed(points, triangles, across)]
    alive = spikes.removed(points, triangles, edges.neighbours(triangles), height)
    return compact(triangles[alive])


def of_plane(flat):
    """Triangles (t, 3) of the Delaunay triangulation of flat (n, 2), counter-clockwise; one point a place."""
    places = np.ascontiguousarray(flat, dtype=float)
    if not (np.abs(places) <= FARTHEST).all():
        raise Rejected(
            "closed_surface",
            "a point lies straight behind the surface, where a flattening ends: clean the scan of stray points",
        )
    _, first = np.unique(places.view(complex).ravel(), return_index=True)
    first.sort()
    plane = cdt.Triangulation(cdt.VertexInsertionOrder.AUTO, cdt.IntersectingConstraintEdges.NOT_ALLOWED, 0.0)
    plane.insert_vertices(places[first])
    plane.erase_super_triangle()
    return canonical(first[plane.triangles_array(copy=False)["vertices"]])


def canonical(triangles):
    """The same triangles, each from its least corner on, in the order of their corners."""
    first = np.argmin(triangles, axis=1)
    turned = np.take_along_axis(triangles, (first[:, None] + np.arange(3)) % 3, axis=1)
    edge = turned[:, 0] * (turned.max() + 1) + turned[:, 1]  # directed, so that it belongs to one triangle alone
    return turned[np.argsort(edge, kind="stable")]


def compact(triangles):
    """(triangles over the vertices they use, those vertices)."""
    used, numbered = np.unique(triangles, return_inverse=True)
    return numbered.reshape(triangles.shape), used
