"""Periodic first-order local linear regression along an outline: post-processing with a public bandwidth."""

import numpy as np

from shapedp.errors import RefusedRelease


def smooth(z, bandwidth, t=None):
    """Intercept a of min over (a, b) of sum_j K(u_j / bandwidth) |z_j - a - b u_j|², u_j = t_j - t wrapped to [-½, ½).

    z : (..., k) real or complex; t : (k,) places on the contour in [0, 1), by default j/k; K normal. Bandwidth in
    contour lengths. Linear in z, with rows that sum to 1.
    """
    if not (np.isfinite(bandwidth) and bandwidth > 0):
        raise RefusedRelease(f"the bandwidth must be a positive share of the contour, got {bandwidth}")
    return z @ weights(z.shape[-1], bandwidth, t).T


def weights(k, bandwidth, t=None):
    """The smoother's matrix (k, k): row i holds the weights of the landmarks at place t_i."""
    t = np.arange(k) / k if t is None else np.asarray(t)
    u = (t[None, :] - t[:, None] + 0.5) % 1 - 0.5
    kernel = np.exp(-((u / bandwidth) ** 2) / 2)
    first, second = (kernel * u).sum(axis=1, keepdims=True), (kernel * u**2).sum(axis=1, keepdims=True)
    rows = kernel * (second - first * u)
    total = rows.sum(axis=1, keepdims=True)
    # a bandwidth too small to reach a neighbour leaves the landmark as it is
    alone = total <= np.finfo(float).tiny
    return np.where(alone, np.eye(k), rows / np.where(alone, 1.0, total))
