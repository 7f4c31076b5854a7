"""What makes a triangle mesh a disk: manifold, one component, one boundary loop, Euler characteristic 1.

Loops in numba: each mesh is checked several times on its way, and array sorts took a tenth of all time.
"""

import numba
import numpy as np

from shapedp.surfaces import edges
from shapedp.surfaces.recalled import recalled


def boundary_edges(triangles):
    """(b, 2) edges of one triangle only, in its direction."""
    t, k = np.nonzero(edges.neighbours(triangles) < 0)
    return np.column_stack([triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]])


def boundary_loops(triangles):
    """The boundary's loops, longest first: arrays of vertices from the least one, the surface on the left."""
    return _loops(boundary_edges(triangles))


def _loops(boundary):
    after = dict(boundary.tolist())
    loops = []
    while after:
        first = min(after)
        loop, current = [first], after.pop(first)
        while current != first and current in after:
            loop.append(current)
            current = after.pop(current)
        loops.append(np.array(loop))
    return sorted(loops, key=lambda loop: (-len(loop), loop[0]))


@numba.njit(cache=True)
def components(triangles, n):
    """(n,) the number of each vertex's connected part; an unreferenced vertex is a part of its own."""
    parent = np.arange(n)
    for t in range(len(triangles)):
        for k in (1, 2):
            a, b = _root(parent, triangles[t, 0]), _root(parent, triangles[t, k])
            parent[max(a, b)] = min(a, b)
    label = np.empty(n, dtype=np.int64)
    count = 0
    for v in range(n):
        if parent[v] == v:
            label[v] = count
            count += 1
        else:
            label[v] = label[_root(parent, v)]
    return label


@numba.njit(cache=True)
def _root(parent, v):
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


def euler_characteristic(triangles):
    """V - E + F over the referenced vertices of a manifold."""
    return _euler(triangles, np.count_nonzero(np.bincount(triangles.ravel())), len(boundary_edges(triangles)))


def _euler(triangles, vertices, boundary):
    """Inner edges belong to two triangles: E = (3 F + boundary edges)/2."""
    return vertices - (3 * len(triangles) + boundary) // 2 + len(triangles)


def fault(triangles, n):
    """Why a mesh of n vertices is not an oriented disk, in words; empty if it is one."""
    return examine(triangles, n)[0]


@recalled
def examine(triangles, n):
    """(the fault of a mesh of n vertices, its boundary loops as far as they could be looked for)."""
    if reason := _not_a_surface(triangles, n):
        return reason, []
    parts = components(triangles, n).max() + 1
    if parts > 1:
        return f"it falls into {parts} parts", []
    boundary = boundary_edges(triangles)
    if len(boundary) == 0:
        return "it is closed: it has no boundary", []
    if np.bincount(boundary[:, 0]).max() > 1:
        return "its boundary touches itself in a vertex", []
    loops = _loops(boundary)
    if len(loops) > 1:
        return f"it has {len(loops)} boundary loops, {len(loops) - 1} of them holes", loops
    euler = _euler(triangles, n, len(boundary))
    return ("" if euler == 1 else f"its Euler characteristic is {euler}, not 1"), loops


def _not_a_surface(triangles, n):
    if len(triangles) == 0:
        return "it has no triangles"
    if triangles.min() < 0 or triangles.max() >= n:
        return f"a triangle names vertex {triangles.max()} of {n}"
    if np.any(triangles == triangles[:, [1, 2, 0]]):
        return "a triangle names a vertex twice"
    codes = (triangles[:, [1, 2, 0]].astype(np.int64) * n + triangles[:, [2, 0, 1]]).ravel()
    if np.any(np.diff(np.sort(codes)) == 0):
        return "an edge belongs to more than two triangles, or neighbours are turned differently"
    used = np.count_nonzero(np.bincount(triangles.ravel(), minlength=n))
    return f"{n - used} vertices belong to no triangle" if used < n else ""
