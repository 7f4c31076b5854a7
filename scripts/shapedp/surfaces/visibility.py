"""Which points of a cloud lie under a layer of others, seen from outside along lines through the eye inside the head.

Such points (nostril pockets, the inside of the lips) have no place of their own in a flattening. A point on a steep
slope has higher ones beside it too, but on one side; a point under a layer has them all round.
"""

import numba
import numpy as np

ASIDE = 1.5  # of the higher point's own spacing: how far aside, at most, it still covers
STEEP = 1.5  # outward over sideways distance, at least, of a point that covers another
ROUND = 0.6  # length of the mean direction to the covering points, at most, where they lie all round
FEWEST = 3
WIDEST = 2.0  # median spacings: larger spacings count as this


def hidden(directions, distances, flat, spacing):
    """(n,) mask of hidden points.

    directions (n, 3) of length 1 and distances (n,) from the eye; flat (n, 2) a conformal flattening of the directions
    spacing : (n,) distance of each point from its neighbours in space
    """
    spacing = np.minimum(spacing, WIDEST * np.median(spacing))
    reach = ASIDE * spacing.max()
    scale = (1 + (flat**2).sum(axis=1)) / 2  # of the stereographic projection: flat distance over angle
    cell = np.floor((flat - flat.min(axis=0)) / (reach * scale / distances).max()).astype(np.int64) + 1
    columns = int(cell[:, 0].max()) + 2
    place = cell[:, 1] * columns + cell[:, 0]
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(columns * (int(cell[:, 1].max()) + 2) + 1))
    result = np.empty(len(order), dtype=bool)
    sorted_by_cell = (a[order] for a in (directions, distances, flat, spacing, place))
    result[order] = _covered(*sorted_by_cell, columns, starts)
    return result


@numba.njit(cache=True)
def _covered(directions, distances, flat, spacing, place, columns, starts):
    """Whether each point is covered from all round; the points come cell by cell, in rows of `columns` cells."""
    result = np.zeros(len(distances), dtype=np.bool_)
    for j in range(len(distances)):
        count, x, y = 0, 0.0, 0.0
        for row in (-columns, 0, columns):
            for i in range(starts[place[j] + row - 1], starts[place[j] + row + 2]):
                outward = distances[i] - distances[j]
                if outward < spacing[i]:
                    continue
                limit = min(ASIDE * spacing[i], outward / STEEP) / distances[j]
                a = directions[i, 0] - directions[j, 0]
                b = directions[i, 1] - directions[j, 1]
                c = directions[i, 2] - directions[j, 2]
                if a * a + b * b + c * c < limit * limit:
                    u, v = flat[i, 0] - flat[j, 0], flat[i, 1] - flat[j, 1]
                    size = np.sqrt(u * u + v * v) + 1e-300
                    count, x, y = count + 1, x + u / size, y + v / size
        result[j] = count >= FEWEST and x * x + y * y < (ROUND * count) ** 2
    return result
