"""From a scan to a triangulated disk: manifold, oriented outwards, one boundary loop, chi = 1."""

from dataclasses import dataclass, field

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import (
    cleaning,
    delaunay,
    frame,
    given_mesh,
    holes,
    projection,
    repair,
    thinning,
    topology,
    visibility,
)


@dataclass(frozen=True)
class Options:
    """largest_hole, refused_hole : shares of the area, from notice and refusal"""

    largest_hole: float = 0.02
    refused_hole: float = 0.08


@dataclass(frozen=True)
class Mesh:
    """vertices (n, 3), triangles (t, 3) int32, quality : numbers, notices : words."""

    vertices: np.ndarray
    triangles: np.ndarray
    quality: dict
    notices: list = field(default_factory=list)


def mesh_scan(points, triangles=None, options=None):
    """Triangulate a scan as a disk; raises Rejected with the reason.

    points : (n, 3); triangles : (t, 3) of a scan that is a mesh, kept where they are sound
    """
    options = options or Options()
    points_read, notices, vertices, own = len(points), [], None, 0
    if triangles is not None:
        points, triangles, found = given_mesh.reduced(points, triangles)
        notices += found
    if triangles is None:
        points, found = thinning.thinned(points)
        notices += found
    order = frame.canonical_order(points)
    points = points[order]
    if triangles is not None:
        vertices, faces, found = given_mesh.disk(points, np.argsort(order)[triangles])
        notices += found
        own = int(vertices is not None)
    if vertices is None:
        kept, spacing, found = cleaning.one_surface(points)
        notices += found
        vertices, faces = _from_cloud(points[kept], spacing)
    return _finish(vertices, faces, {"points_read": points_read, "own_triangles": own}, options, notices)


def _from_cloud(points, spacing):
    """(vertices, triangles) of a disk by Delaunay in the flattening of a cloud's outer layer."""
    seen = frame.fit(points)
    _refuse_closed(points, seen)
    directions, height = projection.directions(points, projection.eye(seen))
    flat = projection.stereographic(directions, seen)
    outer = ~visibility.hidden(directions, height, flat, spacing)
    vertices = points[outer]
    triangles, kept = delaunay.disk(vertices, flat[outer], height[outer])
    repair.refuse_folded(len(kept), len(points))
    triangles, sound = repair.mend(vertices[kept], triangles)
    return vertices[kept][sound], triangles


def _finish(vertices, triangles, told, options, notices):
    """Check the disk, judge its holes, and gather the numbers; told : what is known of it before."""
    reason = topology.fault(triangles, len(vertices))
    if reason:
        raise Rejected("not_a_disk", f"no disk could be made of the scan: {reason}")
    filled = holes.judge(vertices, triangles, options, notices)
    quality = {
        **told,
        "points_kept": len(vertices),
        "holes_filled": filled.count,
        "largest_hole": filled.largest,
        "area": filled.area,
    }
    return Mesh(vertices, triangles.astype(np.int32), quality, notices)


def _refuse_closed(points, seen):
    """A surface that reaches all round the center of its sphere has no open side."""
    d, _ = projection.directions(points, seen.center)
    backwards = (d @ seen.axes[2]).min()
    if backwards < -0.9:
        raise Rejected(
            "closed_surface",
            f"the surface closes behind itself (directions down to {np.degrees(np.arccos(backwards)):.0f} degrees from "
            "its front), as a whole head does, or stray points round a face; crop the scan to the face, or clean it",
        )
