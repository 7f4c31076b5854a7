"""Outlines in few Fourier modes: a public linear map of each record to CP^(p-1), in which less noise is needed.

Besides, the periodic local linear regression along an outline that smooths a release, with a public bandwidth.
"""

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.manifolds.projective import length

# |U* z| of a unit shape z, below which its direction is rounding.
LEAST = 1e-6


def frequencies(p: int) -> NDArray[np.int64]:
    """Return 1, -1, 2, -2, ..., ±p/2: no 0, since shapes are centered."""
    f = np.repeat(np.arange(1, p // 2 + 1), 2)
    return f * np.tile([1, -1], p // 2)


def basis(k: int, p: int) -> NDArray:
    """Return U (k, p), the few Fourier modes of a closed contour in which outlines are released with less noise.

    They are orthonormal columns e^(2πi f j/k) / √k, j = 0..k-1, f = ±1..±p/2.

    Parameters
    ----------
    k : int
        Landmarks.
    p : int
        Modes, even, from 4 to less than k.
    """
    if p % 2 or not 4 <= p < k:
        raise RefusedRelease(f"a contour basis for {k} landmarks needs an even p with 4 <= p < {k}, got {p}")
    return np.exp(2j * np.pi * np.outer(np.arange(k), frequencies(p)) / k) / np.sqrt(k)


def has_energy(u: NDArray, z: NDArray) -> NDArray:
    """Tell whether shapes (..., k) have any energy in the basis, and so a point there; NaN has none."""
    return length(z @ np.conj(u)) >= LEAST


def to_basis(u: NDArray, z: NDArray) -> NDArray:
    """Return outlines by their few slowest waves, so that less noise is needed: points U* z / |U* z| of CP^(p-1).

    Parameters
    ----------
    u : (k, p) complex
        The basis.
    z : (..., k) complex
        Centered unit shapes.
    """
    if not has_energy(u, z).all():
        raise RefusedRelease("an outline vanishes in the contour basis: use a larger p")
    y = z @ np.conj(u)
    return y / length(y)[..., None]


def from_basis(u: NDArray, y: NDArray) -> NDArray:
    """Return outlines as centered unit shapes again, U y (..., k), from the few waves in which they were released.

    Parameters
    ----------
    u : (k, p) complex
        The basis.
    y : (..., p) complex
        Points of CP^(p-1).
    """
    return y @ u.T


def energy_above(u: NDArray, z: NDArray) -> NDArray:
    """Return the share of a shape's energy outside the basis, 1 - |U* z|²: its root is about the distance it costs."""
    # rounding may leave less than nothing outside
    return np.maximum(1 - length(z @ np.conj(u)) ** 2, 0.0)


def crossings(z: NDArray) -> NDArray:
    """Return how often a closed outline z (..., k) crosses itself, as too much noise makes it; 0 for a simple one.

    Edges a-b and c-d of the polygon cross where c, d lie on different sides of a-b and a, b on different sides of c-d.
    """
    start, stop = z, np.roll(z, -1, axis=-1)
    first, second = start[..., :, None], stop[..., :, None]
    third, fourth = start[..., None, :], stop[..., None, :]

    # Positive where c lies to the left of the line from a to b.
    def side(c):
        return ((second - first).conj() * (c - first)).imag

    parted = side(third) * side(fourth) < 0
    return (parted & np.swapaxes(parted, -1, -2)).sum(axis=(-2, -1)) // 2


def smooth_locally(z: NDArray, bandwidth: float, t: NDArray | None = None) -> NDArray:
    """Return an outline's landmarks smoothed along the contour, which takes noise off a release: post-processing.

    It is local linear regression: the intercept a of min over (a, b) of sum_j K(u_j / bandwidth) |z_j - a - b u_j|²,
    u_j = t_j - t wrapped to [-½, ½), K normal. Linear in z: row i of a matrix (k, k) holds the weights of the landmarks
    at t_i, which sum to 1.

    Parameters
    ----------
    z : (..., k) real or complex
        Landmarks in their order along the contour.
    bandwidth : float
        In contour lengths.
    t : (k,) float or None
        Places on the contour in [0, 1), by default j/k.
    """
    if not (np.isfinite(bandwidth) and bandwidth > 0):
        raise RefusedRelease(f"the bandwidth must be a positive share of the contour, got {bandwidth}")
    k = z.shape[-1]
    t = np.arange(k) / k if t is None else np.asarray(t)
    u = (t[None, :] - t[:, None] + 0.5) % 1 - 0.5
    kernel = np.exp(-((u / bandwidth) ** 2) / 2)
    first, second = (kernel * u).sum(axis=1, keepdims=True), (kernel * u**2).sum(axis=1, keepdims=True)
    rows = kernel * (second - first * u)
    total = rows.sum(axis=1, keepdims=True)
    # a bandwidth too small to reach a neighbour leaves the landmark as it is
    is_alone = total <= np.finfo(float).tiny
    return z @ np.where(is_alone, np.eye(k), rows / np.where(is_alone, 1.0, total)).T
