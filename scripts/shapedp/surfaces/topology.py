"""Tell what makes a triangle mesh a disk: manifold, one component, one boundary loop, Euler characteristic 1.

A mesh is held as triangles (t, 3) and across (t, 3): across[t, k] is the triangle beyond the edge opposite to corner k,
or -1 at the rim. Loops in numba: no library has Lawson's flips, and each mesh is checked several times on its way.
"""

from copy import deepcopy
from functools import wraps

import numpy as np

from shapedp.base.storage.loops import loop


def remember_last_call(function):
    """Return the same function, which gives a copy of its last answer if asked the same again, since steps ask in a
    row.

    Consecutive steps ask the same of one mesh.
    """
    arguments_before, answer = (), None

    @wraps(function)
    def remembering(*arguments):
        """Return a copy of the function's last answer where the arguments are the same, else a new answer, which is
        kept.
        """
        nonlocal arguments_before, answer
        if len(arguments) != len(arguments_before) or not all(map(_same, arguments, arguments_before)):
            answer = function(*arguments)
            arguments_before = tuple(
                argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments
            )
        return deepcopy(answer)

    return remembering


def _same(argument, other):
    """Return whether two arguments are equal, arrays by all their values."""
    return np.array_equal(argument, other) if isinstance(argument, np.ndarray) else argument == other


# In radian beyond pi, about: ties stay as they are.
MARGIN = 1e-9
# A triangle: flips on a surface in space need not end, unlike those in the plane.
MOST_FLIPS = 30


@loop
def lengths(points, triangles):
    """Return (t, 3), the length of the edge opposite to each corner of a mesh, by which gaps and weights are told."""
    result = np.empty(triangles.shape)
    for t in range(len(triangles)):
        for k in range(3):
            a, b = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
            x, y, z = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1], points[a, 2] - points[b, 2]
            result[t, k] = np.sqrt(x * x + y * y + z * z)
    return result


@loop
def areas(points, triangles):
    """Return (t,), the area of each triangle of a mesh, by which its vertices are weighted."""
    result = np.empty(len(triangles))
    for t in range(len(triangles)):
        result[t] = sine_and_cosine(points, triangles[t, 0], triangles[t, 1], triangles[t, 2])[0] / 2
    return result


def largest(rows):
    """Return (t,), the largest of each row (t, 3): column by column, for numpy is slow along short rows."""
    return np.maximum(np.maximum(rows[:, 0], rows[:, 1]), rows[:, 2])


# atan(r) = r + r^3 P(r^2) / Q(r^2) for |r| <= tan(pi/8), exact to the last bits (Moshier 1989, Cephes)
P0, P1, P2 = -64.85021904942025, -122.88666844901361, -75.00855792314705
P3, P4 = -16.157537187333652, -0.8750608600031904
Q0, Q1, Q2 = 194.5506571482614, 485.3903996359137, 432.88106049129027
Q3, Q4 = 165.02700983169885, 24.858464901423062
# The tangent of pi/8, to which the fit reaches.
EIGHTH = np.sqrt(2) - 1


@loop(error_model="numpy")
def find_angle(sine, cosine):
    """Return the angle, -pi to pi, of a sine and a cosine, in loops over triangles that a call such as arctan2 would
    slow.

    Both may be times any positive number.
    """
    y, x = abs(sine), abs(cosine)
    above, below, begin = y - x, y + x, np.pi / 4
    if y <= EIGHTH * x:
        above, below, begin = y, x + 1e-300, 0.0
    elif EIGHTH * y >= x:
        above, below, begin = -x, y, np.pi / 2
    r = above / below
    s = r * r
    p = P0 + s * (P1 + s * (P2 + s * (P3 + s * P4)))
    q = Q0 + s * (Q1 + s * (Q2 + s * (Q3 + s * (Q4 + s))))
    angle = begin + (r + r * s * (p / q))
    angle = np.pi - angle if cosine < 0 else angle
    return -angle if sine < 0 else angle


