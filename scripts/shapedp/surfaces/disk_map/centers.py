"""Which vertex of a disk goes to its center: what the settings or the sample sheet name.

Of a subject of which more is known, `subjects.finders` asks that subject's own room.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.surfaces import frame, topology

# The method of a center that somebody marked.
MARKED = "marked"


@dataclass(frozen=True)
class Center:
    """vertex : index; method : how it was found; confidence in 0..1; notice : words, mostly none"""

    vertex: int
    method: str
    confidence: float = 1.0
    notice: str = ""


def find(vertices, triangles, center, marked=None):
    """Return the Center of a triangulated disk: the vertex that the disk map brings to 0, as settings or a mark name
    it.

    Parameters
    ----------
    vertices, triangles : (n, 3), (t, 3)
        Of the disk, in units of the scan.
    center : str or (3,)
        highest, boundary (where the middle of the rim lies, seen from the front), or a point of the scan.
    marked : (3,), optional
        The center, where somebody marked it.
    """
    center = center if isinstance(center, str) else tuple(center)
    return _center(vertices, triangles, center, None if marked is None else tuple(marked))


@topology.remember_last_call
def _center(vertices, triangles, center, marked):
    """Return the Center that `find` is asked for, the vertex to be brought to 0, kept so that it is not found twice.

    Its arguments can be compared with the last ones.
    """
    rim = topology.boundary_loops(triangles)[0]
    size = np.sqrt(topology.areas(vertices, triangles).sum())
    scan_frame = frame.fit(vertices, flat=frame.PLANE)
    inside = np.delete(np.arange(len(vertices)), rim)
    if marked is not None:
        columns = "the columns nose_x, nose_y, nose_z"
        return Center(int(inside[_nearest(vertices[inside], marked, size, "marked_nose_far", columns)]), MARKED)
    if not isinstance(center, str):
        return Center(int(inside[_nearest(vertices[inside], center, size, "center_far", "faces.center")]), "given")
    if center == "highest":
        return Center(int(inside[np.argmax(vertices[inside, 2])]), "highest")
    sideways = (vertices[inside] - vertices[rim].mean(axis=0)) @ scan_frame.axes[:2].T
    return Center(int(inside[np.argmin(np.linalg.norm(sideways, axis=1))]), "boundary")


def _nearest(vertices, point, size, code, source):
    """Return the number of the vertex nearest to a point that somebody gave as center, which must lie on the
    surface.
    """
    distance = np.linalg.norm(vertices - np.asarray(point, dtype=float), axis=1)
    if not distance.min() <= 0.1 * size:
        raise Rejected(
            code,
            f"the point given as center {tuple(point)} lies {distance.min():.4g} units from the surface; "
            f"check the units and {source}",
        )
    return np.argmin(distance)
