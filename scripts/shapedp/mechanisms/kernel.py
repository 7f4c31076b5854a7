"""The periodic powered exponential kernel, its spectrum, and the real Fourier basis on m points of the circle.

k(s, t) = exp(-(d(s, t)/rho)^alpha), d = circular distance in [0, pi]. On t_k = k/m the kernel matrix is circulant: the
integral operator on [0, 1] has eigenvalues FFT(first column)/m and the real Fourier basis as eigenfunctions,
orthonormal in ||x||^2 = (1/m) sum_k x_k^2. Order of the basis: 1, cos 1, sin 1, cos 2, sin 2, ..., Nyquist. m is even.

See docs/mathematics.md, (3.1).
"""

import numpy as np

from shapedp.errors import RefusedRelease

ROOT2 = np.sqrt(2.0)


def column(m, rho, alpha):
    """k(0, t_k), (m,)."""
    if not (rho > 0 and 0 < alpha <= 1):
        raise RefusedRelease(f"the kernel needs rho > 0 and alpha in (0, 1], got rho = {rho}, alpha = {alpha}")
    if m < 2 or m % 2:
        raise RefusedRelease(f"curves need an even number of samples, got m = {m}")
    k = np.arange(m)
    distance = 2 * np.pi * np.minimum(k, m - k) / m
    return np.exp(-((distance / rho) ** alpha))


def frequencies(m):
    """(m,) frequency of each basis function."""
    return (np.arange(m) + 1) // 2


def spectrum(m, rho, alpha):
    """(m,) eigenvalues in the order of the basis."""
    return (np.fft.fft(column(m, rho, alpha)).real / m)[frequencies(m)]


def coefficients(x):
    """(..., m) coefficients of curves (..., m): (1/m) sum_k x_k b_j(t_k)."""
    m = x.shape[-1]
    waves = np.fft.rfft(x, axis=-1) / m
    out = np.empty_like(x, dtype=float)
    out[..., 0] = waves[..., 0].real
    out[..., 1:-1:2] = ROOT2 * waves[..., 1:-1].real
    out[..., 2:-1:2] = -ROOT2 * waves[..., 1:-1].imag
    out[..., -1] = waves[..., -1].real
    return out


def curves(c):
    """(..., m) curves with these coefficients (..., m): sum_j c_j b_j(t_k)."""
    m = c.shape[-1]
    waves = np.empty((*c.shape[:-1], m // 2 + 1), dtype=complex)
    waves[..., 0] = c[..., 0]
    waves[..., 1:-1] = (c[..., 1:-1:2] - 1j * c[..., 2:-1:2]) / ROOT2
    waves[..., -1] = c[..., -1]
    return np.fft.irfft(waves * m, n=m, axis=-1)


def roughness(m):
    """(m,) sqrt(1 + f^2): what a coefficient of frequency f weighs in the joint norm.

    People's outlines differ mostly in low frequencies, so a bound on this norm (Sobolev's, of order 1/2) is reached by
    slow differences, and noise spread evenly in it puts less into the rest.
    """
    return np.sqrt(1 + frequencies(m) ** 2.0)


def rough_norm(c):
    """Norm of curves given by coefficients (..., m): the root of sum_f sqrt(1 + f^2) c_f^2."""
    return np.sqrt(np.sum(roughness(c.shape[-1]) * np.square(c), axis=-1))


def norm(x):
    """||x|| of curves (..., m): the root of the mean square."""
    return np.sqrt(np.mean(np.square(x), axis=-1))
