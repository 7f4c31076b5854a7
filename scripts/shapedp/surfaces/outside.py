"""Find what of a scan is seen from outside: eyeballs, teeth and the inner side of a skin are hidden behind it.

A point is seen from a direction if nothing lies clearly in front of it in its cell of a grid across that direction; it
counts as outside if it is seen from SEEN_FROM of 42 directions. A separate piece of a mesh stays if most of it is.
"""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import scipy

from shapedp.base.storage.loops import loop
from shapedp.surfaces import topology
from shapedp.surfaces.meshing import clouds

# Points that a mesh or a cloud is looked at by, evenly spread.
SAMPLES = 25_000
# Of the 42 directions, from so many a point must be seen to count as outside.
SEEN_FROM = 3
# The side of a cell, in distances to the fourth neighbour: about eight points fall into it.
CELL = 2.5
# In sides of a cell: so little behind the foremost point is seen as well.
BEHIND = 0.35
# Times the noise, where that is more.
DEEP = 3.0
# The least share of a piece's samples that are outside, for the piece to stay.
SHOWN = 0.4
# Share of the samples: so few hidden ones are not worth a word.
FEW = 0.01


@dataclass(frozen=True)
class Outside:
    """points (m, 3) : samples that are seen, and outward (m, 3), the mean direction that each is seen from
    vertices (n, 3), triangles (t, 3) or None : the scan without hidden pieces; of a cloud its points that are seen
    weight (t,) : samples that are seen on each triangle
    """

    points: np.ndarray
    outward: np.ndarray
    vertices: np.ndarray
    triangles: np.ndarray | None
    weight: np.ndarray | None
    notices: list = field(default_factory=list)


def find_outside(points, triangles=None):
    """Return the Outside of a scan, without eyeballs, teeth or an inner skin: of a cloud (n, 3), or a mesh with
    triangles (t, 3).
    """
    if triangles is None:
        return _find_outside_of_cloud(points)
    samples, on = _spread_samples(points, triangles)
    count, outward = find_seen(samples)
    shown = count >= SEEN_FROM
    label = topology.label_components(triangles, len(points))[triangles[:, 0]]
    shown_count, sample_count = np.bincount(label[on], shown), np.bincount(label[on])
    shown_count, sample_count = (np.pad(a, (0, label.max() + 1 - len(a))) for a in (shown_count, sample_count))
    stays = (shown_count >= SHOWN * np.maximum(sample_count, 1))[label]
    large = np.unique(label[~stays & (np.bincount(label)[label] > FEW * len(triangles))])
    words = [f"{len(large)} hidden pieces of the mesh left out, such as teeth or an inner skin"] * (len(large) > 0)
    weight = np.bincount(on, shown, minlength=len(triangles))[stays]
    is_kept = shown & stays[on]
    return Outside(samples[is_kept], outward[is_kept], points, triangles[stays], weight, words)


def _find_outside_of_cloud(points):
    """Return the Outside of a cloud, for `find_outside`; its points count by the nearest of the samples."""
    indices = clouds.choose_evenly(points, SAMPLES)
    samples = points[indices]
    count, outward = find_seen(samples, np.nan_to_num(clouds.estimate_noise(samples)[0]))
    shown = count >= SEEN_FROM
    hidden = int((~shown).sum())
    words = [f"{hidden / len(samples):.0%} of the points lie hidden behind others: left out"]
    words = words if hidden > FEW * len(samples) else []
    seen_points = samples[shown]
    if len(indices) < len(points):
        seen_points = points[shown[scipy.spatial.cKDTree(samples).query(points)[1]]]
    return Outside(samples[shown], outward[shown], seen_points, None, None, words)


def _spread_samples(points, triangles):
    """Return (SAMPLES points evenly over a mesh, the triangle of each), by which it is told what is seen from outside.

    They are the same ones whenever they are asked for.
    """
    steps = np.cumsum(topology.areas(points, triangles))
    place = (np.arange(SAMPLES) + 0.5) / SAMPLES
    on = np.minimum(np.searchsorted(steps, steps[-1] * place), len(triangles) - 1)
    # Weyl's sequence of the plastic number spreads the samples over the triangles without drawing them.
    u, v = np.sqrt(np.arange(SAMPLES) * 0.7548776662466927 % 1), np.arange(SAMPLES) * 0.5698402909980532 % 1
    corners = points[triangles[on]]
    return np.einsum("ik,ikd->id", np.stack([1 - u, u * (1 - v), u * v], axis=1), corners), on


