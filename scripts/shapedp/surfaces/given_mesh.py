"""Scans that come as meshes: keep triangles that make a disk, close inner holes, or fall back to the points."""

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import delaunay, repair, topology

SECOND_PIECE = 0.05  # share of the triangles from which a second piece is a second object


def disk(points, triangles):
    """(vertices, triangles, notices); vertices is None if the points must be triangulated anew.

    The largest piece is kept, the longest boundary loop stays the rim, every other loop is closed by a fan.
    """
    triangles, notices = _largest_piece(points, triangles)
    triangles, used = delaunay.compact(_without_repeats(triangles))
    vertices = points[used]
    reason, loops = topology.examine(triangles, len(vertices))
    if len(loops) > 1:
        triangles = np.concatenate([triangles, *(_fan(loop) for loop in loops[1:])])
        notices.append(f"{reason.removeprefix('it ')}: closed")
        reason = topology.fault(triangles, len(vertices))
    if reason.startswith("it is closed"):
        raise Rejected("closed_surface", "the mesh is closed; crop it to the face, so that it has a rim")
    if reason:
        return None, None, [f"the scan's own triangles are not used: {reason}"]
    try:
        triangles, kept = repair.mend(vertices, triangles)
    except Rejected as error:
        return None, None, [f"the scan's own triangles are not used: {error}"]
    return vertices[kept], triangles, notices


def _largest_piece(points, triangles):
    label = topology.components(triangles, len(points))
    sizes = np.bincount(label[triangles[:, 0]])
    order = np.sort(sizes)[::-1]
    if len(order) > 1 and order[1] > SECOND_PIECE * len(triangles):
        raise Rejected(
            "multiple_components",
            f"the mesh has separate parts of {order[0]} and {order[1]} triangles; crop it to one face",
        )
    kept = triangles[label[triangles[:, 0]] == np.argmax(sizes)]
    dropped = len(triangles) - len(kept)
    return kept, [f"{dropped} triangles of stray pieces dropped"] if dropped else []


def _without_repeats(triangles):
    """Triangles with three different corners, each once."""
    proper = triangles[np.all(triangles != np.roll(triangles, 1, axis=1), axis=1)]
    _, first = np.unique(np.sort(proper, axis=1), axis=0, return_index=True)
    return proper[np.sort(first)].astype(np.int64)


def _fan(loop):
    """Triangles that close a hole whose boundary is `loop`, the surface on its left."""
    return np.column_stack([np.full(len(loop) - 2, loop[0]), loop[2:], loop[1:-1]])
