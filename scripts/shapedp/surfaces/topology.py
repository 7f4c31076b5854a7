"""What makes a triangle mesh a disk: manifold, one component, one boundary loop, Euler characteristic 1."""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components


def directed_edges(triangles):
    """(3t, 2) the edges of all triangles, each in its triangle's direction."""
    return np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])


def boundary_edges(triangles):
    """(b, 2) edges of one triangle only, in its direction."""
    edges = directed_edges(triangles)
    low, high = np.minimum(*edges.T).astype(np.int64), np.maximum(*edges.T)
    code = low * (int(high.max()) + 1) + high
    order = np.argsort(code, kind="stable")
    fresh = np.concatenate([[True], np.diff(code[order]) > 0, [True]])
    return edges[np.sort(order[fresh[1:] & fresh[:-1]])]


def boundary_loops(triangles):
    """The boundary's loops, longest first: arrays of vertices from the least one, the surface on the left."""
    after = dict(boundary_edges(triangles).tolist())
    loops = []
    while after:
        first = min(after)
        loop, current = [first], after.pop(first)
        while current != first and current in after:
            loop.append(current)
            current = after.pop(current)
        loops.append(np.array(loop))
    return sorted(loops, key=lambda loop: (-len(loop), loop[0]))


def components(triangles, n):
    """(count, label of each of n vertices) of the connected parts; an unreferenced vertex is a part of its own."""
    edges = directed_edges(triangles)
    graph = coo_matrix((np.ones(len(edges), dtype=bool), (edges[:, 0], edges[:, 1])), shape=(n, n))
    return connected_components(graph, directed=False)


def euler_characteristic(triangles):
    """V - E + F over the referenced vertices."""
    edges = np.sort(directed_edges(triangles).astype(np.int64), axis=1)
    code = np.sort(edges[:, 0] * (int(edges.max()) + 1) + edges[:, 1])
    return np.count_nonzero(np.bincount(triangles.ravel())) - (1 + np.count_nonzero(np.diff(code))) + len(triangles)


def fault(triangles, n):
    """Why a mesh of n vertices is not an oriented disk, in words; empty if it is one."""
    if len(triangles) == 0:
        return "it has no triangles"
    if triangles.min() < 0 or triangles.max() >= n:
        return f"a triangle names vertex {triangles.max()} of {n}"
    edges = directed_edges(triangles).astype(np.int64)
    codes = edges[:, 0] * n + edges[:, 1]
    if np.any(edges[:, 0] == edges[:, 1]):
        return "a triangle names a vertex twice"
    if np.any(np.diff(np.sort(codes)) == 0):
        return "an edge belongs to more than two triangles, or neighbours are turned differently"
    used = np.count_nonzero(np.bincount(triangles.ravel(), minlength=n))
    if used < n:
        return f"{n - used} vertices belong to no triangle"
    count, _ = components(triangles, n)
    if count > 1:
        return f"it falls into {count} parts"
    boundary = boundary_edges(triangles)
    if len(boundary) == 0:
        return "it is closed: it has no boundary"
    if len(np.unique(boundary[:, 0])) < len(boundary):
        return "its boundary touches itself in a vertex"
    loops = boundary_loops(triangles)
    if len(loops) > 1:
        return f"it has {len(loops)} boundary loops, {len(loops) - 1} of them holes"
    if euler_characteristic(triangles) != 1:
        return f"its Euler characteristic is {euler_characteristic(triangles)}, not 1"
    return ""