def find_seen(points, noise=0.0):
    """Return (count (n,) of the directions that each point is seen from, their mean (n, 3) of length 1), to tell outer
    points.
    """
    sample = np.arange(0, len(points), max(1, len(points) // 2000))
    spacing = np.median(clouds.find_nearest(points, 4, sample)[0][:, 3])
    side = max(CELL * spacing, np.ptp(points, axis=0).max() / 2000)
    behind = max(BEHIND * side, DEEP * noise)
    count, total = np.zeros(len(points), dtype=np.int64), np.zeros_like(points)
    for direction in directions():
        across = np.cross(direction, np.eye(3)[np.argmin(np.abs(direction))])
        across /= np.linalg.norm(across)
        frame = np.stack([across, np.cross(direction, across), direction])
        _count_seen_along(points, frame, side, behind, count, total)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return count, total / np.where(length > 0, length, 1)


@loop
def _count_seen_along(points, frame, side, behind, count, total):
    """Count, in place, the points that are seen along the frame's third row: one direction of `find_seen`.

    side : of a cell; behind : how far behind the foremost point of its cell a point is still seen; total : sums of
    directions
    """
    n = len(points)
    column, row, depth = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n)
    for i in range(n):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        column[i] = int(np.floor((frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z) / side))
        row[i] = int(np.floor((frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z) / side))
        depth[i] = frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z
    column -= column.min()
    row -= row.min()
    columns = column.max() + 1
    foremost = np.full(columns * (row.max() + 1), -np.inf)
    for i in range(n):
        cell = row[i] * columns + column[i]
        foremost[cell] = max(foremost[cell], depth[i])
    for i in range(n):
        if depth[i] >= foremost[row[i] * columns + column[i]] - behind:
            count[i] += 1
            for k in range(3):
                total[i, k] += frame[2, k]


@cache
def directions():
    """Return 42 directions (42, 3), about even over the sphere, from which a scan is looked at.

    They are the corners of an icosahedron and the middles of its edges.
    """
    golden = (1 + np.sqrt(5)) / 2
    corners = np.array([[0, a, b * golden] for a in (-1, 1) for b in (-1, 1)], dtype=float)
    corners = np.concatenate([np.roll(corners, k, axis=1) for k in range(3)])
    pairs = [(i, j) for i in range(12) for j in range(i) if np.linalg.norm(corners[i] - corners[j]) < 2.1]
    middles = np.array([corners[i] + corners[j] for i, j in pairs])
    all_directions = np.concatenate([corners, middles])
    return all_directions / np.linalg.norm(all_directions, axis=1, keepdims=True)


def normals(vertices, triangles):
    """Return (n, 3), the unit normals at the vertices of a mesh, to fit scans by; outwards where its triangles are."""
    total = _sum_normals(np.ascontiguousarray(vertices), triangles)
    return total / np.maximum(np.sqrt(np.einsum("nc,nc->n", total, total)), 1e-300)[:, None]


@loop
def _sum_normals(vertices, triangles):
    """Return the normals (n, 3) at a mesh's vertices, not yet of length 1, by which points and scans are fitted to it.

    Each is the sum over the triangles round a vertex, as long as twice their areas: the compiled loop of `normals`.
    """
    total = np.zeros((len(vertices), 3))
    for t in range(len(triangles)):
        a, b, c = triangles[t]
        ux, uy, uz = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1], vertices[b, 2] - vertices[a, 2]
        vx, vy, vz = vertices[c, 0] - vertices[a, 0], vertices[c, 1] - vertices[a, 1], vertices[c, 2] - vertices[a, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        for corner in (a, b, c):
            total[corner, 0] += x
            total[corner, 1] += y
            total[corner, 2] += z
    return total
