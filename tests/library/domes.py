"""Surfaces that are no faces: domes with a crest to one side, each a little different, meshed anew and in any pose."""

import numpy as np
import scipy

RIM, INSIDE = 120, 900  # points of a dome


def dome(seed, mirrored=False, posed=True, spread=1.0, lean=None):
    """(points (n, 3), triangles (t, 3), the function from places (n, 2) of the unit disk to its points) of a dome.

    lean : how far the crest stands to one side; None: as far as it does, 0.4
    """
    rng = np.random.default_rng(seed)
    long, wide, high, crest = np.array([1.3, 1.0, 0.45, 0.25]) * (1 + 0.06 * spread * rng.standard_normal(4))
    turn = scipy.spatial.transform.Rotation.random(random_state=seed).as_matrix() if posed else np.eye(3)
    shift = 40 * rng.standard_normal(3) if posed else np.zeros(3)
    sign, side = -1 if mirrored else 1, 0.4 if lean is None else lean

    def surface(flat):
        """The dome above places of the unit disk, mirrored in y if asked for."""
        x, y = flat.T
        bump = crest * np.exp(-((x - 0.35) ** 2 + (y - side) ** 2) / 0.08)
        height = high * (1 - x**2 - y**2) + bump + 0.12 * x * y**2
        return 20 * np.column_stack([long * x + 0.1 * y**2, sign * wide * y, height]) @ turn.T + shift

    angle = 2 * np.pi * (np.arange(RIM) + rng.random()) / RIM
    inner = rng.uniform(-1, 1, (4 * INSIDE, 2))
    inner = inner[np.hypot(*inner.T) < 0.98][:INSIDE]
    flat = np.concatenate([np.column_stack([np.cos(angle), np.sin(angle)]), inner])
    triangles = scipy.spatial.Delaunay(flat).simplices
    a, b, c = (flat[triangles[:, k]] for k in range(3))
    area = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    triangles = np.where((area > 0)[:, None], triangles, triangles[:, ::-1])[np.abs(area) > 1e-9]
    triangles = triangles[:, ::-1] if mirrored else triangles
    return surface(flat), triangles.astype(np.int32), surface
