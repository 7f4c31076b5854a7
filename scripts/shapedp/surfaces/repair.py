"""Mend a triangulation through its disk map: where the map turns or bends triangles, the mesh has folded.

Offending inner vertices are taken out and their stars filled (`spikes`); bad triangles at the rim are taken off it.
"""

import numpy as np

from shapedp.errors import NotConverged, Rejected
from shapedp.surfaces import conformal, delaunay, distortion, edges, rim, spikes

ROUNDS = 3
LARGEST_CHANGE = 60.0  # degrees
MOST_DROPPED = 0.25  # share of the vertices


def mend(vertices, triangles):
    """(triangles, kept): a disk over vertices[kept] of which the map turns no triangle over, nor bends one strongly.

    What is still bent after all rounds is kept: it is the best that these points allow.
    """
    kept = np.arange(len(vertices))
    for _ in range(ROUNDS):
        bad = offending(vertices[kept], triangles)
        if not bad.any():
            break
        triangles, stay = delaunay.compact(_without(vertices[kept], triangles, bad))
        kept = kept[stay]
    refuse_folded(len(kept), len(vertices))
    return triangles, kept


def refuse_folded(left, given):
    """Raise Rejected where so many points had to go that the scan must overlap itself."""
    if left < (1 - MOST_DROPPED) * given:
        raise Rejected(
            "folded_surface",
            f"only {left} of {given} points lie on one sheet: the surface overlaps itself, as hair, a collar, "
            "shoulders and strong noise do; crop the scan to the face, or smooth it",
        )


def offending(vertices, triangles):
    """(t,) triangles that the map turns over or bends by more than LARGEST_CHANGE degrees."""
    try:
        z = conformal.disk_map(vertices, triangles, unfold=False)
    except NotConverged as error:
        raise Rejected("folded_surface", f"the surface cannot be flattened: {error}") from error
    bent = np.abs(distortion.angle_changes(vertices, triangles, z)).max(axis=1) > LARGEST_CHANGE
    return bent | distortion.flipped(z, triangles)


def _without(vertices, triangles, bad):
    """The triangles of the disk with bad ones taken off the rim, and the inner vertices of the others taken out."""
    no_corners = np.full(triangles.shape, np.deg2rad(120))  # nothing but the bad triangles is to be peeled
    stay, _ = rim.peel(triangles, edges.neighbours(triangles), bad, no_corners)
    triangles, suspects = triangles[stay], np.unique(triangles[stay & bad])
    across, alive = edges.neighbours(triangles), np.ones(len(triangles), dtype=bool)
    changed = spikes.take_out(vertices, triangles, across, alive, suspects)
    edges.lawson(vertices, triangles, across, changed)
    return triangles[alive]
