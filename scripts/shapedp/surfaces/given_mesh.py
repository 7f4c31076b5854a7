"""Scans that come as meshes: keep triangles that make a disk, close inner holes, or fall back to the points."""

import numpy as np

from shapedp.errors import Rejected
from shapedp.scans import meshlab
from shapedp.surfaces import delaunay, repair, topology

DENSE, REDUCED = 400_000, 200_000  # triangles: more than so many are reduced to so many before anything else
SECOND_PIECE = 0.05  # share of the triangles from which a second piece is a second object


def reduced(points, triangles):
    """(points, triangles, notices) of a mesh that is not too dense to map; triangles is None where that fails."""
    if len(triangles) <= DENSE:
        return points, triangles, []
    try:
        points, triangles = meshlab.reduced(points, triangles, REDUCED)
    except Rejected as error:
        return points, None, [f"the scan's own triangles are not used: {error}"]
    return points, triangles, [f"the mesh was reduced to {len(triangles)} triangles"]


def disk(points, triangles):
    """(vertices, triangles, notices); vertices is None if the points must be triangulated anew.

    The largest piece is kept, the longest boundary loop stays the rim, every other loop is closed by a fan.
    """
    triangles, notices = _largest_piece(points, triangles)
    triangles, used = delaunay.compact(_without_repeats(triangles))
    vertices = points[used]
    reason, loops = topology.examine(triangles, len(vertices))
    if reason and not loops and "closed" not in reason:
        vertices, triangles, reason, loops, words = _repaired(vertices, triangles, reason)
        notices.append(words)
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


def _repaired(vertices, triangles, reason):
    """(vertices, triangles, what is still wrong, boundary loops, words) after MeshLab has mended what is no surface."""
    try:
        points, mended = meshlab.repaired(vertices, triangles)
        mended, used = delaunay.compact(_largest_piece(points, mended)[0])
    except Rejected as error:
        return vertices, triangles, reason, [], f"the mesh could not be repaired: {error}"
    still, loops = topology.examine(mended, len(used))
    words = f"{reason}: repaired, {len(triangles) - len(mended)} triangles removed"
    return points[used], mended, still, loops, words


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
