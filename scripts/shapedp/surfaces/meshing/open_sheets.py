"""What a mesh of any subject must be before it is mapped: one sheet with one edge, its holes small.

The edge of a face is a cut, and its gaps are bridged by long triangles. Of another subject the mesh's own triangles
say where it ends and where a hole is, however uneven they are.
"""

from dataclasses import replace

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.surfaces import topology

# Of the edge's length: a second edge that is longer makes a tube of the sheet.
TUBE = 0.6


def check_sheet(points, triangles, options):
    """Return the scan_mesh.Options for a mesh of a subject that is no face; raise Rejected for a tube or large holes.

    By them long triangles of its own are no holes.

    Parameters
    ----------
    points : (n, 3) array
        Of the scan.
    triangles : (t, 3) array or None
        Its own; None for a cloud.
    options : scan_mesh.Options
        Of the settings.
    """
    if triangles is None:
        return options
    whole, used_points = topology.compact(triangles.astype(np.int64))
    _, loops = topology.examine(whole, len(used_points))
    if not loops:
        return options
    edges = [points[used_points][loop] for loop in loops]
    lengths = [np.linalg.norm(np.roll(edge, -1, axis=0) - edge, axis=1).sum() for edge in edges]
    longest, *others = sorted(zip(lengths, range(len(edges)), strict=True), reverse=True)
    if others and others[0][0] > TUBE * longest[0]:
        raise Rejected(
            "two_edges",
            f"the surface has two long edges, of {longest[0]:.3g} and {others[0][0]:.3g}: a tube is not an open "
            "sheet; cut it so that it has one edge, or close one end",
        )
    holes = sum(_measure_area(edges[at]) for _, at in others) / topology.areas(points[used_points], whole).sum()
    if holes > options.refused_hole:
        raise Rejected(
            "large_hole",
            f"holes cover {holes:.1%} of the surface, more than {options.refused_hole:.0%}; scan again, or raise "
            "faces.mesh.refused_hole",
        )
    return replace(options, largest_hole=1.0, refused_hole=1.0)


def _measure_area(edge):
    """Return the area of the fan that closes an edge (n, 3), about its middle: how large a hole is."""
    middle = edge.mean(axis=0)
    return 0.5 * np.linalg.norm(np.cross(edge - middle, np.roll(edge, -1, axis=0) - middle), axis=1).sum()
