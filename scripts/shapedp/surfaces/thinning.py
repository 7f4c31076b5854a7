"""A cloud of more points than its surface needs, thinned to the means of small cubes: noise falls with their number."""

import numpy as np

from shapedp.surfaces import frame

MOST = 12_000  # points that are taken as they are
AIM = 8_000  # means
COARSE = 40  # cubes along the cloud's widest spread (sd) to begin with
ENOUGH = 1.15  # times AIM: so many means are few enough
SPARSE = 0.3  # of the median number of points in a cube: fewer lie beside the surface, and their mean does, too
ROUNDS = 6
FAR = 1 << 19  # cubes from the middle: what lies farther out is as well as far as that
MOST_CUBES = 1 << 24


def thinned(points):
    """(points, notices): points (n, 3), or about AIM means of those in cubes along the cloud's own axes if n > MOST.

    Cubes centered at the cloud's middle follow it through any motion; a mirrored axis mirrors them.
    """
    if len(points) <= MOST:
        return points, []
    centroid, extents, axes = frame.principal(points)
    side = extents[0] / COARSE
    for _ in range(ROUNDS):
        means = _means(points, _cubes(points, centroid, axes, side))
        if AIM / ENOUGH <= len(means) <= ENOUGH * AIM:
            break
        side *= np.sqrt(len(means) / AIM)
    return means, [f"{len(points)} points thinned to {len(means)} means"]


def _cubes(points, centroid, axes, side):
    """(n,) the number of each point's cube; a block of points at a time, for millions fill the memory."""
    cell = np.empty((3, len(points)), dtype=np.int32)
    for start in range(0, len(points), frame.BLOCK):
        block = slice(start, start + frame.BLOCK)
        cell[:, block] = np.clip(np.rint(axes.T @ (points[block] - centroid).T / side), -FAR, FAR)
    cell -= cell.min(axis=1, keepdims=True)
    sizes = cell.max(axis=1) + 1
    cube = (cell[0].astype(np.int64) * sizes[1] + cell[1]) * sizes[2] + cell[2]
    if np.prod(sizes.astype(float)) > MOST_CUBES:  # far outliers: number the cubes that are used
        return np.unique(cube, return_inverse=True)[1]
    return cube


def _means(points, cube):
    """Mean of the points of each cube that holds more than the noise beside the surface puts into it."""
    count = np.bincount(cube)
    used = np.flatnonzero(count >= max(1, SPARSE * np.median(count[count > 0])))
    return np.column_stack([np.bincount(cube, points[:, axis])[used] / count[used] for axis in range(3)])
