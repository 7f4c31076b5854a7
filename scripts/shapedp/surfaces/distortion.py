"""How much a map to the disk changes angles, and whether it turns triangles over."""

import numba
import numpy as np

from shapedp.surfaces import edges


def angles(points, triangles):
    """(t, 3) degrees: the angle at each corner; points (n, 2 or 3)."""
    return np.degrees(_angles(np.column_stack([points, np.zeros((len(points), 3 - points.shape[1]))]), triangles))


@numba.njit(cache=True)
def _angles(points, triangles):
    result = np.empty(triangles.shape)
    for t in range(len(triangles)):
        for k in range(3):
            a, b, c = triangles[t, k], triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
            result[t, k] = np.arctan2(*edges.sine_and_cosine(points, a, b, c))
    return result


def angle_changes(vertices, triangles, z):
    """(t, 3) degrees: angle in the disk minus angle on the mesh."""
    return angles(np.column_stack([z.real, z.imag]), triangles) - angles(vertices, triangles)


def signed_areas(z, triangles):
    """(t,) signed areas of the triangles in the disk."""
    a, b, c = (z[triangles[:, corner]] for corner in range(3))
    return ((b - a).conj() * (c - a)).imag / 2


def flipped(z, triangles):
    """(t,) mask of triangles that lost their orientation or their area."""
    return signed_areas(z, triangles) <= 0
