"""Surfaces whose conformal map, area and centroid are known in closed form."""

import numpy as np
from scipy.spatial import Delaunay


def disk_points(rings):
    """Points of the unit disk on rings, about evenly spread, the center first; (n,) complex."""
    points = [np.zeros(1, dtype=complex)]
    for i in range(1, rings + 1):
        count = 6 * i
        points.append(i / rings * np.exp(2j * np.pi * (np.arange(count) + 0.3 * (i % 2)) / count))
    return np.concatenate(points)


def disk_mesh(rings):
    """(z, triangles) of the unit disk, counter-clockwise."""
    z = disk_points(rings)
    return z, triangulated(z)


def triangulated(z):
    """Delaunay triangles (t, 3) of points z of the plane, counter-clockwise."""
    triangles = Delaunay(np.column_stack([z.real, z.imag])).simplices
    a, b, c = (z[triangles[:, k]] for k in range(3))
    turned = ((b - a).conj() * (c - a)).imag < 0
    triangles[turned] = triangles[turned][:, ::-1]
    return triangles.astype(np.int32)


def grid(rows, columns):
    """(points (n, 3), triangles (t, 3)) of a bowl over a grid of rows and columns."""
    x, y = np.meshgrid(np.linspace(-100, 100, columns), np.linspace(-100, 100, rows))
    i, j = (one.ravel() for one in np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij"))
    corner = i * columns + j
    halves = [corner, corner + 1, corner + columns + 1], [corner, corner + columns + 1, corner + columns]
    points = np.column_stack([x.ravel(), y.ravel(), (60 - (x**2 + y**2) / 200).ravel()])
    return points, np.concatenate([np.stack(half, axis=1) for half in halves]).astype(np.int32)


def comb(rows, columns):
    """The same cut into strips two vertices wide, which hang together at one end: every vertex lies on the rim."""
    points, triangles = grid(rows, columns)
    row, column = np.divmod(triangles[:, 0], columns)
    return points, triangles[(row % 2 == 0) | (column == 0)]


def lift(z):
    """A surface of which the disk is the exact conformal parameterisation: w = z + .25 z^2 + .1 i z^3 on a sphere.

    A holomorphic map, then inverse stereographic projection: both conformal, and not symmetric.
    """
    w = z + 0.25 * z**2 + 0.1j * z**3
    square = np.abs(w) ** 2
    return np.column_stack([2 * w.real, 2 * w.imag, 1 - square]) / (1 + square)[:, None]


def bump(u, v):
    """A face-like surface (..., 3) over the disk: a bowl with a nose at the middle and a chin below, no symmetry."""
    x, y = 0.8 * u, 1.1 * v
    z = (
        0.8
        - 0.5 * (u**2 + v**2)
        + 0.25 * np.exp(-40 * (u**2 + (v + 0.05) ** 2))
        + 0.08 * np.exp(-25 * (u**2 + (v + 0.6) ** 2))
    )
    return np.stack([x, y, z + 0.03 * u * v], axis=-1)