@loop
def angles(points, triangles):
    """Return (t, 3), the angle at each corner of a mesh in radian, by which slivers and bends are told."""
    result = np.empty(triangles.shape)
    for t in range(len(triangles)):
        a, b, c = triangles[t]
        result[t, 0] = find_angle(*sine_and_cosine(points, a, b, c))
        result[t, 1] = find_angle(*sine_and_cosine(points, b, c, a))
        result[t, 2] = np.pi - result[t, 0] - result[t, 1]
    return result


@loop(fastmath={"reassoc", "contract"})
def dot(a, b):
    """Return the sum of a_i b_i where compiled loops need it fast, several at a time: a descent's sums over rings."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@loop
def by_number(numbers, count):
    """Return an index by which to look up the members of a number: the corners of a vertex, the points of a cell.

    (order (n,) that sorts numbers below `count`, ties as they come; starts (count + 1,): where each begins)
    """
    starts = np.zeros(count + 1, dtype=np.int64)
    for number in numbers:
        starts[number + 1] += 1
    starts = np.cumsum(starts)
    end, order = starts[:-1].copy(), np.empty(len(numbers), dtype=np.int64)
    for at in range(len(numbers)):
        order[end[numbers[at]]] = at
        end[numbers[at]] += 1
    return order, starts


def twins(triangles):
    """Return (3t,), the half-edge that runs the other way along the same edge, by which neighbours are known; -1 at the
    rim.

    Half-edge 3 t + k lies opposite to corner k of triangle t. Edges belong to at most two triangles, turned alike.
    """
    return _match_half_edges(triangles)[0]


@remember_last_call
@loop
def _match_half_edges(triangles):
    """Return (twins (3t,), whether a mesh is no surface), by which triangles know their neighbours and bad meshes show.

    A mesh is no surface where a directed edge belongs to two triangles. Two then leave a vertex for the same end. Of
    each vertex the edges that leave it are marked at their ends, so those that come find the same edge there.
    """
    corners, starts = by_number(triangles.ravel(), triangles.max() + 1)
    leaving, marked_by = np.empty(len(starts), dtype=np.int64), np.full(len(starts), -1)
    twin, repeats = np.full(len(corners), -1), False
    for v in range(len(starts) - 1):
        for at in range(starts[v], starts[v + 1]):
            t, k = corners[at] // 3, corners[at] % 3
            end = triangles[t, k + 1 if k < 2 else 0]
            repeats |= marked_by[end] == v
            leaving[end], marked_by[end] = 3 * t + (k - 1 if k > 0 else 2), v
        for at in range(starts[v], starts[v + 1]):
            t, k = corners[at] // 3, corners[at] % 3
            start, h = triangles[t, k - 1 if k > 0 else 2], 3 * t + (k + 1 if k < 2 else 0)
            if marked_by[start] == v:
                twin[h], twin[leaving[start]] = leaving[start], h
    return twin, repeats


def neighbours(triangles):
    """Return across (t, 3), the triangle beyond each edge, by which meshes are walked, cut and mended.

    Their edges belong to at most two triangles, turned alike.
    """
    return twins(triangles).reshape(-1, 3) // 3


def part(triangles, across, stay):
    """Return (triangles, across) of a mesh less the triangles that do not stay (t,), in the same order."""
    # The last number is for -1 in `across`, which numpy takes for the end.
    kept_indices, new = np.flatnonzero(stay), np.full(len(stay) + 1, -1)
    new[kept_indices] = np.arange(len(kept_indices))
    return triangles.take(kept_indices, axis=0), new.take(across.take(kept_indices, axis=0))


@loop
def sine_and_cosine(points, apex, a, b):
    """Return what angles, areas and flips of a mesh are told by: sine and cosine of the angle at `apex`.

    It lies between a and b; both are times the lengths of the two sides.
    """
    ux, uy, uz = points[a, 0] - points[apex, 0], points[a, 1] - points[apex, 1], points[a, 2] - points[apex, 2]
    vx, vy, vz = points[b, 0] - points[apex, 0], points[b, 1] - points[apex, 1], points[b, 2] - points[apex, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return np.sqrt(x * x + y * y + z * z), ux * vx + uy * vy + uz * vz


@loop
def corner(triangles, t, a):
    """Return which corner of triangle t vertex a is, to go on round a vertex.

    Of `across` (t, 3), which side lies against triangle a.
    """
    k = 0
    while triangles[t, k] != a:
        k += 1
    return k


@loop
def are_joined(triangles, across, start, a, b):
    """Return whether an edge ab exists already, so that a flip to it would make the mesh no surface.

    By a walk from triangle `start` round vertex a, both ways.
    """
    for direction in (1, 2):
        t = start
        while t >= 0:
            k = corner(triangles, t, a)
            if triangles[t, (k + 1) % 3] == b or triangles[t, (k + 2) % 3] == b:
                return True
            t = across[t, (k + direction) % 3]
            if t == start:
                return False
    return False


@loop
def flip(triangles, across, t, k):
    """Flip an edge, in place, as triangulations are improved: ab, opposite to corner k (c) of t, gives way to cd.

    t becomes (c, a, d), the other (d, b, c).
    """
    other = across[t, k]
    m = corner(across, other, t)
    a, b, c, d = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3], triangles[t, k], triangles[other, m]
    beyond_ad, beyond_db = across[other, (m + 1) % 3], across[other, (m + 2) % 3]
    beyond_bc, beyond_ca = across[t, (k + 1) % 3], across[t, (k + 2) % 3]
    triangles[t, 0], triangles[t, 1], triangles[t, 2] = c, a, d
    triangles[other, 0], triangles[other, 1], triangles[other, 2] = d, b, c
    across[t, 0], across[t, 1], across[t, 2] = beyond_ad, other, beyond_ca
    across[other, 0], across[other, 1], across[other, 2] = beyond_bc, t, beyond_db
    if beyond_ad >= 0:
        across[beyond_ad, corner(across, beyond_ad, other)] = t
    if beyond_bc >= 0:
        across[beyond_bc, corner(across, beyond_bc, t)] = other


@loop
def lawson(points, triangles, across, suspects):
    """Flip edges, in place, until a mesh is Delaunay on its surface (Lawson): no slivers where it need have none.

    From the sides of the suspect triangles on, the last ones first. An edge is flipped whose two opposite angles on the
    surface add up to more than pi.
    """
    count = len(triangles)
    waiting = np.zeros(3 * count, dtype=np.bool_)
    stack = [0 for _ in range(0)]
    for t in suspects:
        for h in range(3 * t, 3 * t + 3):
            if not waiting[h]:
                waiting[h] = True
                stack.append(h)
    flips = 0
    while len(stack) > 0 and flips < MOST_FLIPS * count:
        h = stack.pop()
        waiting[h] = False
        t, k = h // 3, h % 3
        other = across[t, k]
        if other < 0:
            continue
        a, b, c = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3], triangles[t, k]
        d = triangles[other, corner(across, other, t)]
        sine_c, cosine_c = sine_and_cosine(points, c, a, b)
        sine_d, cosine_d = sine_and_cosine(points, d, a, b)
        size = np.sqrt((cosine_c**2 + sine_c**2) * (cosine_d**2 + sine_d**2))
        if not sine_c * cosine_d + cosine_c * sine_d < -MARGIN * size or are_joined(triangles, across, t, c, d):
            continue
        flip(triangles, across, t, k)
        flips += 1
        for g in (3 * t, 3 * t + 2, 3 * other, 3 * other + 2):
            if not waiting[g]:
                waiting[g] = True
                stack.append(g)


def boundary_edges(triangles):
    """Return (b, 2), the edges of one triangle only, in its direction: the rim and the edges of holes."""
    t, k = np.nonzero(neighbours(triangles) < 0)
    return np.column_stack([triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]])


@remember_last_call
def boundary_loops(triangles):
    """Return the boundary's loops, longest first: arrays of vertices from the least one, the surface on the left."""
    return _join_loops(boundary_edges(triangles))


