"""Make a mesh of millions of triangles coarse enough for the edge collapse that follows, in a few passes over it.

Vertices that lie in one cube and hang together there become their mean. Cubes follow the mesh's own axes, as those of
a cloud do. Two sheets that come near each other, as lips do, stay apart: no vertex of one is joined to one of the other
by edges within the cube.
"""

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.storage.loops import loop
from shapedp.surfaces import frame, topology
from shapedp.surfaces.meshing import clouds

ROUNDS = 4
# Cubes that a plane of a cube's area cuts, the mean over its directions.
CUT = 1.5
# Of the triangles that are aimed at: between these a round was the last.
FEW, MANY = 0.7, 1.15
# Of the same: fewer are no likeness of the scan.
FEWEST = 0.1


def coarsen(points, triangles, aim):
    """Return (points, triangles) of a mesh of millions made coarse, with about `aim` triangles; refuse what cannot be
    thinned evenly.

    Parameters
    ----------
    points : (n, 3) array
    triangles : (t, 3) integer array
    aim : int
        Triangles of the new mesh.
    """
    triangles, used_points = topology.compact(triangles)
    points = points[used_points]
    centroid, _, axes = frame.principal(points)
    # There are half as many vertices as triangles.
    side = np.sqrt(2 * topology.areas(points, triangles).sum() / (CUT * aim))
    if not side > 0:
        raise Rejected("degenerate", "its triangles have no area")
    for _ in range(ROUNDS):
        label = _join_within(clouds.find_cubes(points, centroid, axes, side), triangles)
        coarse = _drop_folds(label[triangles])
        if FEW * aim <= len(coarse) <= MANY * aim:
            break
        side *= np.sqrt(max(len(coarse), 1) / aim)
    if not FEWEST * aim <= len(coarse) <= MANY * aim:
        raise Rejected("uneven", f"{len(triangles)} triangles cannot be thinned evenly to {aim}")
    count = np.bincount(label)
    means = np.column_stack([np.bincount(label, points[:, axis]) / count for axis in range(3)])
    triangles, used_points = topology.compact(coarse)
    return means[used_points], triangles


@loop
def _join_within(cube, triangles):
    """Return (n,), the number of each vertex's part, whose mean takes its place: the vertices that edges join within a
    cube.
    """
    parent = np.arange(len(cube))
    for t in range(len(triangles)):
        for k in range(3):
            a, b = triangles[t, k], triangles[t, (k + 1) % 3]
            if cube[a] == cube[b]:
                topology.join(parent, a, b)
    return topology.find_parts(parent)


def _drop_folds(triangles):
    """Return the triangles that still make a surface after vertices were joined, each once.

    They have three different corners; two that lie on each other back to back are both left out, for the surface that
    they were a fold of goes on beside them.
    """
    proper = triangles[np.all(triangles != np.roll(triangles, 1, axis=1), axis=1)]
    corners = np.sort(proper, axis=1)
    first = np.argmin(proper, axis=1)[:, None]
    turned_corners = np.take_along_axis(proper, (first + np.arange(3)) % 3, axis=1)
    facing = np.where(turned_corners[:, 1] < turned_corners[:, 2], 1, -1)
    order = np.lexsort((corners[:, 2], corners[:, 1], corners[:, 0]))
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any(np.diff(corners[order], axis=0) != 0, axis=1)
    group = np.cumsum(is_new) - 1
    total = np.bincount(group, facing[order])
    kept_order = order[facing[order] == np.sign(total)[group]]
    _, once = np.unique(group[facing[order] == np.sign(total)[group]], return_index=True)
    return proper[np.sort(kept_order[once])]
