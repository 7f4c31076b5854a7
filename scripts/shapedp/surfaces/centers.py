"""Which vertex of a disk goes to its center: a face's nose tip, or what the settings or the sample sheet name."""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import edges, frame, nose, topology

SIDE = 0.15  # square roots of the area: nearest the nose may lie to the rim before the face counts as half a face
UNSURE = 0.15  # confidence in the nose below which a notice is given


@dataclass(frozen=True)
class Center:
    """vertex : index; method : how it was found; confidence in 0..1; notice : words, mostly none"""

    vertex: int
    method: str
    confidence: float = 1.0
    notice: str = ""


def find(vertices, triangles, center, marked=None):
    """The Center of a triangulated disk.

    center : nose | highest | boundary | a point (x, y, z) of the scan; marked : (3,) the nose tip if somebody marked it
    """
    rim = topology.boundary_loops(triangles)[0]
    size = np.sqrt(edges.areas(vertices, triangles).sum())
    seen = frame.fit(vertices, flat=frame.FLAT if center == "nose" else frame.PLANE)
    found = _found(vertices, seen, size, rim, center, marked)
    if center == "nose":
        _refuse_half(vertices, found.vertex, rim, size)
    return found


def _found(vertices, seen, size, rim, center, marked):
    inside = np.setdiff1d(np.arange(len(vertices)), rim)
    if marked is not None:
        columns = "the columns nose_x, nose_y, nose_z"
        return Center(int(inside[_nearest(vertices[inside], marked, size, "marked_nose_far", columns)]), "marked")
    if not isinstance(center, str):
        return Center(int(inside[_nearest(vertices[inside], center, size, "center_far", "faces.center")]), "given")
    if center == "nose":
        tip, confidence = nose.find(vertices, seen, size, rim)
        words = f"the nose tip is uncertain (confidence {confidence:.2f}); mark it in the sample sheet"
        return Center(tip, "found", confidence, words if confidence < UNSURE else "")
    if center == "highest":
        return Center(int(inside[np.argmax(vertices[inside, 2])]), "highest")
    middle = vertices[rim].mean(axis=0)
    sideways = (vertices[inside] - middle) @ seen.axes[:2].T
    return Center(int(inside[np.argmin(np.linalg.norm(sideways, axis=1))]), "boundary")


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


def _refuse_half(vertices, tip, rim, size):
    nearest = np.linalg.norm(vertices[rim] - vertices[tip], axis=1).min() / size
    if nearest < SIDE:
        raise Rejected(
            "partial_face",
            f"the nose tip lies {nearest:.2f} face sizes from the scan's edge (at least {SIDE}); the scan shows only "
            "part of a face: scan it from the front",
        )
