"""Mend a triangulation through its disk map: where the map turns or bends triangles, the mesh has folded.

A conformal map nearly keeps Delaunay triangulations, and the boundary is the hull of the disk's points. So the
offending interior vertices are dropped, and all others triangulated anew by Delaunay in the disk: a disk again.
"""

import numpy as np

from shapedp.errors import NotConverged, Rejected
from shapedp.surfaces import conformal, delaunay, distortion

ROUNDS = 6
LARGEST_CHANGE = 60.0  # degrees
MOST_DROPPED = 0.25  # share of the vertices


def mend(vertices, triangles):
    """(kept vertex indices, triangles over them, their disk map) with no flipped and no strongly bent triangle.

    What is still bent, but not turned over, after all rounds is kept: it is the best that these points allow.
    """
    kept = np.arange(len(vertices))
    for attempt in range(ROUNDS + 1):
        z = _map(vertices[kept], triangles)
        bad = offending(vertices[kept], triangles, z)
        if attempt == ROUNDS or not bad.any():
            break
        triangles, stay = _without(vertices[kept], triangles, z, bad)
        kept = kept[stay]
    dropped = 1 - len(kept) / len(vertices)
    if distortion.flipped(z, triangles).any() or dropped > MOST_DROPPED:
        raise Rejected(
            "folded_surface",
            f"the surface stays folded after {ROUNDS} repairs ({dropped:.1%} of the points dropped): it overlaps "
            "itself; clean or smooth the scan first",
        )
    return kept, triangles, z


def _without(vertices, triangles, z, bad):
    """(triangles, indices of the vertices left) without bad triangles' inner vertices, or bad rim ones."""
    drop = np.zeros(len(vertices), dtype=bool)
    drop[triangles[bad]] = True
    drop &= np.abs(z) < 1 - 1e-9
    if not drop.any():
        return delaunay.compact(delaunay.without_at_rim(vertices, triangles, bad))
    stay = np.flatnonzero(~drop)
    flat = np.column_stack([z.real, z.imag])[stay]
    return delaunay.fit_to_surface(vertices[stay], delaunay.of_plane(flat)), stay


def _map(vertices, triangles):
    try:
        return conformal.disk_map(vertices, triangles, unfold=False)
    except NotConverged as error:
        raise Rejected("folded_surface", f"the surface cannot be flattened: {error}") from error


def offending(vertices, triangles, z):
    """(t,) triangles that the map turns over or bends by more than LARGEST_CHANGE degrees."""
    bent = np.abs(distortion.angle_changes(vertices, triangles, z)).max(axis=1) > LARGEST_CHANGE
    return bent | distortion.flipped(z, triangles)
