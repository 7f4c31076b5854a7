"""Smoothing a field on the disk by the heat kernel exp(sigma^2/2 Laplacian), no flux through the rim.

Raw q is too rough for a coarse grid: its differences there would not be the derivatives of anything.
Cells of the polar grid (finite volumes) give each angular frequency m its own tridiagonal Laplacian

    V_i (L F)_i = r_(i+1/2) (F_(i+1) - F_i) / h - r_(i-1/2) (F_i - F_(i-1)) / h - m^2 V_i F_i / r_i^2,

symmetric in the inner product of the cells' areas V; its exponential is computed once from eigenvectors.
"""

import numba
import numpy as np
from scipy.linalg import eigh_tridiagonal

NEGLIGIBLE = 1e-6  # modes that the kernel damps below this are dropped


def kernels(grid, sigmas):
    """The smoothing matrices for each sigma: list of (M, R, R), F_m <- F_m kernel[m], m = 0..M-1."""
    edges = np.append(np.arange(grid.rings) * grid.h, 1.0)
    volumes = np.diff(edges**2) / 2
    flux = edges[1:-1] / grid.h
    beside = flux / np.sqrt(volumes[1:] * volumes[:-1])
    losses = (np.append(0.0, flux) + np.append(flux, 0.0)) / volumes
    counts = [_frequencies(grid, sigma) for sigma in sigmas]
    out = [np.empty((count, grid.rings, grid.rings)) for count in counts]
    root = np.sqrt(volumes)
    for m in range(max(counts, default=0)):
        rates, modes = eigh_tridiagonal(losses + m**2 / grid.r**2, -beside)
        for matrices, sigma in zip(out, sigmas, strict=True):
            if m < len(matrices):
                kept = np.exp(-rates * sigma**2 / 2)
                matrices[m] = (modes * root[:, None] * kept) @ (modes / root[:, None]).T
    return out


def _frequencies(grid, sigma):
    """How many angular frequencies survive: on the disk mode m decays at least at the rate m^2."""
    return min(grid.angles // 2, int(np.sqrt(-2 * np.log(NEGLIGIBLE)) / sigma)) + 1


def smooth_spectrum(kernel, spectrum):
    """Smooth the Fourier coefficients in the angle (R, T/2 + 1, d) with `kernel` (M, R, R); those beyond M vanish."""
    parts = np.ascontiguousarray(spectrum.transpose(1, 2, 0)).view(float).reshape(*spectrum.shape[1:], -1, 2)
    out = np.zeros_like(parts.transpose(0, 1, 3, 2), order="C")
    _apply(kernel, np.ascontiguousarray(parts.transpose(0, 1, 3, 2)), out)
    return (out[:, :, 0] + 1j * out[:, :, 1]).transpose(2, 0, 1)


@numba.njit(cache=True)
def _apply(kernel, parts, out):
    """out[m, d, p, i] = sum_j parts[m, d, p, j] kernel[m, j, i], j in the outer loop so that i runs along memory."""
    for m in range(kernel.shape[0]):
        for d in range(parts.shape[1]):
            for p in range(2):
                line = out[m, d, p]
                for j in range(parts.shape[3]):
                    value = parts[m, d, p, j]
                    for i in range(len(line)):
                        line[i] += kernel[m, j, i] * value
