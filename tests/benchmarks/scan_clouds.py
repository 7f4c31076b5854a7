"""Scan-like clouds of faces whose surface and nose tip are known, in mm: what a front or three-view scanner leaves."""

import numpy as np
import scipy
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

NOISE_MM = 0.1
YAWS = {"front": (0,), "three_view": (-45, 0, 45)}  # degrees
CANDIDATES = 60_000
CELL_MM, BEHIND_MM = 2.0, 2.5  # depth buffer: cells, and how far behind the first point another is still seen
SPACING_MM = (1.75, 1.6)  # blue noise at these distances gives 6,000 to 9,000 points


def pose(rng, largest_degrees):
    """A rotation by up to so many degrees about any axis, and a translation."""
    axis = rng.standard_normal(3)
    turn = np.radians(rng.uniform(0, largest_degrees))
    return Rotation.from_rotvec(turn * axis / np.linalg.norm(axis)), rng.uniform(-100, 100, 3)


def on_triangles(vertices, triangles, count, rng):
    """`count` points spread evenly over the surface."""
    corners = vertices[triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    t = rng.choice(len(triangles), count, p=areas / areas.sum())
    u, v = rng.random((2, count))
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    return corners[t, 0] + u[:, None] * (corners[t, 1] - corners[t, 0]) + v[:, None] * (corners[t, 2] - corners[t, 0])


def seen(points, yaw):
    """(n,) which points a scanner sees from so many degrees to the side."""
    turned = Rotation.from_euler("y", -yaw, degrees=True).apply(points)
    column, row = np.floor((turned[:, :2] - turned[:, :2].min(axis=0)) / CELL_MM).astype(int).T
    cell = row * (column.max() + 1) + column
    first = np.full(cell.max() + 1, -np.inf)
    np.maximum.at(first, cell, turned[:, 2])
    return turned[:, 2] > first[cell] - BEHIND_MM


def thinned(points, spacing):
    """Points at least `spacing` apart, taken greedily in their order."""
    pairs = cKDTree(points).query_pairs(spacing, output_type="ndarray")
    near = scipy.sparse.csr_array((np.ones(len(pairs), dtype=bool), pairs.T), shape=(len(points), len(points)))
    starts, later = near.indptr.tolist(), near.indices
    alive = np.ones(len(points), dtype=bool)
    for i in range(len(points)):
        if alive[i]:
            alive[later[starts[i] : starts[i + 1]]] = False
    return points[alive]


def cloud(vertices, triangles, kind, rng):
    """Points (n, 3), with noise, of a face that looks along +z."""
    points = on_triangles(vertices, triangles, CANDIDATES, rng)
    points = points[np.any([seen(points, yaw) for yaw in YAWS[kind]], axis=0)]
    points = thinned(points, SPACING_MM[kind == "front"])
    return points + NOISE_MM * rng.standard_normal(points.shape)
