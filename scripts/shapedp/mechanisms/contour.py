"""Outlines in few Fourier modes: a public linear map of each record to CP^(p-1), in which less noise is needed."""

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.manifolds.projective import length

LEAST = 1e-6  # |U* z| of a unit shape z, below which its direction is rounding


def frequencies(p):
    """1, -1, 2, -2, ..., ±p/2: no 0, since shapes are centered."""
    f = np.repeat(np.arange(1, p // 2 + 1), 2)
    return f * np.tile([1, -1], p // 2)


def basis(k, p):
    """U (k, p): orthonormal columns e^(2πi f j/k) / √k, j = 0..k-1, f = ±1..±p/2."""
    if p % 2 or not 4 <= p < k:
        raise RefusedRelease(f"a contour basis for {k} landmarks needs an even p with 4 <= p < {k}, got {p}")
    return np.exp(2j * np.pi * np.outer(np.arange(k), frequencies(p)) / k) / np.sqrt(k)


def has_energy(u, z):
    """Whether shapes (..., k) have any energy in the basis, and so a point there; NaN has none."""
    return length(z @ np.conj(u)) >= LEAST


def to_basis(u, z):
    """y = U* z / |U* z|: shapes (..., k) -> points (..., p) of CP^(p-1)."""
    if not has_energy(u, z).all():
        raise RefusedRelease("an outline has no energy in the contour basis: use a larger p")
    y = z @ np.conj(u)
    return y / length(y)[..., None]


def from_basis(u, y):
    """U y: points (..., p) -> centered unit shapes (..., k)."""
    return y @ u.T


def energy_above(u, z):
    """Share of a shape's energy outside the basis, 1 - |U* z|²: its square root is about the distance it costs."""
    return 1 - length(z @ np.conj(u)) ** 2


def crossings(z):
    """Pairs of edges of the closed polygon z (..., k) that properly cross: (...) integers; 0 for a simple outline.

    Edges a-b and c-d cross where c, d lie on different sides of a-b and a, b on different sides of c-d.
    """
    start, stop = z, np.roll(z, -1, axis=-1)
    first, second = start[..., :, None], stop[..., :, None]
    third, fourth = start[..., None, :], stop[..., None, :]
    parted = _side(first, second, third) * _side(first, second, fourth) < 0
    crossed = parted & np.swapaxes(parted, -1, -2)
    return crossed.sum(axis=(-2, -1)) // 2


def _side(a, b, c):
    """Positive where c lies to the left of the line from a to b."""
    return ((b - a).conj() * (c - a)).imag


def smooth(v, weights):
    """Multiply frequency f of v (..., k) by weights[f] (numpy's FFT order), for instance λ_f / (λ_f + φ)."""
    return np.fft.ifft(np.fft.fft(v, axis=-1) * weights, axis=-1)