def _join_loops(boundary):
    """Return the loops that directed boundary edges (b, 2) make, longest first: the rim, and then holes."""
    after = dict(boundary.tolist())
    loops = []
    for first in sorted(after):
        if first not in after:
            continue
        loop, current = [first], after.pop(first)
        while current != first and current in after:
            loop.append(current)
            current = after.pop(current)
        loops.append(np.array(loop))
    return sorted(loops, key=lambda loop: (-len(loop), loop[0]))


@loop
def label_components(triangles, n):
    """Return (n,), the number of the connected part that each of a mesh's n vertices belongs to, to tell pieces apart.

    A vertex that is in no triangle is a part of its own.
    """
    parent = np.arange(n)
    for t in range(len(triangles)):
        for k in (1, 2):
            join(parent, triangles[t, 0], triangles[t, k])
    return find_parts(parent)


@loop
def join(parent, a, b):
    """Make the connected parts of a and b one: the step of a union-find, after which `find_parts` numbers all parts.

    parent (n,) leads to the least number of a part, and starts as arange(n).
    """
    a, b = _find_root(parent, a), _find_root(parent, b)
    parent[max(a, b)] = min(a, b)


@loop
def find_parts(parent):
    """Return (n,), the number of the part that each belongs to after all `join`s, in the order of their first
    members.
    """
    label = np.empty(len(parent), dtype=np.int64)
    count = 0
    for v in range(len(parent)):
        if parent[v] == v:
            label[v] = count
            count += 1
        else:
            label[v] = label[_find_root(parent, v)]
    return label


