"""Rejection for many targets at once: order, and giving up loudly."""

import numpy as np
import pytest
from scipy import integrate

import tolerances
from library.privacy import laws
from library.privacy.manifolds import spaces
from shapedp.privacy.manifolds.frechet import h_max
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.samplers import rejection


def test_draws_follow_three_wide_cells_and_an_endless_one():
    """Falling, flat, rising, and falling for ever; two rows with different laws."""
    knots = np.array([0.0, 1.0, 2.0, 2.5, np.inf])
    value = np.array([[0.5, -1.0, -0.5, 0.2], [0.0, 0.0, -3.0, 1.0]])
    slope = np.array([[-2.0, 0.0, 3.0, -1.5], [1.0, -1.0, 0.5, -4.0]])
    radii = rejection.Envelope(knots, value, slope, np.zeros(4), np.zeros(4))
    t, decay, area = radii.draw(np.random.default_rng(0), np.array([0, 1]), 100_000)
    for row in (0, 1):
        grid = np.linspace(0, 14, 280_001)
        cell = np.searchsorted(knots, grid, side="right") - 1
        assert laws.fits(t[row], grid, np.exp(value[row, cell] + slope[row, cell] * (grid - knots[cell])))
        cell = np.searchsorted(knots, t[row], side="right") - 1
        np.testing.assert_allclose(decay[row], value[row, cell] + slope[row, cell] * (t[row] - knots[cell]), atol=1e-12)
    assert (area == 0).all()


@pytest.mark.parametrize("shift", [0.0, 0.07])
@pytest.mark.parametrize(("manifold", "r"), [(Sphere(2), 0.6), (Kendall(30), 0.15), (SPD(3), 1.0)], ids=str)
def test_the_line_of_the_gradient_is_below_its_integral_and_near_it(manifold, r, shift):
    """L((t - a)+) by quadrature of the mean of g(min(d_i + u, 2r))."""
    rng, sigma = np.random.default_rng(1), 0.01
    distances = rng.uniform(0, 2 * r, (1, 20))
    _, kappa = manifold.curvature_bounds()
    radii = rejection.gradient_envelope(manifold, sigma, r, distances, np.array([2 * r]), np.array([shift]))
    t = np.linspace(0, 2 * r, 4001)
    slope = h_max(np.minimum(distances[0, :, None] + t, 2 * r), kappa).mean(axis=0)
    true = np.interp(t - shift, t, integrate.cumulative_trapezoid(slope, t, initial=0))
    cell = np.clip(np.searchsorted(radii.knots, t, side="right") - 1, 0, len(radii.knots) - 2)
    line = -sigma * (radii.decay_value[0, cell] + radii.decay_slope[0, cell] * (t - radii.knots[cell]))
    assert (line <= true + tolerances.QUADRATURE).all()
    assert (true - line).max() < 0.03 * 2 * r


@pytest.mark.parametrize("manifold", spaces.ALL, ids=str)
def test_knots_reach_the_end_and_no_further(manifold):
    for sigma in (1e-9, 1e-2, 10.0):
        radii = rejection.linear_envelope(manifold, sigma, 0.5, np.zeros(1))
        assert radii.knots[0] == 0
        assert radii.knots[-1] == 0.5
        assert (np.diff(radii.knots) > 0).all()


def test_the_first_accepted_are_kept_in_order():
    """Target i accepts the points whose number is a multiple of i + 2."""
    count = iter(range(10_000))

    def attempt(rows, width):
        number = np.array([next(count) for _ in range(width)])
        points = np.broadcast_to(number[None, :, None], (len(rows), width, 2)).astype(float)
        return points, number[None, :] % (rows[:, None] + 2) == 0

    drawn = rejection.collect(Sphere(1), 2, 4, 2, attempt)
    assert drawn[0, :, 0].tolist() == [0, 2, 4, 6]
    assert drawn[1, :, 0].tolist() == [0, 3, 6, 9]


@pytest.mark.slow
def test_a_target_that_accepts_nothing_is_an_error(monkeypatch):
    monkeypatch.setattr(rejection, "MOST_PROPOSALS", 1000)

    def attempt(rows, width):
        return np.zeros((len(rows), width, 2)), np.zeros((len(rows), width), bool)

    with pytest.raises(rejection.Exhausted, match="no draw"):
        rejection.collect(Sphere(1), 1, 1, 2, attempt)
