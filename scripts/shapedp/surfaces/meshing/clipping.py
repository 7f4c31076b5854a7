"""Trim the rim of a triangulation: bad triangles are peeled off it, and a disk is cut along a level of a function.

Triangles that the level crosses are cut in two. So a rim lies where it was meant, and not at whole triangles, which
would differ from one scan of a face to the next. No library peels under the guard that the mesh must stay a disk.
"""

import numpy as np

from shapedp.base.storage.loops import loop
from shapedp.surfaces import topology
from shapedp.surfaces.topology import compact

# In median edge lengths: a longer edge spans a gap of the scan.
LONG = 5.0
# A gap whose banks are longer than so many times its mouth is a hole, to be filled as holes inside are.
NARROW = 3.0
# A corner more obtuse than this, opposite to the rim, makes a sliver of the map's boundary.
CAP = np.deg2rad(150)
# Layers of a gap; the wide ones of scans have a few dozen.
MOST_LAYERS = 1000
# A triangle: a vertex of the rim whose triangles must bend more to lie along a circle is trimmed.
BEND = np.deg2rad(20)


def trim_rim(points, triangles, across):
    """Return (t,), the triangles left when open gaps, caps and sharp corners are off the rim, so that it maps well to a
    circle.

    They are a disk, or nothing.
    """
    lengths = topology.lengths(points, triangles)
    gaps = open_gaps(across, lengths, topology.largest(lengths) > LONG * np.median(lengths))
    stay, left_across = peel(triangles, across, gaps, topology.angles(points, triangles))
    bridges = stay & gaps & (left_across < 0).any(axis=1)
    if not bridges.any():
        return stay
    piece = patches(left_across, stay & ~bridges)
    of_surface = piece >= 0
    return of_surface & (piece == np.argmax(np.bincount(piece[of_surface], minlength=1)))


def open_gaps(across, lengths, long):
    """Return (t,), the long triangles that bridge a bay of the rim and do not belong to the surface, to be trimmed.

    They are reached from the rim through a wide mouth, layer by layer inwards. What is left of a gap at any time has a
    mouth, its edges towards the rim, and banks, its edges towards the surface. Where the banks are NARROW times as long
    as the mouth (a bay behind a narrow entry, the shadow between chin and neck), the rest is a hole; so is what lies
    deeper than MOST_LAYERS.
    """
    is_left, is_gone = long.copy(), np.zeros_like(long)
    for _ in range(MOST_LAYERS):
        if not is_left.any():
            break
        t = np.flatnonzero(is_left)
        beyond = across[t]
        mouth = (beyond < 0) | is_gone[beyond]
        patch = patches(across, is_left)[t]
        width = np.bincount(patch, weights=(mouth * lengths[t]).sum(axis=1))
        banks = np.bincount(patch, weights=(~(mouth | is_left[beyond]) * lengths[t]).sum(axis=1))
        hole = (banks > NARROW * width)[patch]
        layer = ~hole & mouth.any(axis=1)
        is_left[t[hole | layer]] = False
        is_gone[t[layer]] = True
    return is_gone


@loop
def patches(across, chosen):
    """Return (t,), a number for each chosen triangle's connected patch, such as a hole or a piece, in their order; -1
    for others.
    """
    parent = np.arange(len(chosen))
    for t in np.flatnonzero(chosen):
        for k in range(3):
            other = across[t, k]
            if other >= 0 and chosen[other]:
                topology.join(parent, t, other)
    return np.where(chosen, topology.find_parts(parent), -1)


