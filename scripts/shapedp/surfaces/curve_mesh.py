"""A triangulated surface through radial curves, closed at the nose, with triangles of like size all over.

Near the nose a curve is short: of its samples only as many become vertices as keep neighbours about as far apart as
curves are. All of m lie on the outer curves, half of them farther in, then a quarter, and so on.
"""

import numpy as np

EACH = 6  # vertices on the circle j are at least 6 j, as in a lattice of equal triangles


def center(curves, radii):
    """The point f(0) from the two innermost curves, (3,).

    The mean of f over a circle of radius r is f(0) + c r^2 + O(r^4); two circles remove c.
    """
    inner, outer = curves[0].mean(axis=-1), curves[1].mean(axis=-1)
    a, b = radii[0] ** 2, radii[1] ** 2
    return (b * inner - a * outer) / (b - a)


def rings(count, samples):
    """(J,) how many vertices lie on each of `count` curves of m samples: m over a power of 2."""
    found = []
    for j in range(1, count + 1):
        here = samples
        while here % 2 == 0 and here // 2 >= EACH * j:
            here //= 2
        found.append(here)
    return found


def at_vertices(values):
    """(1 + n, ...) values (J, m, ...) at the vertices: the mean of the innermost curve, then what lies on each."""
    count, samples = values.shape[:2]
    parts = [values[j, :: samples // here] for j, here in enumerate(rings(count, samples))]
    return np.concatenate([values[0].mean(axis=0)[None], *parts])


def mesh(curves, radii):
    """(vertices, triangles) of the surface: the center, then the curves from inside out.

    curves : (J, 3, m), J >= 2; curve j at radius radii[j], sample k at angle 2 pi k/m
    vertices : (1 + n, 3), n = sum of `rings`; triangles : (t, 3), counter-clockwise from outside
    """
    vertices = at_vertices(curves.transpose(0, 2, 1))
    vertices[0] = center(curves, radii)
    return vertices, triangles(curves.shape[0], curves.shape[2])


def triangles(count, samples):
    """(t, 3) of the surface through `count` curves of m samples."""
    along = rings(count, samples)
    first = 1 + np.concatenate([[0], np.cumsum(along)])
    k = np.arange(along[0])
    fan = np.column_stack([np.zeros_like(k), 1 + k, 1 + (k + 1) % along[0]])
    bands = [_band(first[j], along[j], first[j + 1], along[j + 1]) for j in range(count - 1)]
    return np.concatenate([fan, *bands])


def coarser(count, samples):
    """(t, 3) of a surface through every second curve, the outermost among them, and of half as many samples: about a
    quarter of the triangles, between vertices of `mesh`.
    """
    kept, few = range((count - 1) % 2, count, 2), samples // 2 if samples % 2 == 0 else samples
    along, here = rings(count, samples), rings(len(kept), few)
    first = 1 + np.concatenate([[0], np.cumsum(along)])
    on_each = [first[j] + np.arange(0, along[j], along[j] // n) for j, n in zip(kept, here, strict=True)]
    return np.concatenate([[0], *on_each])[triangles(len(kept), few)]


def _band(inner, few, outer, many):
    """Triangles between a curve of `few` vertices and the next of `many`, as many or twice, from these vertices on."""
    k = np.arange(few)
    here, after = inner + k, inner + (k + 1) % few
    if many == few:
        beyond, beyond_after = outer + k, outer + (k + 1) % few
        turned = np.sin(2 * np.pi * (k + 0.5) / few) < 0  # diagonals mirrored, so that both halves of a face look alike
        return np.concatenate(
            [
                np.column_stack([here, beyond, np.where(turned, after, beyond_after)]),
                np.column_stack([np.where(turned, beyond, here), beyond_after, after]),
            ]
        )
    beyond, middle, beyond_after = outer + 2 * k, outer + 2 * k + 1, outer + (2 * k + 2) % many
    return np.concatenate(
        [
            np.column_stack([here, beyond, middle]),
            np.column_stack([here, middle, after]),
            np.column_stack([after, middle, beyond_after]),
        ]
    )
