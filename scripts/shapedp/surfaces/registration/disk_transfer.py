"""Go from one disk of a surface to another of the same surface, meshed otherwise: with points, and with
registrations.
"""

from dataclasses import replace

import numpy as np
import scipy

from shapedp.base.storage.loops import loop
from shapedp.surfaces import polar, table
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import extent

# Triangles, by their centers, among which the nearest to a point is looked for: a triangle may come nearer than its
# center tells.
NEAR = 12
# Of an edge: triangles as near up to so little are equally near, for rounding, which differs between processors,
# decides between them.
ALIKE = 1e-9


def find_places(face, other):
    """Return (R, T, 2), where the grid points of a Face's disk lie in the disk of another Face of the same surface."""
    z = find_nearest((face.f * face.scale + face.centroid).reshape(-1, 3), other)
    return np.stack([z.real, z.imag], axis=-1).reshape(*face.f.shape[:2], 2)


def find_nearest(points, face):
    """Return where points of another mesh of the same surface lie in a Face's disk, to carry what one has to the other.

    points (n, 3); the result (n,) complex is where the Face's surface comes nearest to them
    """
    triangle, weights = find_closest(points, face.vertices, face.triangles)
    z = np.einsum("nk,nk->n", weights, face.z[face.triangles[triangle]]) / polar.reach(face.z, face.triangles)
    return z / np.maximum(np.abs(z), 1)


def find_closest(points, vertices, triangles):
    """Return (triangle (n,), barycentric weights (n, 3)) of the place on a mesh nearest to each point, to carry values
    between meshes.

    A place on an edge or a corner is nearest in several triangles, but for rounding, which differs between processors:
    the first of them in the mesh is returned.

    Parameters
    ----------
    points : (n, 3) array
    vertices : (v, 3) array
    triangles : (t, 3) integer array
    """
    corners = vertices[triangles]
    _, near = scipy.spatial.cKDTree(corners.mean(axis=1)).query(points, k=min(NEAR, len(corners)))
    return _find_closest(np.ascontiguousarray(points, dtype=float), corners, near.reshape(len(points), -1))


@loop(error_model="numpy")
def _find_closest(points, corners, near):
    """Return (triangle, weights) of the place on a mesh nearest to each point, by which values carry over to it.

    It is the compiled part of `find_closest`, among the triangles `near` (n, k) each point.
    """
    triangle, weights = np.empty(len(points), dtype=np.int64), np.empty((len(points), 3))
    far, inside = np.empty(near.shape[1]), np.empty((near.shape[1], 2))
    for n in range(len(points)):
        least, alike, x, y, z = np.inf, 0.0, points[n, 0], points[n, 1], points[n, 2]
        for k in range(near.shape[1]):
            corner = corners[near[n, k]]
            a, b, c = corner[0, 0], corner[0, 1], corner[0, 2]
            edge = corner[1, 0] - a, corner[1, 1] - b, corner[1, 2] - c
            other = corner[2, 0] - a, corner[2, 1] - b, corner[2, 2] - c
            offset = x - a, y - b, z - c
            v, w = _find_place_within(
                _dot(edge, edge), _dot(edge, other), _dot(other, other), _dot(offset, edge), _dot(offset, other)
            )
            away = (
                offset[0] - v * edge[0] - w * other[0],
                offset[1] - v * edge[1] - w * other[1],
                offset[2] - v * edge[2] - w * other[2],
            )
            far[k], inside[k, 0], inside[k, 1] = np.sqrt(_dot(away, away)), v, w
            if far[k] < least:
                least, alike = far[k], ALIKE * np.sqrt(_dot(edge, edge))
        triangle[n] = -1
        for k in range(near.shape[1]):
            if far[k] <= least + alike and not 0 <= triangle[n] < near[n, k]:
                v, w, triangle[n] = inside[k, 0], inside[k, 1], near[n, k]
                weights[n, 0], weights[n, 1], weights[n, 2] = 1 - v - w, v, w
    return triangle, weights


@loop
def _dot(a, b):
    """Return the scalar product of two vectors (3,)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@loop
def _find_place_within(aa, ab, bb, pa, pb):
    """Return (v, w), the place of a triangle nearest to a point, for `_find_closest`, from products of p, a and b.

    They minimise |p - v a - w b| where v, w >= 0 and v + w <= 1; p, a, b : from a corner to the point and along two
    sides. The minimum over the plane, if it lies inside; else the best of those on the three edges.
    """
    area = aa * bb - ab * ab
    v, w = bb * pa - ab * pb, aa * pb - ab * pa
    if v >= 0 and w >= 0 and v + w <= area and area > 0:
        return v / area, w / area
    along_a, along_b = _share(pa, aa), _share(pb, bb)
    # From the end of a towards that of b.
    across = _share(pb - pa + aa - ab, aa - 2 * ab + bb)
    best, best_place = np.inf, (0.0, 0.0)
    for v, w in ((along_a, 0.0), (0.0, along_b), (1 - across, across)):
        distance = v * v * aa + 2 * v * w * ab + w * w * bb - 2 * (v * pa + w * pb)
        if distance < best:
            best, best_place = distance, (v, w)
    return best_place


@loop
def _share(along, square):
    """Return the share of an edge at which a point comes nearest to it, 0 to 1, from products."""
    return min(max(along / square, 0.0), 1.0) if square > 0 else 0.0


def read_at(field, where):
    """Return a field (R, T, d) on the grid, read at places (R, T, 2) of its disk."""
    return table.lookup(table.coefficients(field, polar_grid(*field.shape[:2])), where)


def move_to_grid(aligned, where):
    """Return an Aligned on the grid of the template's other form, so that all registrations end on one grid.

    where : (R, T, 2) where that grid's points lie in the disk of its own
    """
    registered = aligned.registered
    displacement = registered.gamma - polar_grid(*where.shape[:2]).points
    # Both in one lookup, which takes the time of one.
    both = read_at(np.concatenate([displacement, registered.surface], axis=-1), where)
    surface, scale, shift = polar.unit_surface(both[..., 2:])
    registered = replace(registered, gamma=where + both[..., :2], surface=surface)
    centroid = aligned.centroid + aligned.scale * (shift @ registered.rotation)
    return replace(aligned, registered=registered, scale=aligned.scale * scale, centroid=centroid)


def read_on_grid(aligned, f, along, places=None):
    """Return (points (R, T, 3), whether each is seen (R, T), gamma) of an Aligned at all of a template's points f, gaps
    too.

    Where the scan shows nothing they are some continuation, to be filled in. along, places : as of a Grid
    """
    shape = f.shape
    if not aligned.missing:
        return aligned.points, np.ones(shape[:2], dtype=bool), aligned.registered.gamma
    seen = (extent.measure_beyond(along.reshape(-1, 3), aligned.reach) <= 0).reshape(shape[:2])
    where = aligned.shown.places(f, places)
    both = read_at(np.concatenate([aligned.points, aligned.registered.gamma], axis=-1), where)
    return both[..., :3], seen, both[..., 3:]
