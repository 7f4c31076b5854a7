"""Smoothing by the heat kernel: constants stay, area is kept, eigenfunctions decay at their rate."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.special import jnp_zeros, jv

from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import heat

GRID = polar_grid(48, 128)


def smoothed(field, sigma):
    (kernel,) = heat.kernels(GRID, [sigma])
    spectrum = heat.smooth_spectrum(kernel, np.fft.rfft(field, axis=1))
    return np.fft.irfft(spectrum, GRID.angles, axis=1)


def test_a_constant_stays():
    assert_allclose(smoothed(np.full((48, 128, 2), 3.5), 0.06), 3.5, rtol=1e-12)


def test_the_integral_over_the_cells_is_kept():
    edges = np.append(np.arange(GRID.rings) * GRID.h, 1.0)
    field = np.random.default_rng(1).standard_normal((48, 128, 1))
    before, after = (np.diff(edges**2) @ one.sum(axis=(1, 2)) for one in (field, smoothed(field, 0.06)))
    assert_allclose(after, before, rtol=1e-10)


def test_a_neumann_eigenfunction_decays_at_its_rate():
    """J_3(k r) sin 3 theta, J'_3(k) = 0, shrinks by exp(-k^2 sigma^2 / 2); second-order cells, hence the tolerance."""
    k, sigma = jnp_zeros(3, 2)[1], 0.1
    mode = (jv(3, k * GRID.r)[:, None] * np.sin(3 * GRID.theta))[:, :, None]
    assert_allclose(smoothed(mode, sigma), np.exp(-(k**2) * sigma**2 / 2) * mode, atol=2e-3 * np.abs(mode).max())


def test_it_turns_with_the_disk():
    field = np.random.default_rng(2).standard_normal((48, 128, 3))
    assert_allclose(smoothed(np.roll(field, 5, axis=1), 0.05), np.roll(smoothed(field, 0.05), 5, axis=1), atol=1e-12)
