"""Bending energy of thin-plate splines from p0, and what is left of a deviation once it has slid to the least of it.

The spline that takes p0 (k, d) to p0 + x bends by trace(x' B x) but for a constant, B = N (N' K N)^-1 N', N a basis of
what is orthogonal to 1 and p0's coordinates, K the kernel r^2 log r in the plane and -r in space (Bookstein 1989). B is
blind to affine maps of p0. Along directions u_j the least energy is at x - sum_j t_j u_j with U'B(x - U t) = 0, the
solution of Gunz, Mitteroecker and Bookstein (2005) with tangents at p0: a linear map of x that p0 alone decides.
"""

import numpy as np
from scipy.linalg import null_space

from shapedp.errors import ConfigError

LEAST = 1e-10  # of the largest energy along a direction: what bends less is affine, and does not slide


def matrix(p0):
    """B (k, k) of a center p0 (k, d) whose landmarks all differ."""
    r = np.linalg.norm(p0[:, None] - p0[None], axis=-1)
    apart = r + np.eye(len(p0))
    if not apart.all():
        raise ConfigError(
            "shapes.sliding: two landmarks of the center coincide, which no spline bends to; use procrustes"
        )
    kernel = r**2 * np.log(apart) if p0.shape[1] == 2 else -r
    n = null_space(np.column_stack([np.ones(len(p0)), p0]).T)
    return n @ np.linalg.solve(n.T @ kernel @ n, n.T)


def sliding(p0, along):
    """(normals, steps), each (s, k d): x slides to x - (x normals') steps; along : (s', k, d) directions."""
    u = along.reshape(len(along), -1)
    bent = (matrix(p0) @ along).reshape(u.shape)
    energy, ways = np.linalg.eigh(u @ bent.T)
    bending = energy > LEAST * energy.max(initial=0.0)
    ways = (ways[:, bending] / np.sqrt(energy[bending])).T
    return ways @ bent, ways @ u
