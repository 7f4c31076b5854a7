"""Surfaces that are no faces, drawn from public data with their truth: knees, tiles of terrain, faces as a subject.

Each specimen is meshed anew and stands in a pose of its own; its truth is where the vertices that correspond lie.
"""

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import scipy
from scipy.spatial.transform import Rotation

from shapedp.surfaces import topology
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.meshing import clipping

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
KNEES = DATA / "surfaces" / "patella_cartilage.npz"
TERRAIN = DATA / "surfaces" / "dem_jacksboro.npz"
FACES = DATA / "faces" / "ict_faces.npz"
OF_FACES = 5000  # points of a face that is meshed anew
POINTS = 2600  # of a specimen that is meshed anew, about
AWAY = 50.0  # units: how far a specimen stands from the origin
SIDE, TILE_POINTS = 2_400.0, 40  # metres of a tile's side in its own frame, and points along it
TURN, SHIFT = 20.0, 0.1  # degrees and shares of its side by which a tile is turned and shifted


@dataclass(frozen=True)
class Specimen:
    """vertices (n, 3), triangles (t, 3) : as scanned
    truth : (v, 3) the vertices that correspond, in the scan's pose; corners : (u, 3) their triangles, one for all
    frame, surveyed : (v, 3) of a tile of terrain, its points in the frame that all have in common, and as surveyed
    """

    vertices: np.ndarray
    triangles: np.ndarray
    truth: np.ndarray
    corners: np.ndarray
    frame: np.ndarray | None = None
    surveyed: np.ndarray | None = None


def refuse_missing():
    """Stop where the data are not beside the checkout: nothing else stands in."""
    for path in (KNEES, TERRAIN, FACES):
        if not path.is_file():
            sys.exit(f"subjects: {path} is not beside this checkout; domes that are drawn: POPULATION=demo")


def meshed_anew(vertices, triangles, rng, count=POINTS):
    """(points, triangles) of the same disk with another mesh: points drawn evenly over it, its rim kept in place."""
    z = conformal.disk_map(vertices, triangles)
    areas = topology.areas(vertices, triangles)
    chosen = rng.choice(len(triangles), 4 * count, p=areas / areas.sum())
    weights = rng.dirichlet(np.ones(3), len(chosen))
    points = np.einsum("nk,nkc->nc", weights, vertices[triangles[chosen]])
    flat = np.einsum("nk,nk->n", weights, z[triangles[chosen]])
    loop = topology.boundary_loops(triangles)[0]
    rim_points = (vertices[loop] + vertices[np.roll(loop, -1)]) / 2
    rim_flat = z[loop] + z[np.roll(loop, -1)]
    rim_flat /= np.abs(rim_flat)
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


def specimen(vertices, triangles, rng, count=POINTS):
    """A Specimen of a surface in any pose, meshed anew."""
    turn = Rotation.random(random_state=rng.integers(1 << 30)).as_matrix()
    shift = rng.normal(size=3) * AWAY
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
    """The Specimen of the ground about a place: turned about the vertical and shifted, as its survey has it."""
    height, _ = _ground()
    steps = np.linspace(-0.5, 0.5, TILE_POINTS) * SIDE
    x, y = (one.ravel() for one in np.meshgrid(steps, steps))
    frame = np.column_stack([x, y, height(x + middle[0], y + middle[1])])
    corners = _square(TILE_POINTS)
    angle, away = np.radians(turn) * rng.uniform(-1, 1), shift * SIDE * rng.uniform(-1, 1, 2)
    r = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    flat = rng.uniform(-0.49, 0.49, (TILE_POINTS**2, 2)) * SIDE
    sides = [np.column_stack([steps, np.full_like(steps, s * SIDE / 2)]) for s in (-1, 1)]
    flat = np.unique(np.concatenate([flat, *sides, *(one[:, ::-1] for one in sides)]), axis=0)
    triangles = scipy.spatial.Delaunay(flat).simplices
    u, v, w = (flat[triangles[:, k]] for k in range(3))
    cross = (v - u)[:, 0] * (w - u)[:, 1] - (v - u)[:, 1] * (w - u)[:, 0]
    triangles = np.where((cross > 0)[:, None], triangles, triangles[:, ::-1])[np.abs(cross) > 1e-6]
    points = np.column_stack([flat, height(*(flat + middle).T)])
    moved = np.append(away, 0.0)
    surveyed = np.column_stack([x, y, height(*(np.column_stack([x, y]) - away).dot(r[:2, :2]).T + middle[:, None])])
    truth = frame @ r.T + moved
    return Specimen(points @ r.T + moved, triangles.astype(np.int32), truth, corners, frame, surveyed)


def _square(count):
    """Triangles of a regular grid of count x count points, seen from above."""
    index = np.arange(count**2).reshape(count, count)
    a, b, c, d = index[:-1, :-1].ravel(), index[:-1, 1:].ravel(), index[1:, :-1].ravel(), index[1:, 1:].ravel()
    return np.concatenate([np.column_stack([a, b, c]), np.column_stack([b, d, c])]).astype(np.int32)


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
    height = (vertices - np.median(vertices, axis=0)) @ (np.asarray(along) / np.linalg.norm(along))
    return clipping.clip_level(vertices, triangles, height, int(np.argmin(height)))
