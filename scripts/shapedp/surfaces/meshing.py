"""From a scan to a triangulated disk with a center: manifold, oriented outwards, one boundary loop, chi = 1."""

from dataclasses import dataclass, field

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import (
    cleaning,
    delaunay,
    frame,
    given_mesh,
    holes,
    nose,
    projection,
    repair,
    topology,
    visibility,
)

SIDE = 0.15  # square roots of the area: nearest the nose may lie to the rim before the face counts as half a face
UNSURE = 0.15  # confidence in the nose below which a notice is given


@dataclass(frozen=True)
class Options:
    """center : nose | highest | boundary | a point (x, y, z) of the scan

    largest_hole, refused_hole : shares of the area, from notice and refusal
    """

    center: str | tuple = "nose"
    largest_hole: float = 0.02
    refused_hole: float = 0.08


@dataclass(frozen=True)
class Mesh:
    """vertices (n, 3), triangles (t, 3) int32, nose_tip : index of the center, quality : figures, notices : words."""

    vertices: np.ndarray
    triangles: np.ndarray
    nose_tip: int
    quality: dict
    notices: list = field(default_factory=list)


def mesh_scan(points, triangles=None, options=None, center=None):
    """Triangulate a scan as a disk; raises Rejected with the reason.

    points : (n, 3); triangles : (t, 3) of a scan that is a mesh, kept where they are sound
    center : (3,) the nose tip if somebody marked it
    """
    options = options or Options()
    order = frame.canonical_order(points)
    points = points[order]
    notices = []
    vertices = None
    if triangles is not None:
        vertices, faces, found = given_mesh.disk(points, np.argsort(order)[triangles])
        notices += found
    if vertices is None:
        kept, spacing, found = cleaning.one_surface(points)
        notices += found
        vertices, faces = _from_cloud(points[kept], spacing, options)
    return _finish(vertices, faces, len(points), options, center, notices)


def _from_cloud(points, spacing, options):
    """(vertices, triangles) of a disk by Delaunay in the flattening of a cloud's outer layer."""
    seen = frame.fit(points, flat=frame.FLAT if options.center == "nose" else 0.0)
    _refuse_closed(points, seen)
    directions, height = projection.directions(points, projection.eye(seen))
    flat = projection.stereographic(directions, seen)
    outer = ~visibility.hidden(directions, height, flat, spacing)
    vertices = points[outer]
    triangles, kept = delaunay.disk(vertices, flat[outer], height[outer])
    repair.refuse_folded(len(kept), len(points))
    triangles, sound = repair.mend(vertices[kept], triangles)
    return vertices[kept][sound], triangles


def _finish(vertices, triangles, points_read, options, marked, notices):
    """Check the disk, judge its holes, find the center, and gather the figures."""
    reason, loops = topology.examine(triangles, len(vertices))
    if reason:
        raise Rejected("not_a_disk", f"no disk could be made of the scan: {reason}")
    filled = holes.judge(vertices, triangles, options, notices)
    seen = frame.fit(vertices, flat=frame.FLAT if options.center == "nose" else 0.0)
    rim = loops[0]
    size = np.sqrt(filled.area)
    tip, method, confidence = _center(vertices, seen, size, rim, options, marked)
    if options.center == "nose":
        _refuse_half(vertices, tip, rim, size)
        if confidence < UNSURE:
            notices.append(f"the nose tip is uncertain (confidence {confidence:.2f}); mark it in the sample sheet")
    quality = {
        "points_read": points_read,
        "points_kept": len(vertices),
        "holes_filled": filled.count,
        "largest_hole": filled.largest,
        "area": filled.area,
        "nose_method": method,
        "nose_confidence": confidence,
    }
    return Mesh(vertices, triangles.astype(np.int32), int(tip), quality, notices)


def _center(vertices, seen, size, rim, options, marked):
    """(index, how it was found, confidence) of the vertex that goes to the middle of the disk."""
    inside = np.setdiff1d(np.arange(len(vertices)), rim)
    if marked is not None:
        columns = "the columns nose_x, nose_y, nose_z"
        return inside[_nearest(vertices[inside], marked, size, "marked_nose_far", columns)], "marked", 1.0
    if not isinstance(options.center, str):
        return inside[_nearest(vertices[inside], options.center, size, "center_far", "faces.center")], "given", 1.0
    if options.center == "nose":
        tip, confidence = nose.find(vertices, seen, size, rim)
        return tip, "found", confidence
    if options.center == "highest":
        return inside[np.argmax(vertices[inside, 2])], "highest", 1.0
    middle = vertices[rim].mean(axis=0)
    sideways = (vertices[inside] - middle) @ seen.axes[:2].T
    return inside[np.argmin(np.linalg.norm(sideways, axis=1))], "boundary", 1.0


def _nearest(vertices, point, size, code, source):
    """The vertex nearest to a point somebody gave, which must lie on the surface."""
    distance = np.linalg.norm(vertices - np.asarray(point, dtype=float), axis=1)
    if not distance.min() <= 0.1 * size:
        raise Rejected(
            code,
            f"the point given as center {tuple(point)} lies {distance.min():.4g} units from the surface; "
            f"check the units and {source}",
        )
    return np.argmin(distance)


def _refuse_closed(points, seen):
    """A surface that reaches all round the center of its sphere has no open side."""
    d, _ = projection.directions(points, seen.center)
    backwards = (d @ seen.axes[2]).min()
    if backwards < -0.9:
        raise Rejected(
            "closed_surface",
            f"the surface closes behind itself (directions down to {np.degrees(np.arccos(backwards)):.0f} degrees from "
            "its front); crop the scan to the face",
        )


def _refuse_half(vertices, tip, rim, size):
    nearest = np.linalg.norm(vertices[rim] - vertices[tip], axis=1).min() / size
    if nearest < SIDE:
        raise Rejected(
            "partial_face",
            f"the nose tip lies {nearest:.2f} face sizes from the scan's edge (at least {SIDE}); the scan shows only "
            "part of a face: scan it from the front",
        )
