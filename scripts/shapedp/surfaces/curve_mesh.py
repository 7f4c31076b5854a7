"""A triangulated surface through radial curves, closed at the nose."""

import numpy as np


def center(curves, radii):
    """The point f(0) from the two innermost curves, (3,).

    The mean of f over a circle of radius r is f(0) + c r^2 + O(r^4); two circles remove c.
    """
    inner, outer = curves[0].mean(axis=-1), curves[1].mean(axis=-1)
    a, b = radii[0] ** 2, radii[1] ** 2
    return (b * inner - a * outer) / (b - a)


def mesh(curves, radii):
    """(vertices, triangles) of the surface: the center, then the curves from inside out.

    curves : (J, 3, m), J >= 2; curve j at radius radii[j], sample k at angle 2 pi k/m
    vertices : (1 + J m, 3); triangles : (m + 2 (J - 1) m, 3), counter-clockwise from outside
    """
    count, _, samples = curves.shape
    vertices = np.concatenate([center(curves, radii)[None], curves.transpose(0, 2, 1).reshape(-1, 3)])
    k = np.arange(samples)
    after = (k + 1) % samples
    fan = np.column_stack([np.zeros_like(k), 1 + k, 1 + after])
    return vertices, np.concatenate([fan, *(_band(1 + j * samples, samples, k, after) for j in range(count - 1))])


def _band(start, samples, k, after):
    """Two triangles for each quadrilateral between a curve that starts at vertex `start` and the next one."""
    inner, inner_next = start + k, start + after
    outer, outer_next = inner + samples, inner_next + samples
    return np.concatenate(
        [np.column_stack([inner, outer, outer_next]), np.column_stack([inner, outer_next, inner_next])]
    )