@loop
def _find_root(parent, v):
    """Return the least number of the part that v belongs to, which stands for the part in `join`; paths there are made
    shorter.
    """
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


def fault(triangles, n):
    """Return why a mesh of n vertices is not an oriented disk, in words; nothing if it is one."""
    return examine(triangles, n)[0]


@remember_last_call
def examine(triangles, n):
    """Return (why a mesh of n vertices is no disk, or nothing; its boundary loops as far as they could be looked
    for).
    """
    if len(triangles) == 0:
        return "it has no triangles", []
    if triangles.min() < 0 or triangles.max() >= n:
        return f"a triangle names vertex {triangles.max()} of {n}", []
    if np.any(triangles == triangles[:, [1, 2, 0]]):
        return "a triangle names a vertex twice", []
    if _match_half_edges(triangles)[1]:
        return "an edge belongs to more than two triangles, or neighbours are turned differently", []
    used_count = np.count_nonzero(np.bincount(triangles.ravel(), minlength=n))
    if used_count < n:
        return f"{n - used_count} vertices belong to no triangle", []
    parts = label_components(triangles, n).max() + 1
    if parts > 1:
        return f"it falls into {parts} parts", []
    boundary = boundary_edges(triangles)
    if len(boundary) == 0:
        return "it is closed: it has no boundary", []
    if np.bincount(boundary[:, 0]).max() > 1:
        return "its boundary touches itself in a vertex", []
    loops = _join_loops(boundary)
    if len(loops) > 1:
        return f"it has {len(loops)} boundary loops, {len(loops) - 1} of them holes", loops
    # Inner edges belong to two triangles.
    edges = (3 * len(triangles) + len(boundary)) // 2
    euler = n - edges + len(triangles)
    return ("" if euler == 1 else f"its Euler characteristic is {euler}, not 1"), loops


def compact(triangles):
    """Return (triangles over the vertices they use, those vertices), so that a part of a mesh is a mesh of its own."""
    is_used = np.zeros(triangles.max(initial=-1) + 1, dtype=bool)
    is_used[triangles] = True
    return (np.cumsum(is_used) - 1)[triangles], np.flatnonzero(is_used)
