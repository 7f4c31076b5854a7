"""Surfaces that are no faces, drawn from public data with their truth: knees, tiles of terrain, faces as a subject.

Each specimen is meshed anew and stands in a pose of its own; its truth is where the vertices that correspond lie.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import scipy
from scipy.spatial.transform import Rotation

from shapedp.surfaces import polar, topology
from shapedp.surfaces.disk_map import conformal

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
KNEES = DATA / "surfaces" / "patella_cartilage.npz"
TERRAIN = DATA / "surfaces" / "dem_jacksboro.npz"
FACES = DATA / "faces" / "ict_faces.npz"
POINTS = 2600  # of a specimen that is meshed anew, about
AWAY = 50.0  # units: how far a specimen stands from the origin
SIDE, TILE_POINTS = 2_400.0, 40  # metres of a tile's side in its own frame, and points along it
TURN, SHIFT = 20.0, 0.1  # degrees and shares of its side by which a tile is turned and shifted


@dataclass(frozen=True)
class Specimen:
    """vertices (n, 3), triangles (t, 3) : as scanned
    truth : (v, 3) the vertices that correspond, in the scan's pose; corners : (u, 3) their triangles, one for all
    """

    vertices: np.ndarray
    triangles: np.ndarray
    truth: np.ndarray
    corners: np.ndarray


def meshed_anew(vertices, triangles, rng, count=POINTS):
    """(points, triangles) of the same disk with another mesh: points drawn evenly over it, its rim kept in place."""
    z = conformal.disk_map(vertices, triangles)
    areas = topology.areas(vertices, triangles)
    chosen = rng.choice(len(triangles), 4 * count, p=areas / areas.sum())
    weights = rng.dirichlet(np.ones(3), len(chosen))
    points = np.einsum("nk,nkc->nc", weights, vertices[triangles[chosen]])
    flat = np.einsum("nk,nk->n", weights, z[triangles[chosen]])
    loop = topology.boundary_loops(triangles)[0]
    rim = np.concatenate([loop, loop])  # halved, so that no vertex of the rim is where it was
    rim_points = (vertices[loop] + vertices[np.roll(loop, -1)]) / 2
    rim_flat = z[loop] + z[np.roll(loop, -1)]
    rim_flat /= np.abs(rim_flat)
    del rim
    spacing = np.sqrt(areas.sum() / count) * 0.7
    near = scipy.spatial.cKDTree(rim_points).query(points)[0] < spacing / 2
    points, flat = points[~near], flat[~near]
    kept, tree = np.ones(len(points), dtype=bool), scipy.spatial.cKDTree(points)
    for i, j in sorted(tree.query_pairs(spacing)):
        if kept[i]:
            kept[j] = False
    points, flat = np.concatenate([rim_points, points[kept]]), np.concatenate([rim_flat, flat[kept]])
    corners = scipy.spatial.Delaunay(np.column_stack([flat.real, flat.imag])).simplices
    a, b, c = (flat[corners[:, k]] for k in range(3))
    turned = ((b - a).conj() * (c - a)).imag
    corners = np.where((turned > 0)[:, None], corners, corners[:, ::-1])[np.abs(turned) > 1e-12]
    return points, corners.astype(np.int32)


def posed(points, rng):
    """The rotation (3, 3) and shift (3,) of any pose."""
    del points
    return Rotation.random(random_state=rng.integers(1 << 30)).as_matrix(), rng.normal(size=3) * AWAY


def specimen(vertices, triangles, rng, count=POINTS):
    """A Specimen of a surface in any pose, meshed anew."""
    turn, shift = posed(vertices, rng)
    points, corners = meshed_anew(vertices, triangles, rng, count)
    return Specimen(points @ turn.T + shift, corners, vertices @ turn.T + shift, triangles)


@cache
def knees():
    """(vertices (60, v, 3) in mm, triangles) in correspondence."""
    with np.load(KNEES, allow_pickle=False) as data:
        return data["vertices"].astype(float), data["triangles"]


@cache
def _ground():
    with np.load(TERRAIN, allow_pickle=False) as data:
        points = data["disk_points"].astype(float)
    return scipy.interpolate.CloughTocher2DInterpolator(points[:, :2], points[:, 2]), points


def tile_middles(count, rng):
    """(count, 2) middles of tiles that lie within the terrain, wherever they are turned and shifted."""
    _, points = _ground()
    middle = points[:, :2].mean(axis=0)
    reach = np.linalg.norm(points[:, :2] - middle, axis=1).max() - SIDE
    radius, angle = reach * np.sqrt(rng.random(count)), 2 * np.pi * rng.random(count)
    return middle + np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def tile(middle, rng, turn=TURN, shift=SHIFT):
    """(a Specimen of the ground about a place as it was surveyed, the heights of its frame on a regular grid)."""
    height, _ = _ground()
    steps = np.linspace(-0.5, 0.5, TILE_POINTS) * SIDE
    x, y = (one.ravel() for one in np.meshgrid(steps, steps))
    truth = np.column_stack([x, y, height(x + middle[0], y + middle[1])])
    index = np.arange(TILE_POINTS**2).reshape(TILE_POINTS, TILE_POINTS)
    a, b, c, d = index[:-1, :-1].ravel(), index[:-1, 1:].ravel(), index[1:, :-1].ravel(), index[1:, 1:].ravel()
    corners = np.concatenate([np.column_stack([a, b, c]), np.column_stack([b, d, c])]).astype(np.int32)
    angle = np.radians(turn) * rng.uniform(-1, 1)
    away = shift * SIDE * rng.uniform(-1, 1, 2)
    r = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    inner = rng.uniform(-0.5, 0.5, (TILE_POINTS**2, 2)) * SIDE
    edge = np.linspace(-0.5, 0.5, TILE_POINTS) * SIDE
    inside = (np.abs(inner) < 0.49 * SIDE).all(axis=1)
    sides = [np.column_stack([edge, np.full_like(edge, s * SIDE / 2)]) for s in (-1, 1)]
    flat = np.unique(np.concatenate([inner[inside], *sides, *(one[:, ::-1] for one in sides)]), axis=0)
    triangles = scipy.spatial.Delaunay(flat).simplices
    seen = flat @ r.T + away
    points = np.column_stack([flat, height(*(seen + middle).T)])
    u, v, w = (flat[triangles[:, k]] for k in range(3))
    cross = (v - u)[:, 0] * (w - u)[:, 1] - (v - u)[:, 1] * (w - u)[:, 0]
    triangles = np.where((cross > 0)[:, None], triangles, triangles[:, ::-1])[np.abs(cross) > 1e-6]
    there = (truth[:, :2] - away) @ r  # where the frame's points lie in the survey's axes
    return Specimen(points, triangles.astype(np.int32), np.column_stack([there, truth[:, 2]]), corners), truth


@cache
def face_model():
    """(mean, modes, triangles of the disk) of the ICT faces, in mm."""
    with np.load(FACES, allow_pickle=False) as data:
        return data["mean"] * 10.0, data["modes"].astype(float) * 10.0, data["triangles_disk"]


def faces(count, rng):
    """(count, v, 3) faces in correspondence, in mm, and their triangles."""
    mean, modes, triangles = face_model()
    weights = rng.standard_normal((count, len(modes)))
    return mean + np.einsum("nk,kvc->nvc", weights, modes), triangles


def half(vertices, triangles, along):
    """(points, triangles) of the part of a surface where a direction (3,) has it beyond its middle."""
    from shapedp.surfaces.meshing import clipping

    height = (vertices - np.median(vertices, axis=0)) @ (np.asarray(along) / np.linalg.norm(along))
    return clipping.clipped(vertices, triangles, height, int(np.argmin(height)))


def mean_surface_distance(points, triangles, vertices, corners):
    """Root mean square of the closest points of a surface from points on another, both with areas even enough."""
    from shapedp.surfaces.registration import disk_transfer

    at, weights = disk_transfer.closest(points, vertices, corners)
    del triangles
    return float(np.sqrt(((np.einsum("nk,nkc->nc", weights, vertices[corners[at]]) - points) ** 2).sum(axis=1).mean()))


def areas_of(f):
    """(R, T) areas of a grid's points."""
    return polar.plain_areas(f)
