"""Kernels that change a triangulation locally: peeling its rim and Lawson flips. Loops in numba: no library has them.

A mesh is held as triangles (t, 3) and neighbours (t, 3): neighbour k lies across the edge opposite to corner k, or -1.
"""

import numba
import numpy as np


def neighbours(triangles):
    """(t, 3) the triangle across the edge opposite to each corner, -1 where there is none."""
    count = len(triangles)
    starts = triangles[:, [1, 2, 0]].astype(np.int64).T.ravel()
    ends = triangles[:, [2, 0, 1]].astype(np.int64).T.ravel()
    size = int(triangles.max()) + 1
    code, opposite = starts * size + ends, ends * size + starts
    order = np.argsort(code, kind="stable")
    place = np.minimum(np.searchsorted(code[order], opposite), len(code) - 1)
    found = code[order[place]] == opposite
    return np.where(found, order[place] % count, -1).reshape(3, count).T.copy()


@numba.njit(cache=True)
def peel(triangles, across, unwanted, cap_cosine, cosines):
    """Which triangles stay when bad ones are taken off the rim, one after the other, keeping a disk.

    unwanted : (t, 3) edges (opposite to corner k) that are too long; a rim triangle with such an edge goes
    cosines : (t, 3) of the corners' angles; a rim triangle whose corner opposite to the rim is more obtuse than
    cap_cosine goes too
    """
    count = len(triangles)
    alive = np.ones(count, dtype=np.bool_)
    rim_uses = np.zeros(triangles.max() + 1, dtype=np.int64)
    for t in range(count):
        for k in range(3):
            if across[t, k] < 0:
                rim_uses[triangles[t, (k + 1) % 3]] += 1
                rim_uses[triangles[t, (k + 2) % 3]] += 1
    queue = [t for t in range(count) if across[t, 0] < 0 or across[t, 1] < 0 or across[t, 2] < 0]
    while len(queue) > 0:
        later = [-1]
        for t in queue:
            if not alive[t]:
                continue
            rim = np.array([across[t, k] < 0 for k in range(3)])
            if rim.sum() == 0 or rim.sum() == 3:
                continue
            bad = False
            for k in range(3):
                bad |= unwanted[t, k]
                bad |= rim[k] and cosines[t, k] < cap_cosine
            if not bad:
                continue
            if rim.sum() == 1:
                k = 0 if rim[0] else (1 if rim[1] else 2)
                if rim_uses[triangles[t, k]] > 0:
                    continue  # the corner is on the rim already: the disk would be cut in two
            alive[t] = False
            for k in range(3):
                a, b = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
                if rim[k]:
                    rim_uses[a] -= 1
                    rim_uses[b] -= 1
                else:
                    other = across[t, k]
                    rim_uses[a] += 1
                    rim_uses[b] += 1
                    for m in range(3):
                        if across[other, m] == t:
                            across[other, m] = -1
                    later.append(other)
        queue = [t for t in later if t >= 0]
    return alive


@numba.njit(cache=True)
def _angle_sum_beyond_pi(points, a, b, c, d):
    """Whether the angles at c and d, opposite to the edge ab, add up to more than pi (with a margin against cycles)."""
    sine, cosine = np.empty(2), np.empty(2)
    for side in range(2):
        apex = c if side == 0 else d
        u, v = points[a] - points[apex], points[b] - points[apex]
        cosine[side] = (u * v).sum()
        x = u[1] * v[2] - u[2] * v[1]
        y = u[2] * v[0] - u[0] * v[2]
        z = u[0] * v[1] - u[1] * v[0]
        sine[side] = np.sqrt(x * x + y * y + z * z)
    size = np.sqrt((cosine[0] ** 2 + sine[0] ** 2) * (cosine[1] ** 2 + sine[1] ** 2))
    return sine[0] * cosine[1] + cosine[0] * sine[1] < -1e-9 * size


@numba.njit(cache=True)
def _corner(triangles, t, a):
    k = 0
    while triangles[t, k] != a:
        k += 1
    return k


@numba.njit(cache=True)
def _joined(triangles, across, start, a, b):
    """Whether an edge ab exists: walk from triangle `start` round vertex a, both ways."""
    for direction in (1, 2):
        t = start
        while t >= 0:
            k = _corner(triangles, t, a)
            if triangles[t, (k + 1) % 3] == b or triangles[t, (k + 2) % 3] == b:
                return True
            t = across[t, (k + direction) % 3]
            if t == start:
                return False
    return False


@numba.njit(cache=True)
def lawson(points, triangles, across, rounds):
    """Flip edges whose opposite angles on the surface exceed pi, in place; returns the number of flips."""
    flips = 0
    for _ in range(rounds):
        before = flips
        for t in range(len(triangles)):
            for k in range(3):
                other = across[t, k]
                if other < 0:
                    continue
                m = 0
                while m < 3 and across[other, m] != t:
                    m += 1
                a, b = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
                c, d = triangles[t, k], triangles[other, m]
                if not _angle_sum_beyond_pi(points, a, b, c, d):
                    continue
                if _joined(triangles, across, t, c, d):
                    continue
                beyond_a, beyond_b = across[other, (m + 1) % 3], across[t, (k + 1) % 3]
                beyond_c, beyond_d = across[t, (k + 2) % 3], across[other, (m + 2) % 3]
                triangles[t, 0], triangles[t, 1], triangles[t, 2] = c, a, d
                triangles[other, 0], triangles[other, 1], triangles[other, 2] = d, b, c
                across[t, 0], across[t, 1], across[t, 2] = beyond_a, other, beyond_c
                across[other, 0], across[other, 1], across[other, 2] = beyond_b, t, beyond_d
                for beyond, old, new in ((beyond_a, other, t), (beyond_b, t, other)):
                    if beyond >= 0:
                        for j in range(3):
                            if across[beyond, j] == old:
                                across[beyond, j] = new
                flips += 1
                break
        if flips == before:
            break
    return flips
