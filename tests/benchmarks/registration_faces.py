"""Faces for the registration bench: their meshes, disk maps and surfaces, and the error of a registration in mm.

Vertices of a model (populations.Faces) correspond across faces, so a registration can be held against the truth.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import Delaunay, cKDTree
from scipy.spatial.transform import Rotation

from shapedp.surfaces import polar, table, topology
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.polar import polar_grid

RINGS, ANGLES = 96, 256
SEED = 4
CROP_MM, CROP_SPREAD = 90.0, 0.05
NOSE_OFF_MM = 12.0
CANDIDATES = 24  # triangles tried for each point


@dataclass(frozen=True)
class Face:
    """A face as it enters registration.

    whole : (N, 3) all vertices in mm, for the truth; kept : (n,) which of them the mesh has, in its own numbering
    triangles : (t, 3) of the mesh; z : (n,) its disk map, scaled as it was sampled; f : (R, T, 3) its unit surface
    """

    whole: np.ndarray
    kept: np.ndarray
    triangles: np.ndarray
    z: np.ndarray
    f: np.ndarray


def on_disk(model, vertices, center=None, radius=None):
    """A face of the model mapped to the disk, its center at a vertex (the nose tip), cropped about the nose tip."""
    nose_tip = model.nose_tip
    kept, triangles = cropped(vertices, model.disk, nose_tip, radius) if radius else whole(vertices, model.disk)
    place = int(np.flatnonzero(kept == (nose_tip if center is None else center))[0])
    z = conformal.move_to_center(conformal.disk_map(vertices[kept], triangles), triangles, place)
    f = polar.unit_surface(polar.sample(vertices[kept], triangles, z, RINGS, ANGLES))[0]
    return Face(vertices, kept, triangles, z / polar.reach(z, triangles), f)


def whole(vertices, triangles):
    """All vertices and triangles."""
    return np.arange(len(vertices)), triangles


def cropped(vertices, triangles, nose_tip, radius):
    """The part within `radius` of the nose tip that hangs together edge to edge and is a disk, renumbered."""
    near = np.linalg.norm(vertices - vertices[nose_tip], axis=1) < radius
    inside = triangles[near[triangles].all(axis=1)]
    while True:
        part = topology.label_components(inside, len(vertices))
        inside = inside[part[inside[:, 0]] == part[nose_tip]]
        kept = np.unique(inside)
        numbered = np.searchsorted(kept, inside).astype(np.int32)
        loops = topology.boundary_edges(inside)[:, 0]
        pinched = np.flatnonzero(np.bincount(loops, minlength=len(vertices)) > 1)
        ears = np.isin(inside, loops).all(axis=1)
        if not len(pinched) and not ears.any():
            return kept, numbered
        inside = inside[~(ears | np.isin(inside, pinched).any(axis=1))]


def hard(model, face_vertices, rng):
    """A face turned in space and in its disk at random, its center 12 mm off the nose tip."""
    away = np.abs(np.linalg.norm(face_vertices - face_vertices[model.nose_tip], axis=1) - NOSE_OFF_MM)
    center = rng.choice(np.argsort(away)[:12])
    turn = Rotation.random(rng=rng).as_matrix()
    face = on_disk(model, face_vertices @ turn.T, center)
    z = face.z * np.exp(2j * np.pi * rng.random())
    f = polar.unit_surface(polar.sample(face.whole, face.triangles, z, RINGS, ANGLES))[0]
    return Face(face.whole, face.kept, face.triangles, z, f)


def meshed_anew(face, rng):
    """(vertices, triangles, nose tip) of the same surface on other points, as many, uniform in area: a scan of it.

    Faces of the model share their triangles, and a method that snaps vertices to vertices would find the truth in that.
    """
    points = face.whole[face.kept]
    corners = points[face.triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    rim = np.unique(topology.boundary_edges(face.triangles))
    drawn = rng.choice(len(area), len(points) - len(rim) - 1, p=area / area.sum())
    weights = rng.dirichlet(np.ones(3), len(drawn))
    place = np.einsum("nk,nk->n", weights, face.z[face.triangles[drawn]])
    vertices = np.einsum("nk,nkc->nc", weights, corners[drawn])
    nose = np.abs(face.z).argmin()
    place = np.concatenate([place, face.z[rim], face.z[[nose]]])
    flat = np.stack([place.real, place.imag], axis=-1)
    triangles = Delaunay(flat).simplices
    a, b, c = place[triangles].T
    clockwise = _area(a, b, c) < 0
    triangles[clockwise] = triangles[clockwise, ::-1]
    sound = np.abs(_area(a, b, c)) > 1e-12
    return np.concatenate([vertices, points[rim], points[[nose]]]), triangles[sound].astype(np.int32), len(place) - 1


def seen_anew(face, rng):
    """The face as `on_disk` gives it, of a mesh made anew; `whole` stays the truth, of the model's vertices."""
    vertices, triangles, nose_tip = meshed_anew(face, rng)
    z = conformal.move_to_center(conformal.disk_map(vertices, triangles), triangles, nose_tip)
    f = polar.unit_surface(polar.sample(vertices, triangles, z, RINGS, ANGLES))[0]
    return Face(vertices, np.arange(len(vertices)), triangles, z / polar.reach(z, triangles), f)


def moved(gamma, points):
    """gamma (R, T, 2) at points (n, 2) of the disk; looked up as displacement."""
    grid = polar_grid(*gamma.shape[:2])
    return points + table.lookup(table.coefficients(gamma - grid.points, grid), points)


def in_disk(z):
    """(n, 2) of complex numbers, those beyond the rim taken to it."""
    return np.stack([z.real, z.imag], axis=-1) / np.maximum(np.abs(z), 1)[:, None]


def vertex_errors(template, face, gamma):
    """(n,) mm: each vertex of the template, sent through gamma into the face, against the face's own vertex.

    Of the vertices that both have: where one was cropped away there is no right answer.
    """
    _, at, _ = np.intersect1d(template.kept, face.kept, return_indices=True)
    place = moved(gamma, in_disk(template.z[at]))
    return np.linalg.norm(points_at(face, place) - face.whole[template.kept[at]], axis=1)


def points_at(face, place):
    """(n, 3) mm: the points of the face's mesh at points (n, 2) of its disk; beyond the rim, the nearest inside.

    Of the triangles whose centers are nearest, the one that holds the point best: a map may have a flipped triangle.
    """
    corners = face.z[face.triangles]
    centers = corners.mean(axis=1)
    _, near = cKDTree(np.stack([centers.real, centers.imag], axis=-1)).query(place, CANDIDATES)
    a, b, c = corners[near].transpose(2, 0, 1)
    at = (place @ np.array([1, 1j]))[:, None]
    weights = np.stack([_area(at, b, c), _area(a, at, c), _area(a, b, at)], axis=-1) / _area(a, b, c)[..., None]
    best = weights.min(axis=-1).argmax(axis=1)
    rows = np.arange(len(place))
    weights = np.maximum(weights[rows, best], 0)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.einsum("nk,nkc->nc", weights, face.whole[face.kept][face.triangles[near[rows, best]]])


def _area(a, b, c):
    return ((b - a).conj() * (c - a)).imag
