"""Which of several named arrays are the points, and which the triangles."""

import numpy as np

from shapedp.errors import Rejected
from shapedp.scans import polygons
from shapedp.scans.arrays import as_points
from shapedp.scans.limits import MAX_TRIANGLES, check_count

POINTS = ("points", "vertices", "verts", "xyz", "vertex", "v", "pts", "cloud", "coordinates", "x")
TRIANGLES = ("triangles", "faces", "tri", "tris", "f", "t", "simplices")


def choose(shapes):
    """(name of the points, name of the triangles or None) from {name: shape} of the numeric arrays.

    A usual name decides; else the only array of three or more columns that has no name usual for triangles.
    """
    tables = {name: shape for name, shape in shapes.items() if len(shape) == 2 and (shape[1] >= 3 or shape[0] == 3)}
    triangles = _usual(TRIANGLES, tables)
    usual = _usual(POINTS, tables)
    others = [name for name in tables if name != triangles]
    others = [name for name in others if 3 in tables[name]] or others
    if usual is None and len(others) != 1:
        raise Rejected(
            "ambiguous_arrays" if others else "not_numeric",
            f"{len(others)} plain arrays may be the points ({', '.join(others[:8])[:80]}): name one of them 'points'",
        )
    return usual or others[0], triangles


def _usual(names, tables):
    """The table with one of the names, whole ("points") or as a part ("disk_points"); None if there is none."""
    whole = [table for name in names for table in tables if table.casefold() == name]
    parts = [table for name in names for table in tables if name in table.casefold().split("_")]
    return next(iter(whole + parts), None)


def as_mesh(name, points, triangles):
    """(points, triangles or None, notices) from the chosen array and an array of vertex numbers or None."""
    points, notices = as_points(points)
    notices = (f"array {name[:24]!r} taken as the points", *notices)
    if triangles is None:
        return points, None, notices
    check_count("triangles", len(triangles), MAX_TRIANGLES)
    if triangles.dtype.names or triangles.ndim != 2 or triangles.shape[1] < 3:
        raise Rejected("bad_shape", f"triangles of shape {triangles.shape[:8]} where (t, 3) is expected")
    faces = polygons.fan(np.full(len(triangles), triangles.shape[1]), triangles.reshape(-1))
    if faces.min() >= 1 and faces.max() == len(points):
        faces, notices = faces - 1, (*notices, "the triangles count their vertices from 1")
    return points, polygons.indices(faces, len(points)), notices
