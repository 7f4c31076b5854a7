"""Inner vertices that stick out of a triangulation or lie behind it: found by their angles, taken out by flips.

The angles round a vertex of a smooth surface add up to nearly 2 pi; a point behind another (a nostril's pocket, the
inside of a lip) makes a spike or a ruff, and a conformal map must bend its triangles by the whole defect.
"""

import numba
import numpy as np

from shapedp.surfaces import edges

DEFECT = 1.0  # radian by which the angles round an inner vertex may differ from 2 pi
DEEP_FIRST = 100.0  # larger than any ratio of two defects
ROUNDS = 30


def removed(points, triangles, across, height):
    """(t,) mask of the triangles left when the spikes of a disk are out; triangles and across change in place.

    The worst of each neighbourhood goes first, but those that lie deeper than their neighbours before those that lie
    higher: where two layers alternate, the outer one is the face. Flips fit the surroundings to the surface before the
    next round.

    height : (n,) of the points, along whatever leads outwards
    """
    alive = np.ones(len(triangles), dtype=bool)
    for _ in range(ROUNDS):
        bad = np.abs(defects(points, triangles, across, alive))
        bad[bad <= DEFECT] = 0
        bad[_is_deep(triangles, alive, height)] *= DEEP_FIRST
        worst = _worst(triangles, alive, bad)
        if len(worst) == 0:
            break
        edges.lawson(points, triangles, across, take_out(points, triangles, across, alive, worst))
    return alive


@numba.njit(cache=True)
def defects(points, triangles, across, alive):
    """(n,) 2 pi minus the sum of the angles round each vertex; 0 on the rim and for points in no triangle."""
    total = np.zeros(len(points))
    inside = np.ones(len(points), dtype=np.bool_)
    for t in np.flatnonzero(alive):
        for k in range(3):
            a, b = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
            total[triangles[t, k]] += np.arctan2(*edges.sine_and_cosine(points, triangles[t, k], a, b))
            if across[t, k] < 0:
                inside[a] = inside[b] = False
    return np.where(inside & (total > 0), 2 * np.pi - total, 0.0)


@numba.njit(cache=True)
def _is_deep(triangles, alive, height):
    """(n,) mask of the vertices that lie lower than their neighbours in the mean."""
    above = np.zeros(len(height))
    for t in np.flatnonzero(alive):
        for k in range(3):
            i, j = triangles[t, k], triangles[t, (k + 1) % 3]
            above[i] += height[j] - height[i]
            above[j] += height[i] - height[j]
    return above > 0


@numba.njit(cache=True)
def _worst(triangles, alive, badness):
    """Vertices whose badness is not 0 and exceeds that of all their neighbours; of equals the first."""
    chosen = badness > 0
    for t in np.flatnonzero(alive):
        for k in range(3):
            i, j = triangles[t, k], triangles[t, (k + 1) % 3]
            if badness[i] < badness[j] or (badness[i] == badness[j] and j < i):
                chosen[i] = False
            else:
                chosen[j] = False
    return np.flatnonzero(chosen)


@numba.njit(cache=True)
def take_out(points, triangles, across, alive, vertices):
    """Remove inner vertices from a disk, in place; returns the triangles that changed.

    A vertex on the rim stays, and so does one that no flip can free.
    """
    changed = [0 for _ in range(0)]
    touching = np.full(triangles.max() + 1, -1)
    for t in np.flatnonzero(alive):
        touching[triangles[t]] = t
    for v in vertices:
        star = _star(triangles, across, v, touching[v])
        while len(star) > 3:
            h = _best_ear(points, triangles, across, v, star)
            if h < 0:
                break
            flipped = (h // 3, across[h // 3, h % 3])
            edges.flip(triangles, across, h // 3, h % 3)
            for t in flipped:
                touching[triangles[t]] = t
                changed.append(t)
            star = _star(triangles, across, v, touching[v])
        if len(star) == 3:
            _merge(triangles, across, alive, v, star)
            touching[triangles[star[0]]] = star[0]
            changed.append(star[0])
    return np.array([t for t in changed if alive[t]], dtype=np.int64)


@numba.njit(cache=True)
def _star(triangles, across, v, start):
    """The triangles round v, counter-clockwise; empty if v lies on the rim or in no triangle."""
    star = [0 for _ in range(0)]
    t = start
    while t >= 0:
        star.append(t)
        t = across[t, (edges.corner(triangles, t, v) + 1) % 3]
        if t == start:
            return star
    return [0 for _ in range(0)]


@numba.njit(cache=True)
def _best_ear(points, triangles, across, v, star):
    """3 t + side of the spoke vq whose flip cuts the best ear (p, q, r) off v's star; -1 if none can be flipped.

    Best: the area as seen along the star's own normal, for the ear's size, is the largest.
    """
    normal = np.zeros(3)
    for t in star:
        k = edges.corner(triangles, t, v)
        normal += np.cross(points[triangles[t, (k + 1) % 3]] - points[v], points[triangles[t, (k + 2) % 3]] - points[v])
    best, found = -np.inf, -1
    for t in star:
        k = edges.corner(triangles, t, v)
        p, q = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
        other = across[t, (k + 1) % 3]
        r = triangles[other, (edges.corner(triangles, other, v) + 2) % 3]
        a, b, c = points[q] - points[p], points[r] - points[q], points[p] - points[r]
        quality = (np.cross(a, b) * normal).sum() / ((a * a).sum() + (b * b).sum() + (c * c).sum() + 1e-300)
        if quality > best and not edges.joined(triangles, across, t, p, r):
            best, found = quality, 3 * t + (k + 1) % 3
    return found


@numba.njit(cache=True)
def _merge(triangles, across, alive, v, star):
    """Replace the three triangles round v by one."""
    link, beyond = np.empty(3, dtype=np.int64), np.empty(3, dtype=np.int64)
    for i in range(3):
        k = edges.corner(triangles, star[i], v)
        link[i], beyond[i] = triangles[star[i], (k + 1) % 3], across[star[i], k]
    t = star[0]
    for i in range(3):
        triangles[t, i] = link[i]
        across[t, i] = beyond[(i + 1) % 3]
        if beyond[i] >= 0:
            across[beyond[i], edges.side(across, beyond[i], star[i])] = t
    alive[star[1]] = alive[star[2]] = False
