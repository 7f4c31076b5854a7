"""Whole heads round a face, as a scanner that walks about a person leaves them: skull, hair, ears, neck, shoulders.

A face is a disk; the rest of a head is a band from the face's rim over the skull to the neck and down to the shoulders,
where the bust is cut off. The band is drawn by a formula: no head was measured. A curve starts at each point of the
rim: those over the forehead run over the crown and down the nape, those below the chin down the throat.

Frame: as the face's: x towards its left, y up, z out of it, mm.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy

KINDS = ("closed", "open", "shells", "cloud")  # in turn; shells: eyeballs, teeth and the inside of the skin, too
UNITS = {"mm": 1.0, "cm": 0.1, "m": 0.001}
POINTS = 20_000  # of a cloud
NOISE_MM = 0.1
MIDDLE = np.array([0.0, 30.0, -108.0])  # of the skull, from the nose tip, mm
SKULL = np.array([77.0, 112.0, 104.0])  # its half-axes
NECK = np.array([0.0, -146.0, -122.0]), np.array([58.0, 60.0])  # the middle of its ring from the nose tip; x and z
SHOULDERS = np.array([205.0, 92.0]), 90.0  # x and z half-axes of the cut, and how far below the neck it lies
TILT, HALF_ANGLE = np.deg2rad(62), np.deg2rad(27)  # of the neck's cone, from straight behind, about the middle
ON_SKULL, BELOW = 44, 22  # rings of the band
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
    points, whole = bust(vertices, triangles, nose_tip, rng, closed=kind == "closed")
    if kind == "shells":
        points, whole = _with_inside(points, whole, vertices[nose_tip])
    if kind == "cloud":
        points, whole = evenly(points, whole, rng), None
    points = points + NOISE_MM * rng.standard_normal(points.shape)
    rotation, translation = scipy.spatial.transform.Rotation.random(rng=rng).as_matrix(), rng.uniform(-300, 300, 3)
    unit = tuple(UNITS)[int(rng.integers(len(UNITS)))]
    bare = Head(points, whole, kind, unit, rotation, translation, vertices[nose_tip])
    return Head(bare.placed(points), whole, kind, unit, rotation, translation, bare.placed(bare.nose_tip))


def bust(vertices, triangles, nose_tip, rng, closed=False):
    """(points (m, 3), triangles) of a head and shoulders whose first points are the face's; closed : with a floor."""
    rim = _rim(triangles)
    tip = vertices[nose_tip]
    rings = _over_the_skull(vertices[rim], tip, rng)
    rings += _to_the_shoulders(rings[-1], tip, rng)
    points = np.concatenate([vertices, *rings])
    loops = [rim] + [len(vertices) + k * len(rim) + np.arange(len(rim)) for k in range(len(rings))]
    band = [_between(inner, outer) for inner, outer in pairwise(loops)]
    floor = []
    if closed:
        last = loops[-1]
        floor = [np.column_stack([last, np.roll(last, -1), np.full(len(last), len(points))])[:, [1, 0, 2]]]
        points = np.concatenate([points, points[last].mean(axis=0)[None]])
    return points, np.concatenate([triangles.astype(np.int64), *band, *floor])


def _between(inner, outer):
    """Triangles of the strip between two rings of as many points; the surface lies on the left of the inner one."""
    a, b, c, d = inner, np.roll(inner, -1), outer, np.roll(outer, -1)
    return np.concatenate([np.column_stack([b, a, c]), np.column_stack([b, c, d])])


def _over_the_skull(rim, tip, rng):
    """ON_SKULL rings (b, 3) from the rim to the neck.

    Caps about axes that turn from straight behind to the neck, and narrow as they turn: their edges do not cross.
    """
    size = rng.uniform(0.95, 1.05, 3)
    middle, half_axes = tip + MIDDLE, SKULL * size
    half_axes[0] = max(half_axes[0], np.abs(rim[:, 0]).max() - 2)
    away = rim - middle
    first = np.linalg.norm(away, axis=1)
    clock, angle = np.arctan2(away[:, 1], away[:, 0]), np.arccos(-away[:, 2] / first)
    hair, ears = _hair(rng), _ears(rng)
    ring = _neck_ring(clock, tip, rng)
    rings = []
    for s in np.arange(1, ON_SKULL + 1) / ON_SKULL:
        polar = (1 - s) * angle + s * HALF_ANGLE
        straight = np.column_stack([np.sin(polar) * np.cos(clock), np.sin(polar) * np.sin(clock), -np.cos(polar)])
        direction = straight @ scipy.spatial.transform.Rotation.from_euler("x", -TILT * s).as_matrix().T
        reach = 1 / np.linalg.norm(direction / half_axes, axis=1)
        near = np.exp(-((s / 0.16) ** 2))
        reach = (1 - near) * (reach + hair(direction, s)) + near * first
        points = middle + reach[:, None] * direction + ears(direction, s)
        down = _smooth((s - 0.6) / 0.4)
        rings.append((1 - down) * points + down * ring)
    return rings


