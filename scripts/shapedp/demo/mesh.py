"""The mesh every demo face shares: a disk of concentric rings laid on an egg-shaped mask.

Coordinates: the mask's own (s, t) in mm, s along the skin towards the face's left, t upwards, nose tip at (0, 0).
"""

from functools import cache

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from shapedp.demo.features import template

RINGS = 48  # 1 + 3 * 48 * 49 = 7,057 vertices

# Where the skin is finely modelled the mesh is finer: center (s, t), reach in mm, gain in resolution.
FINER = (
    ((31.0, 38.0), (17.0, 13.0), 1.4),
    ((-31.0, 38.0), (17.0, 13.0), 1.4),
    ((0.0, -35.0), (24.0, 11.0), 1.5),
    ((0.0, -6.0), (17.0, 8.0), 0.5),
)
ROUNDS = 8  # of relaxation; a ninth moves no vertex by more than 0.002 mm
DOWN = 0.05  # c of `egg`, found by trial: it leaves the central vertex within half a mm of the nose tip
REACH = 20.0  # mm around the nose tip, moved to mend the rest


@cache
def disk():
    """Points of the unit disk: the center, then ring k = 1..RINGS with 6k points each, the first one straight up.

    Returns (n, 2), symmetric under left <-> right.
    """
    rings = [np.zeros((1, 2))]
    for k in range(1, RINGS + 1):
        angle = np.pi / 2 + 2 * np.pi * np.arange(6 * k) / (6 * k)
        rings.append(k / RINGS * np.column_stack([np.cos(angle), np.sin(angle)]))
    return np.concatenate(rings)


@cache
def triangles():
    """Triangles (t, 3) int32 of `disk`, counter-clockwise seen from outside the face."""
    found = []
    for k in range(1, RINGS + 1):
        outer, inner = 1 + 3 * k * (k - 1), 1 + 3 * (k - 1) * (k - 2) if k > 1 else 0
        for sector in range(6):
            for i in range(k):
                a = outer + sector * k + i
                b = outer + (sector * k + i + 1) % (6 * k)
                c = inner + (sector * (k - 1) + i) % max(6 * (k - 1), 1)
                found.append((a, b, c))
                if i < k - 1:
                    found.append((b, inner + (sector * (k - 1) + i + 1) % (6 * (k - 1)), c))
    return np.array(found, dtype=np.int32)


def egg(points):
    """Mask coordinates (n, 2) in mm of points of the unit disk: an egg, broad at the brow, narrow at the chin.

    First the disk automorphism z -> (z - ic) / (1 + icz) brings more of the boundary to the chin, so that the disk's
    center comes to lie at the nose tip once the mesh is relaxed.
    """
    z = points[:, 0] + 1j * points[:, 1]
    z = (z - 1j * DOWN) / (1 + 1j * DOWN * z)
    u, v = z.real, z.imag
    return np.column_stack([u * (92 + 17 * v - 4 * v**2), 91 * v + 8 * (u**2 + v**2)])


def resolution(p):
    """How many times finer than elsewhere the mesh is meant to be at mask coordinates p (n, 2)."""
    return 1 + sum(gain * np.exp(-0.5 * np.sum(((p - c) / reach) ** 2, axis=1)) for c, reach, gain in FINER)


@cache
def coordinates():
    """Mask coordinates (s, t) of the vertices, (n, 2) in mm, so spread that the mean face is evenly covered.

    Springs of zero rest length along the edges, with stiffness resolution * length in space / length in the plane: at
    rest, resolution * length in space is the same along a row of edges. The springs' forces balance in a Tutte
    embedding, in which no triangle flips; the boundary is held. At the end the central vertex, which has drifted a
    little, is brought back to the nose tip together with its surroundings.
    """
    edges = _edges()
    a, b = edges.T
    p = egg(disk())
    held = np.zeros(len(p), dtype=bool)
    held[-6 * RINGS :] = True
    for _ in range(ROUNDS):
        in_space = np.linalg.norm(template(*p[a].T) - template(*p[b].T), axis=1)
        in_plane = np.linalg.norm(p[a] - p[b], axis=1)
        stiffness = resolution((p[a] + p[b]) / 2) * in_space / in_plane
        p = _balanced(p, held, edges, stiffness)
    return p - p[0] * np.exp(-0.5 * np.sum((p - p[0]) ** 2, axis=1) / REACH**2)[:, None]


def _edges():
    sides = np.concatenate([triangles()[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
    return np.unique(np.sort(sides, axis=1), axis=0)


def _balanced(p, held, edges, stiffness):
    """Positions in which the springs' forces balance at every vertex not held."""
    both = np.concatenate([edges, edges[:, ::-1]])
    adjacency = sparse.csr_array((np.tile(stiffness, 2), (both[:, 0], both[:, 1])), shape=(len(p), len(p)))
    laplacian = (sparse.diags_array(adjacency.sum(axis=1)) - adjacency).tocsr()
    free = ~held
    moved = p.copy()
    moved[free] = splu(laplacian[free][:, free].tocsc()).solve(-(laplacian[free][:, held] @ p[held]))
    return moved
