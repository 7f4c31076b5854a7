"""From one disk of a surface to another of the same surface, meshed otherwise.

Where the points of the one lie in the other, and what a registration in the one is on the grid of the other.
"""

from dataclasses import replace

import numpy as np

from shapedp.surfaces import polar, table
from shapedp.surfaces.polar import polar_grid

NEAR = 12  # triangles, by their centers, among which the nearest to a point is looked for


def places(face, other):
    """(R, T, 2) where the grid points of a Face's disk lie in the disk of another Face of the same surface."""
    z = nearest((face.f * face.scale + face.centroid).reshape(-1, 3), other)
    return np.stack([z.real, z.imag], axis=-1).reshape(*face.f.shape[:2], 2)


def nearest(points, face):
    """(n,) complex: where in a Face's disk its surface comes nearest to points (n, 3)."""
    triangle, weights = closest(points, face.vertices, face.triangles)
    z = np.einsum("nk,nk->n", weights, face.z[face.triangles[triangle]]) / polar.reach(face.z, face.triangles)
    return z / np.maximum(np.abs(z), 1)


def closest(points, vertices, triangles):
    """(triangle (n,), barycentric weights (n, 3)) of the place on a mesh that is nearest to each point (n, 3)."""
    import trimesh  # late: half a second of start for what the template alone needs
    from scipy.spatial import cKDTree

    corners = vertices[triangles]
    near = cKDTree(corners.mean(axis=1)).query(points, k=min(NEAR, len(corners)))[1].reshape(len(points), -1)
    every = np.repeat(points, near.shape[1], axis=0)
    there = trimesh.triangles.closest_point(corners[near.ravel()], every).reshape(*near.shape, 3)
    row = np.arange(len(points))
    best = np.linalg.norm(there - points[:, None], axis=2).argmin(axis=1)
    triangle = near[row, best]
    return triangle, trimesh.triangles.points_to_barycentric(corners[triangle], there[row, best])


def read_at(field, where):
    """(R, T, d) a field on the grid, read at places (R, T, 2) of its disk."""
    return table.lookup(table.coefficients(field, polar_grid(*field.shape[:2])), where)


def transferred(found, where):
    """A Registered on the grid of another disk, whose points lie at `where`, of unit area there; scale; centroid."""
    gamma = where + read_at(found.gamma - polar_grid(*where.shape[:2]).points, where)
    surface, scale, centroid = polar.unit_surface(read_at(found.surface, where))
    return replace(found, gamma=gamma, surface=surface), scale, centroid


def moved(aligned, where):
    """An Aligned on the grid of another disk, whose points lie at `where` in its own."""
    found, scale, shift = transferred(aligned.registered, where)
    centroid = aligned.centroid + aligned.scale * (shift @ found.rotation)
    return replace(aligned, registered=found, scale=aligned.scale * scale, centroid=centroid)