def _neck_ring(clock, tip, rng):
    place, (wide, deep) = NECK
    wide, deep = wide * rng.uniform(0.9, 1.1), deep * rng.uniform(0.9, 1.1)
    return tip + place + np.column_stack([wide * np.cos(clock), np.zeros(len(clock)), -deep * np.sin(clock)])


def _to_the_shoulders(ring, tip, rng):
    """BELOW rings from the neck's ring to the cut through the shoulders."""
    (wide, deep), drop = SHOULDERS
    middle = tip + NECK[0]
    last = (ring - middle) * [wide / NECK[1][0], 1.0, deep / NECK[1][1]] * rng.uniform(0.92, 1.08)
    rings = []
    for s in np.arange(1, BELOW + 1) / BELOW:
        flare = _smooth(s)
        rings.append(middle + (1 - flare) * (ring - middle) + flare * last - [0.0, drop * s, 0.0])
    return rings


def _smooth(s):
    s = np.clip(s, 0, 1)
    return s * s * (3 - 2 * s)


def _hair(rng):
    """Thickness in mm of the hair in a direction, s of the way from the rim to the neck: waves and rough strands."""
    thick, rough = rng.uniform(2, 16), rng.uniform(0.3, 1.5)
    waves, phases = rng.normal(0, 6, (6, 3)), rng.uniform(0, 2 * np.pi, 6)

    def hair(direction, s):
        covered = _smooth((direction[:, 1] - 0.45 * direction[:, 2] + 0.25) / 0.5) * _smooth((s - 0.05) / 0.15)
        wave = 1 + 0.25 * np.sin(direction @ waves.T + phases).sum(axis=1) / 2
        return covered * (thick * wave + rough * rng.standard_normal(len(direction)))

    return hair


def _ears(rng):
    """Displacement in mm that draws two ears, each a wall round a hollow."""
    out, large = rng.uniform(10, 22), rng.uniform(0.85, 1.15)

    def ears(direction, s):
        moved = np.zeros_like(direction)
        side = np.sign(direction[:, 0])
        u = (direction[:, 2] + 0.02 + 0.2 * (direction[:, 1] + 0.12)) / (0.16 * large)
        v = (direction[:, 1] + 0.12) / (0.26 * large)
        radius = np.hypot(u, v)
        wall = np.exp(-(((radius - 0.85) / 0.3) ** 2)) * _smooth(1.2 - u) * (np.abs(direction[:, 0]) > 0.5)
        moved[:, 0] = side * out * wall
        moved[:, 2] = -0.6 * out * wall
        return moved * _smooth(s / 0.1)

    return ears


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
    between = [_between(inner, outer) for inner, outer in pairwise(loops)]
    return middle + unit * half_axes, np.concatenate([top, *between, bottom])


def evenly(points, triangles, rng):
    """POINTS points of a surface, evenly by area."""
    corners = points[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    steps = np.cumsum(np.linalg.norm(across, axis=1))
    chosen = np.searchsorted(steps, steps[-1] * (np.arange(POINTS) + rng.random(POINTS)) / POINTS)
    chosen = corners[np.minimum(chosen, len(corners) - 1)]
    u, v = np.sqrt(rng.random(POINTS)), rng.random(POINTS)
    return np.einsum("ik,ikd->id", np.stack([1 - u, u * (1 - v), u * v], axis=1), chosen)


def _rim(triangles):
    """The vertices of a disk's boundary in their order, the surface on the left."""
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    count = triangles.max() + 1
    codes, twins = sides[:, 0] * count + sides[:, 1], sides[:, 1] * count + sides[:, 0]
    after = dict(sides[~np.isin(codes, twins)].tolist())
    loop = [min(after)]
    while after[loop[-1]] != loop[0]:
        loop.append(after[loop[-1]])
    return np.array(loop)


def _normals(points, triangles):
    """(n, 3) unit normals at the vertices."""
    corners = points[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = np.stack(
        [np.bincount(triangles.ravel(), np.repeat(across[:, k], 3), len(points)) for k in range(3)], axis=1
    )
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
