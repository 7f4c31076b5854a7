"""A cloud of more points than its surface needs, thinned to the means of small cubes: noise falls with their number."""

import numpy as np

from shapedp.surfaces import frame

MOST = 12_000  # points that are taken as they are
AIM = 8_000  # means
COARSE = 40  # cubes along the cloud's widest spread (sd) to begin with
ENOUGH = 1.15  # times AIM: so many means are few enough
SPARSE = 0.3  # of the median number of points in a cube: fewer lie beside the surface, and their mean does, too
ROUNDS = 6
MOST_CUBES = 1 << 27


def thinned(points):
    """(points, notices): points (n, 3), or about AIM means of those in cubes along the cloud's own axes if n > MOST.

    Cubes centered at the cloud's middle follow it through any motion; a mirrored axis mirrors them.
    """
    if len(points) <= MOST:
        return points, []
    seen = frame.fit(points)
    placed = (points - seen.centroid) @ seen.axes.T
    side = seen.extents[0] / COARSE
    for _ in range(ROUNDS):
        means = _means(points, *_cubes(placed, side))
        if AIM / ENOUGH <= len(means) <= ENOUGH * AIM:
            break
        side *= np.sqrt(len(means) / AIM)
    return means, [f"{len(points)} points thinned to {len(means)} means"]


def _cubes(placed, side):
    """(number of the cube of each point, how many cubes there can be)."""
    cell = np.rint(placed / side).astype(np.int64)
    cell -= cell.min(axis=0)
    sizes = cell.max(axis=0) + 1
    return (cell[:, 0] * sizes[1] + cell[:, 1]) * sizes[2] + cell[:, 2], int(np.prod(sizes.astype(float)))


def _means(points, cube, cubes):
    """Mean of the points of each cube that holds more than the noise beside the surface puts into it."""
    if cubes > MOST_CUBES:  # far outliers: number the cubes that are used
        cube = np.unique(cube, return_inverse=True)[1]
    count = np.bincount(cube)
    used = np.flatnonzero(count >= max(1, SPARSE * np.median(count[count > 0])))
    return np.column_stack([np.bincount(cube, points[:, axis])[used] / count[used] for axis in range(3)])
