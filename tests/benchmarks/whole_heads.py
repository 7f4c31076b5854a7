"""Scans of whole heads of every kind, each in a pose and unit of its own: what the chain is to find the face in."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy

from shapedp.surfaces.human_face.demo import heads, scans

KINDS = ("closed", "open", "shells", "cloud")  # in turn; shells: eyeballs, teeth and the inside of the skin, too
UNITS = {"mm": 1.0, "cm": 0.1, "m": 0.001}
POINTS = 20_000  # of a cloud
NOISE_MM = 0.1
EYES = np.array([30.0, 34.0, -42.0])  # the middle of an eyeball from the nose tip, left; right is its mirror image
EYEBALL_MM, SHELL_MM = 12.0, 6.0


@dataclass(frozen=True)
class Head:
    """A scan of a head, and where its face lies in it.

    points (n, 3) in `unit`; triangles (t, 3), or None for a cloud; a scanned point is to_unit * (rotation @ p) +
    translation of a point p of the face in mm; nose_tip (3,) in the scan
    """

    points: np.ndarray
    triangles: np.ndarray | None
    kind: str
    unit: str
    rotation: np.ndarray
    translation: np.ndarray
    nose_tip: np.ndarray

    def placed(self, vertices):
        """Points (n, 3) of the face in mm, where the scan has them and in its unit."""
        return UNITS[self.unit] * (vertices @ self.rotation.T + self.translation)


def scanned(vertices, triangles, nose_tip, kind, rng):
    """The Head of a face (n, 3) in mm with triangles of a disk, in any pose and unit, with a scanner's noise.

    nose_tip : index of a vertex
    """
    points, whole = heads.bust(vertices, triangles, nose_tip, rng)
    if kind == "closed":
        points, whole = with_floor(points, whole, len(vertices))
    if kind == "shells":
        points, whole = _with_inside(points, whole, vertices[nose_tip])
    if kind == "cloud":
        points, whole = scans.evenly(points, whole, POINTS, rng), None
    points = points + NOISE_MM * rng.standard_normal(points.shape)
    rotation, translation = scipy.spatial.transform.Rotation.random(rng=rng).as_matrix(), rng.uniform(-300, 300, 3)
    unit = tuple(UNITS)[int(rng.integers(len(UNITS)))]
    bare = Head(points, whole, kind, unit, rotation, translation, vertices[nose_tip])
    return Head(bare.placed(points), whole, kind, unit, rotation, translation, bare.placed(bare.nose_tip))


def with_floor(points, triangles, face):
    """(points, triangles) of a bust, closed below by a floor; face : how many of the points are the face's."""
    ring = (len(points) - face) // (heads.ON_SKULL + heads.BELOW)
    last = np.arange(len(points) - ring, len(points))
    floor = np.column_stack([np.roll(last, -1), last, np.full(ring, len(points))])
    return np.concatenate([points, points[last].mean(axis=0)[None]]), np.concatenate([triangles, floor])


def _with_inside(points, triangles, tip):
    """Eyeballs and teeth behind the face, and the skin's inner side."""
    parts = [(points, triangles)]
    for side in (1, -1):
        parts.append(_ball(tip + EYES * [side, 1, 1], EYEBALL_MM * np.ones(3)))
    parts.append(_ball(tip + np.array([0.0, -32.0, -34.0]), np.array([20.0, 8.0, 10.0])))
    normals = _normals(points, triangles)
    parts.append((points - SHELL_MM * normals, triangles[:, ::-1]))
    offsets = np.cumsum([0] + [len(part) for part, _ in parts])
    return (
        np.concatenate([part for part, _ in parts]),
        np.concatenate([t + start for (_, t), start in zip(parts, offsets, strict=False)]),
    )


def _ball(middle, half_axes, rows=12, columns=20):
    """A closed ellipsoid: (points, triangles)."""
    polar = np.pi * np.arange(1, rows) / rows
    turn = 2 * np.pi * np.arange(columns) / columns
    ring = np.stack(
        [
            np.sin(polar)[:, None] * np.cos(turn),
            np.sin(polar)[:, None] * np.sin(turn),
            np.cos(polar)[:, None] + 0 * turn,
        ],
        axis=-1,
    ).reshape(-1, 3)
    unit = np.concatenate([[[0, 0, 1.0]], ring, [[0, 0, -1.0]]])
    loops = [1 + k * columns + np.arange(columns) for k in range(rows - 1)]
    top = np.column_stack([np.zeros(columns, int), loops[0], np.roll(loops[0], -1)])
    bottom = np.column_stack([np.full(columns, len(unit) - 1), np.roll(loops[-1], -1), loops[-1]])
    between = [heads.make_strip(inner, outer) for inner, outer in pairwise(loops)]
    return middle + unit * half_axes, np.concatenate([top, *between, bottom])


def _normals(points, triangles):
    """(n, 3) unit normals at the vertices."""
    corners = points[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = np.stack(
        [np.bincount(triangles.ravel(), np.repeat(across[:, k], 3), len(points)) for k in range(3)], axis=1
    )
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
