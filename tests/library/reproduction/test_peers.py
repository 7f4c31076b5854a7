"""Mechanisms of others: what mu a scale gives, and the laws that are drawn."""

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose

from shapedp.privacy.manifolds.projective import ComplexProjective
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.reproduction import peers
from shapedp.reproduction.peers import GAUSSIAN, LAPLACE, Heat, RadialLaw

NORTH = np.array([0.0, 0.0, 1.0])
QUADRATURE = 1e-3


@pytest.mark.parametrize(
    "manifold", [Sphere(1), Sphere(2), Sphere(5), ComplexProjective(1), ComplexProjective(4)], ids=str
)
def test_on_a_large_sphere_the_gaussian_is_the_flat_one(manifold):
    """Where sigma and the sensitivity are small against the radius, mu is their ratio."""
    assert_allclose(RadialLaw(manifold, 0.01, GAUSSIAN).mu(0.01), 1.0, atol=QUADRATURE)
    assert_allclose(RadialLaw(manifold, 0.01, GAUSSIAN).mu(0.02), 2.0, atol=2 * QUADRATURE)


@pytest.mark.parametrize("power", [GAUSSIAN, LAPLACE])
def test_the_curve_of_the_circle_is_that_of_a_sum(power):
    """delta(epsilon) summed over a fine grid of the whole circle, at any distance of the two means."""
    sigma, apart = 0.4, 0.3
    angle = 2 * np.pi * (np.arange(200_000) + 0.5) / 200_000
    first, second = (np.abs((angle - at + np.pi) % (2 * np.pi) - np.pi) for at in (0.0, apart))
    density = [np.exp(-(t**power) / (power * sigma**power)) for t in (first, second)]
    p, q = (one / one.sum() for one in density)
    law = RadialLaw(Sphere(1), sigma, power)
    for epsilon in (0.0, 0.2, 0.6):
        wanted = np.maximum(p - np.exp(epsilon) * q, 0).sum()
        ratios = law.log_ratios(apart)
        found = np.sum(law.nodes[2] * -np.expm1(np.minimum(epsilon - ratios, 0)))
        assert_allclose(found, wanted, atol=QUADRATURE)


def test_the_scale_that_gives_mu():
    manifold = Sphere(2)
    sigma = peers.find_sigma(manifold, GAUSSIAN, 0.2, 1.5)
    assert_allclose(RadialLaw(manifold, sigma, GAUSSIAN).mu(0.2), 1.5, atol=QUADRATURE)
    assert RadialLaw(manifold, 0.8 * sigma, GAUSSIAN).mu(0.2) > 1.7


@pytest.mark.parametrize("manifold", [Sphere(2), ComplexProjective(2)], ids=str)
def test_gaussian_draws_have_the_law_of_their_distances(manifold):
    sigma, center = 0.5, np.eye(1, *manifold.point_shape, dtype=manifold.dtype)[0]
    drawn = peers.draw_gaussian(manifold, center, sigma, np.random.default_rng(0), 20_000)
    grid = np.linspace(1e-9, manifold.injectivity_radius, 4001)[:-1]
    log = manifold.log_area(center, grid[:, None] * np.roll(center, 1)) - grid**2 / (2 * sigma**2)
    share = scipy.integrate.cumulative_trapezoid(np.exp(log), grid, initial=0)
    t = manifold.dist(center, drawn)
    assert scipy.stats.kstest(t, lambda r: np.interp(r, grid, share / share[-1])).pvalue > 1e-3
    mean = manifold.log(center, drawn).mean(axis=0)
    assert np.linalg.norm(mean) < 0.02, "directions are even"


@pytest.mark.parametrize("apart", [0.02, 0.5])
def test_the_divergence_of_heat_stays_below_wangs_bound(apart):
    heat = Heat(peers.compute_heat_time(apart, 0.5))
    for order in (1.25, 2.0, 5.0):
        found, bound = heat.divergence(apart, order), heat.bound(apart, order)
        assert_allclose(bound, order / 2, rtol=1e-9)
        assert 0.9 * bound < found <= bound * (1 + 1e-6), order


def test_heat_after_a_short_time_is_a_gaussian():
    drawn = Heat(1e-3).sample(NORTH, np.random.default_rng(1), 20_000)
    angle = np.linalg.norm(Sphere(2).log(NORTH, drawn), axis=-1)
    assert scipy.stats.kstest(angle / np.sqrt(1e-3), scipy.stats.rayleigh.cdf).pvalue > 1e-3


def test_heat_forgets_its_start_as_the_first_eigenvalue_says():
    """E cos(angle) = e^-T, for the first eigenvalue of half the Laplacian is 1."""
    for time in (0.05, 0.7, 3.0):
        drawn = Heat(time).sample(NORTH, np.random.default_rng(2), 40_000)
        assert_allclose(drawn[:, 2].mean(), np.exp(-time), atol=0.01)


def test_too_short_a_time_is_refused():
    with pytest.raises(Exception, match="needs more than 3000 terms"):
        _ = Heat(1e-7).coefficients