@loop
def peel(triangles, across, unwanted, angles):
    """Return (the triangles left (t,), `across` among them) when bad ones are taken off the rim and what is left is
    still a disk.

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


@loop
def _bends(triangles, across, angles, rim_uses, room, t):
    """Return whether triangle t has a cap or a sharp corner on the rim, so that `peel` takes it off.

    room : pi - n BEND minus the angles round each vertex
    """
    for k in range(3):
        if across[t, k] < 0 and angles[t, k] > CAP:
            return True
        if rim_uses[triangles[t, k]] > 0 and room[triangles[t, k]] > 0:
            return True
    return False


@loop
def _may_go(triangles, across, rim_uses, t):
    """Return whether `peel` may take triangle t off without breaking the disk.

    It is on the rim with two sides, or with one and the opposite corner inside.
    """
    free = 0
    opposite = 0
    for k in range(3):
        if across[t, k] < 0:
            free += 1
            opposite = k
    return free == 2 or (free == 1 and rim_uses[triangles[t, opposite]] == 0)


@loop
def _remove(triangles, across, rim_uses, t, later):
    """Take triangle t off, in place, for `peel`: its other sides become rim, and the triangles beyond are looked at
    again.
    """
    for k in range(3):
        step = -1 if across[t, k] < 0 else 1
        rim_uses[triangles[t, (k + 1) % 3]] += step
        rim_uses[triangles[t, (k + 2) % 3]] += step
        other = across[t, k]
        if other >= 0:
            across[other, topology.corner(across, other, t)] = -1
            later.append(other)


# At taking off what hangs in a vertex alone: each may leave another such.
ATTEMPTS = 5
# Of an edge: a vertex that lies no farther from the level is moved onto it, or the rim would have slivers.
SNAP = 0.25


def clip_level(vertices, triangles, height, vertex):
    """Return (vertices, triangles) of a mesh cut along a level, so that every scan's rim lies where the template's
    outline has it.

    The part with height <= 0 round a vertex: a disk, or None where the cut leaves none.

    height : (n,), linear along edges. A part beyond the level that does not reach the old rim (the tip of a cap, an
    ear's inside) stays. Where vertices moved onto the level would pinch the disk none is moved, and what then makes the
    rim sharp is peeled off it.
    """
    height = _open_parts(triangles, np.array(height, dtype=float))
    if not (height > 0).any():
        return np.asarray(vertices, dtype=float), triangles
    if not len(_find_crossings(vertices, triangles, height)[0]):
        return None
    tip = vertices[vertex]
    for snap in (SNAP, 0.0):
        points, kept_triangles = _move_onto_level(vertices, triangles, height, snap)
        if not len(kept_triangles):
            continue
        points, kept_triangles, used_points = _close_loops(points, *compact(_unpinch(points, kept_triangles, tip)))
        if topology.fault(kept_triangles, len(used_points)):
            continue
        points = points[used_points]
        # Without moved vertices the rim was cut through triangles wherever they lay, and has slivers.
        if not snap:
            kept_triangles, used_points = compact(
                kept_triangles[trim_rim(points, kept_triangles, topology.neighbours(kept_triangles))]
            )
            points = points[used_points]
        return None if topology.fault(kept_triangles, len(points)) else (points, kept_triangles.astype(np.int32))
    return None


def _move_onto_level(vertices, triangles, height, snap):
    """Return (points, triangles) of all below the level, cut for `clip_level` without slivers along the cut.

    Vertices within `snap` of an edge's length from the level are moved onto it.
    """
    vertices, height = np.array(vertices, dtype=float), height.copy()
    inner, outer, share, at = _find_crossings(vertices, triangles, height)
    who, part, places = np.concatenate([inner, outer]), np.concatenate([share, 1 - share]), np.concatenate([at, at])
    order = np.lexsort((part, who))
    first = order[np.append(True, np.diff(who[order]) > 0)]
    moved_ends = first[part[first] < snap]
    vertices[who[moved_ends]], height[who[moved_ends]] = places[moved_ends], 0
    inner, outer, _, at = _find_crossings(vertices, triangles, height)
    return np.concatenate([vertices, at]), _cut(triangles, height, inner * len(vertices) + outer)


def _close_loops(points, triangles, used):
    """Return (points, triangles, used) after a cut, with every loop but the longest closed, so that one rim is left.

    Each is closed by triangles round a new point in its middle.
    """
    reason, loops = topology.examine(triangles, len(used))
    rings = loops[1:] if reason else []
    middles = [points[used[ring]].mean(axis=0)[None] for ring in rings]
    fans = [
        np.stack([ring, np.full(len(ring), middle), np.roll(ring, -1)], axis=1)
        for middle, ring in enumerate(rings, start=len(used))
    ]
    new = np.arange(len(points), len(points) + len(rings))
    return np.concatenate([points, *middles]), np.concatenate([triangles, *fans]), np.append(used, new)


def _unpinch(points, triangles, tip):
    """Return the triangles that hang together round a point after a cut, so that no vertex alone joins two parts of the
    disk.

    The smaller of two fans that meet in nothing but a vertex goes.
    """
    for _ in range(ATTEMPTS):
        label = patches(topology.neighbours(triangles), np.ones(len(triangles), dtype=bool))
        nearest = np.argmin(np.linalg.norm(points[triangles].mean(axis=1) - tip, axis=1))
        triangles = triangles[label == label[nearest]]
        across = topology.neighbours(triangles)
        free = across < 0
        ends = np.concatenate([triangles[free[:, k], (k + 1) % 3] for k in range(3)])
        pinched = np.flatnonzero(np.bincount(ends, minlength=len(points)) > 1)
        if not len(pinched):
            break
        stay = np.ones(len(triangles), dtype=bool)
        corners, starts = topology.by_number(triangles.ravel(), len(points))
        for vertex in pinched:
            near = corners[starts[vertex] : starts[vertex + 1]] // 3
            own = np.unique(triangles[near], return_inverse=True)[1].reshape(-1, 3)
            label = patches(topology.neighbours(own), np.ones(len(near), dtype=bool))
            stay[near[label != np.argmax(np.bincount(label))]] = False
        triangles = triangles[stay]
    return triangles


def _open_parts(triangles, height):
    """Return heights by which a cut leaves no hole: parts above the level that do not reach the rim are lowered to it.

    Cut out, such a part would be a hole in the mesh.
    """
    beyond = (height[triangles] > 0).any(axis=1)
    across = topology.neighbours(triangles)
    patch = patches(across, beyond)
    reaching = np.zeros(patch.max() + 2, dtype=bool)
    for k in range(3):
        ends = triangles[:, [(k + 1) % 3, (k + 2) % 3]]
        reaching[patch[(across[:, k] < 0) & (height[ends] > 0).any(axis=1)]] = True
    inside = np.unique(triangles[(patch >= 0) & ~reaching[patch]])
    height[inside] = np.minimum(height[inside], 0)
    return height


def _find_crossings(vertices, triangles, height):
    """Return where a scan's cut at height 0 goes through edges, for new vertices on the rim, or to see if it cuts any.

    That is (inner, outer) vertices, the share of the edge that is inside, the point on the level; edges run from
    height < 0 to > 0.
    """
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    ends = np.concatenate([ends, ends[:, ::-1]])
    ends = ends[(height[ends[:, 0]] < 0) & (height[ends[:, 1]] > 0)]
    inner, outer = np.unique(ends, axis=0).T
    share = height[inner] / (height[inner] - height[outer])
    return inner, outer, share, vertices[inner] + share[:, None] * (vertices[outer] - vertices[inner])


def _cut(triangles, height, keys):
    """Return the triangles of the part with height <= 0, for `clip_level`; those that the level crosses are cut along
    it.

    They are over the vertices and then the crossings, whose `keys` are sorted.
    """
    n = len(height)
    sign = np.sign(height)[triangles]

    def crossing(inner, outer):
        """Return the numbers of the new vertices where the level crosses the edges between inner and outer ones."""
        return n + np.searchsorted(keys, inner * n + outer)

    corners = triangles.astype(np.int64)
    below = (sign < 0).sum(axis=1)
    above = (sign > 0).sum(axis=1)
    parts = [corners[(above == 0) & (below > 0)]]
    has_one_below = (below == 1) & (above > 0)
    a, b, c = _turn_first(corners[has_one_below], sign[has_one_below] < 0)
    beyond_b, beyond_c = height[b] > 0, height[c] > 0
    to_b, to_c = b.copy(), c.copy()
    to_b[beyond_b] = crossing(a[beyond_b], b[beyond_b])
    to_c[beyond_c] = crossing(a[beyond_c], c[beyond_c])
    parts.append(np.stack([a, to_b, to_c], axis=1))
    two = (below == 2) & (above == 1)
    c, a, b = _turn_first(corners[two], sign[two] > 0)
    right, left = crossing(b, c), crossing(a, c)
    parts += [np.stack([a, b, right], axis=1), np.stack([a, right, left], axis=1)]
    return np.concatenate(parts)


def _turn_first(corners, first):
    """Return triangles' corners as three arrays, the chosen one of each first, so that `_cut` cuts all of them alike.

    corners : (t, 3); first : (t, 3), True at the corner chosen
    """
    k = np.argmax(first, axis=1)
    return np.take_along_axis(corners, (k[:, None] + np.arange(3)) % 3, axis=1).T
