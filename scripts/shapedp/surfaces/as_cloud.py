"""A mesh as a scanner would leave it: points spread evenly over it, without its triangles.

Scans that are clouds are meshed anew and lose what their hollows hide. A template that keeps its own triangles differs
from them in just that, and each registration pays for it.
"""

import numpy as np

POINTS = 8_000  # as many as a thinned scan has
SEED = 0  # the same points whenever they are asked for


def points(vertices, triangles):
    """(n, 3) about POINTS points of a surface, none much nearer to another than the rest."""
    import trimesh  # late: half a second of start for what the template alone needs

    mesh = trimesh.Trimesh(vertices, triangles, process=False)
    spread, _ = trimesh.sample.sample_surface_even(mesh, POINTS, seed=SEED)
    return np.asarray(spread)
