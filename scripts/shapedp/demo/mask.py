"""The mesh every demo face shares: a disk of concentric rings laid on an egg-shaped mask.

Coordinates: the mask's own (s, t) in mm, s along the skin towards the face's left, t upwards, nose tip at (0, 0).
"""

from functools import cache

import numpy as np

RINGS = 48  # 1 + 3 * 48 * 49 = 7,057 vertices

# Where the skin is finely modelled the mesh is drawn together: centre (s, t), reach and pull.
MAGNIFIERS = (
    ((31.0, 36.0), (17.0, 13.0), 0.42),
    ((-31.0, 36.0), (17.0, 13.0), 0.42),
    ((0.0, -34.0), (24.0, 12.0), 0.42),
)


@cache
def disk():
    """Points of the unit disk: the centre, then ring k = 1..RINGS with 6k points each, the first one straight up.

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


@cache
def coordinates():
    """Mask coordinates (s, t) of the vertices, (n, 2) in mm.

    The disk becomes an egg, broad at the brow and narrow at the chin, and is then drawn together at eyes and mouth:
    p <- p - pull * (p - centre) * exp(-|(p - centre) / reach|^2 / 2).
    """
    u, v = disk().T
    s = u * (92 + 17 * v - 4 * v**2)
    t = 91 * v + 8 * (u**2 + v**2)
    p = np.column_stack([s, t])
    moved = p.copy()
    for centre, reach, pull in MAGNIFIERS:
        offset = p - centre
        moved -= pull * offset * np.exp(-0.5 * np.sum((offset / reach) ** 2, axis=1))[:, None]
    return moved
