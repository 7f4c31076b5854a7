"""Turn triangles of a disk map back by moving their vertices as little as it takes.

A triangle that turns over in a harmonic map is nearly always a sliver a millionth of the disk across. To raise weights
round it, or to solve the patch again, bends hundreds of triangles for it. Here each triangle whose area lies below its
floor moves its corners along the gradient of that area, by the least squares of moves that lift it there, one triangle
after the other until none is left (a projection onto one constraint after the other; Kaczmarz 1937). The
boundary stays. The floor is a share of the area that a similarity would give the triangle. Written by hand: no library
mends a map in place.
"""

import numba
import numpy as np

from shapedp.surfaces import distortion, edges

RINGS = 3  # of vertices round a turned triangle that may move
SHARE = 0.1  # of the area that a similarity with its longest edge would give a triangle
BEYOND = 1.1  # times its floor that a triangle is lifted to, so that the last moves end
SWEEPS = 100  # what has not unfolded by then is a fold of the surface


def unfolded(vertices, triangles, fixed, z, turned, flat):
    """z with the vertices round the `turned` triangles moved; some stay turned where the surface is folded.

    fixed : (n,) vertices that stay; flat : area that every triangle near them is to exceed
    """
    free = np.zeros(len(z), dtype=bool)
    free[triangles[turned]] = True
    for _ in range(RINGS):
        free[triangles[free[triangles].any(axis=1)]] = True
    near = triangles[free[triangles].any(axis=1)]
    moved = z.copy()
    _lift(moved, near, _floors(vertices, near, z, flat), free & ~fixed)
    return moved


def _floors(vertices, triangles, z, flat):
    """(t,) the area that each triangle keeps: no more than it has, where it is not turned over."""
    in_disk = np.column_stack([z.real, z.imag, np.zeros(len(z))])
    shrunk = edges.lengths(in_disk, triangles).max(axis=1) / edges.lengths(vertices, triangles).max(axis=1)
    similar = np.maximum(SHARE * edges.areas(vertices, triangles) * shrunk**2, 2 * flat)
    now = distortion.signed_areas(z, triangles)
    return np.where(now > flat, np.minimum(similar, now / BEYOND), similar)


@numba.njit(cache=True)
def _lift(z, triangles, floors, free):
    """Lift one triangle after the other to its floor, in place, until all lie there or the sweeps are over."""
    for _ in range(SWEEPS):
        low = False
        for t in range(len(triangles)):
            i, j, k = triangles[t]
            a, b, c = z[i], z[j], z[k]
            area = ((b - a).conjugate() * (c - a)).imag / 2
            if area >= floors[t]:
                continue
            low = True
            steep = free[i] * abs(c - b) ** 2 + free[j] * abs(a - c) ** 2 + free[k] * abs(b - a) ** 2
            if steep == 0.0:
                continue
            step = 2j * (BEYOND * floors[t] - area) / steep  # the gradient at corner a is i (c - b)/2
            z[i] += free[i] * step * (c - b)
            z[j] += free[j] * step * (a - c)
            z[k] += free[k] * step * (b - a)
        if not low:
            return
