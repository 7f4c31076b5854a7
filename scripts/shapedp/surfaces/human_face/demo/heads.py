"""Whole heads round a face, as a scanner that walks about a person leaves them: skull, hair, ears, neck, shoulders.

A face is a disk; the rest of a head is a band from the face's rim over the skull to the neck and down to the shoulders,
where the bust is cut off. The band is drawn by a formula: no head was measured. A curve starts at each point of the
rim: those over the forehead run over the crown and down the nape, those below the chin down the throat.

Frame: as the face's: x towards its left, y up, z out of it, mm.
"""

from itertools import pairwise

import numpy as np
import scipy

MIDDLE = np.array([0.0, 30.0, -108.0])  # of the skull, from the nose tip, mm
SKULL = np.array([77.0, 112.0, 104.0])  # its half-axes
NECK = np.array([0.0, -146.0, -122.0]), np.array([58.0, 60.0])  # the middle of its ring from the nose tip; x and z
SHOULDERS = np.array([205.0, 92.0]), 90.0  # x and z half-axes of the cut, and how far below the neck it lies
TILT, HALF_ANGLE = np.deg2rad(62), np.deg2rad(27)  # of the neck's cone, from straight behind, about the middle
ON_SKULL, BELOW = 44, 22  # rings of the band


def bust(vertices, triangles, nose_tip, rng):
    """Return (points (m, 3), triangles) of a face with head and shoulders grown on, for scans as whole as real ones.

    Its first points are the face's; nose_tip : a vertex
    """
    rim, tip = _rim(triangles), vertices[nose_tip]
    rings = _over_the_skull(vertices[rim], tip, rng)
    (wide, deep), drop = SHOULDERS
    neck, middle = rings[-1], tip + NECK[0]
    cut = (neck - middle) * [wide / NECK[1][0], 1.0, deep / NECK[1][1]] * rng.uniform(0.92, 1.08)
    for s in np.arange(1, BELOW + 1) / BELOW:  # from the neck's ring to the cut through the shoulders
        rings.append(middle + (1 - _smooth(s)) * (neck - middle) + _smooth(s) * cut - [0.0, drop * s, 0.0])
    loops = [rim] + [len(vertices) + k * len(rim) + np.arange(len(rim)) for k in range(len(rings))]
    band = [make_strip(inner, outer) for inner, outer in pairwise(loops)]
    return np.concatenate([vertices, *rings]), np.concatenate([triangles.astype(np.int64), *band])


def make_strip(inner, outer):
    """Return the triangles of the strip between two rings of as many points; the surface lies left of the inner one."""
    a, b, c, d = inner, np.roll(inner, -1), outer, np.roll(outer, -1)
    return np.concatenate([np.column_stack([b, a, c]), np.column_stack([b, c, d])])


def _over_the_skull(rim, tip, rng):
    """Return ON_SKULL rings (b, 3) of a bust from the face's rim over the skull to the neck.

    They are caps about axes that turn, narrowing so that no edges cross.
    """
    size = rng.uniform(0.95, 1.05, 3)
    middle, half_axes = tip + MIDDLE, SKULL * size
    half_axes[0] = max(half_axes[0], np.abs(rim[:, 0]).max() - 2)
    away = rim - middle
    first = np.linalg.norm(away, axis=1)
    clock, angle = np.arctan2(away[:, 1], away[:, 0]), np.arccos(-away[:, 2] / first)
    hair, ears = _hair(rng), _ears(rng)
    place, (wide, deep) = NECK
    wide, deep = wide * rng.uniform(0.9, 1.1), deep * rng.uniform(0.9, 1.1)
    ring = tip + place + np.column_stack([wide * np.cos(clock), np.zeros(len(clock)), -deep * np.sin(clock)])
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


def _smooth(s):
    """Return a smooth step from 0 at s = 0 to 1 at s = 1."""
    s = np.clip(s, 0, 1)
    return s * s * (3 - 2 * s)


def _hair(rng):
    """Return the function of the thickness in mm of a drawn person's hair, which a scan's face must be told apart from.

    It takes a direction, and s of the way from the rim to the neck, and has waves and rough strands.
    """
    thick, rough = rng.uniform(2, 16), rng.uniform(0.3, 1.5)
    waves, phases = rng.normal(0, 6, (6, 3)), rng.uniform(0, 2 * np.pi, 6)

    def hair(direction, s):
        """Return the thickness (n,) in mm of the hair in directions (n, 3) from the skull's middle; s : as of
        `_hair`.
        """
        covered = _smooth((direction[:, 1] - 0.45 * direction[:, 2] + 0.25) / 0.5) * _smooth((s - 0.05) / 0.15)
        wave = 1 + 0.25 * np.sin(direction @ waves.T + phases).sum(axis=1) / 2
        return covered * (thick * wave + rough * rng.standard_normal(len(direction)))

    return hair


def _ears(rng):
    """Return the function of the displacement in mm that draws two ears on a bust, each a wall round a hollow."""
    out, large = rng.uniform(10, 22), rng.uniform(0.85, 1.15)

    def ears(direction, s):
        """Return the displacement (n, 3) in mm by which ears stand out of the skull in directions (n, 3)."""
        displacement = np.zeros_like(direction)
        side = np.sign(direction[:, 0])
        u = (direction[:, 2] + 0.02 + 0.2 * (direction[:, 1] + 0.12)) / (0.16 * large)
        v = (direction[:, 1] + 0.12) / (0.26 * large)
        radius = np.hypot(u, v)
        wall = np.exp(-(((radius - 0.85) / 0.3) ** 2)) * _smooth(1.2 - u) * (np.abs(direction[:, 0]) > 0.5)
        displacement[:, 0] = side * out * wall
        displacement[:, 2] = -0.6 * out * wall
        return displacement * _smooth(s / 0.1)

    return ears


def _rim(triangles):
    """Return the vertices of a face's rim in their order, the surface on the left, on which `bust` grows the head."""
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    count = triangles.max() + 1
    codes, twins = sides[:, 0] * count + sides[:, 1], sides[:, 1] * count + sides[:, 0]
    after = dict(sides[~np.isin(codes, twins)].tolist())
    loop = [min(after)]
    while after[loop[-1]] != loop[0]:
        loop.append(after[loop[-1]])
    return np.array(loop)
