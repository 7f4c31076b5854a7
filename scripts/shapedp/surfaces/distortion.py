"""How much a map to the disk changes angles, and whether it turns triangles over."""

import numpy as np


def angles(points, triangles):
    """(t, 3) degrees: the angle at each corner; points (n, 2 or 3)."""
    points = np.column_stack([points, np.zeros((len(points), 3 - points.shape[1]))])
    columns = []
    for corner in range(3):
        a, b, c = (points[triangles[:, (corner + shift) % 3]] for shift in range(3))
        columns.append(np.arctan2(np.linalg.norm(np.cross(b - a, c - a), axis=1), np.einsum("ij,ij->i", b - a, c - a)))
    return np.degrees(np.column_stack(columns))


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
