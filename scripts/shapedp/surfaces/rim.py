"""The rim of a triangulation: bad triangles are peeled off it, one after the other, and it stays a disk.

Loops in numba: no library peels under the guard that the mesh must stay a disk.
"""

import numba
import numpy as np

from shapedp.surfaces import edges

LONG = 5.0  # median edge lengths; a longer edge spans a gap of the scan
NARROW = 3.0  # a gap whose banks are longer than so many times its mouth is a hole, to be filled as holes inside are
CAP = np.deg2rad(150)  # a corner more obtuse, opposite to the rim, makes a sliver of the map's boundary
BEND = np.deg2rad(20)  # a triangle; a vertex of the rim whose triangles must bend more to lie along a circle is trimmed


def trimmed(points, triangles, across):
    """(t,) mask of the triangles left when open gaps, obtuse caps and sharp corners are off the rim: still a disk."""
    lengths = edges.lengths(points, triangles)
    gaps = open_gaps(across, lengths, lengths.max(axis=1) > LONG * np.median(lengths))
    stay, left = peel(triangles, across, gaps, edges.angles(lengths))
    bridges = stay & gaps & (left < 0).any(axis=1)
    if not bridges.any():
        return stay
    piece = patches(left, stay & ~bridges)
    return piece == np.argmax(np.bincount(piece[piece >= 0]))


def open_gaps(across, lengths, long):
    """(t,) mask of the long triangles that do not belong to the surface: reached from the rim through a wide mouth.

    Layer by layer from the rim inwards. What is left of a gap at any time has a mouth, its edges towards the rim, and
    banks, its edges towards the surface. Where the banks are NARROW times as long as the mouth (a bay behind a narrow
    entry, the shadow between chin and neck), the rest is a hole.
    """
    left, gone = long.copy(), np.zeros_like(long)
    while left.any():
        t = np.flatnonzero(left)
        beyond = across[t]
        mouth = (beyond < 0) | gone[beyond]
        patch = patches(across, left)[t]
        width = np.bincount(patch, weights=(mouth * lengths[t]).sum(axis=1))
        banks = np.bincount(patch, weights=(~(mouth | left[beyond]) * lengths[t]).sum(axis=1))
        hole = (banks > NARROW * width)[patch]
        layer = ~hole & mouth.any(axis=1)
        left[t[hole | layer]] = False
        gone[t[layer]] = True
    return gone


@numba.njit(cache=True)
def patches(across, chosen):
    """(t,) the number of each chosen triangle's patch, connected across edges; -1 for the others."""
    label = np.full(len(chosen), -1)
    count = 0
    for seed in np.flatnonzero(chosen):
        if label[seed] < 0:
            label[seed] = count
            waiting = [seed]
            while len(waiting) > 0:
                t = waiting.pop()
                for k in range(3):
                    other = across[t, k]
                    if other >= 0 and chosen[other] and label[other] < 0:
                        label[other] = count
                        waiting.append(other)
            count += 1
    return label


@numba.njit(cache=True)
def peel(triangles, across, unwanted, angles):
    """(t,) mask of the triangles left, and `across` among them, when bad ones have been taken off the rim.

    Bad at the rim: the unwanted (t,); an angle beyond CAP opposite to the rim; a corner on the rim where n triangles
    have angles of less than pi - n BEND together. A triangle stays if the disk would fall apart or be pinched without.

    angles : (t, 3) at each corner
    """
    alive = np.ones(len(triangles), dtype=np.bool_)
    across = across.copy()
    n = triangles.max() + 1
    rim_uses, room = np.zeros(n, dtype=np.int64), np.full(n, np.pi)
    queue = [0 for _ in range(0)]
    for t in range(len(triangles)):
        for k in range(3):
            room[triangles[t, k]] -= angles[t, k] + BEND
            if across[t, k] < 0:
                rim_uses[triangles[t, (k + 1) % 3]] += 1
                rim_uses[triangles[t, (k + 2) % 3]] += 1
                queue.append(t)
    while len(queue) > 0:
        later = [0 for _ in range(0)]
        for t in queue:
            bad = alive[t] and (unwanted[t] or _bends(triangles, across, angles, rim_uses, room, t))
            if bad and _may_go(triangles, across, rim_uses, t):
                _remove(triangles, across, rim_uses, t, later)
                room[triangles[t]] += angles[t] + BEND
                alive[t] = False
        queue = later
    return alive, across


@numba.njit(cache=True)
def _bends(triangles, across, angles, rim_uses, room, t):
    """Whether t has a cap or a sharp corner on the rim; room : pi - n BEND minus the angles round each vertex."""
    for k in range(3):
        if across[t, k] < 0 and angles[t, k] > CAP:
            return True
        if rim_uses[triangles[t, k]] > 0 and room[triangles[t, k]] > 0:
            return True
    return False


@numba.njit(cache=True)
def _may_go(triangles, across, rim_uses, t):
    """Whether t is on the rim with two sides, or with one and the opposite corner inside."""
    free = 0
    opposite = 0
    for k in range(3):
        if across[t, k] < 0:
            free += 1
            opposite = k
    return free == 2 or (free == 1 and rim_uses[triangles[t, opposite]] == 0)


@numba.njit(cache=True)
def _remove(triangles, across, rim_uses, t, later):
    """Take t off: its other sides become rim, and the triangles beyond are looked at again."""
    for k in range(3):
        step = -1 if across[t, k] < 0 else 1
        rim_uses[triangles[t, (k + 1) % 3]] += step
        rim_uses[triangles[t, (k + 2) % 3]] += step
        other = across[t, k]
        if other >= 0:
            for m in range(3):
                if across[other, m] == t:
                    across[other, m] = -1
            later.append(other)
