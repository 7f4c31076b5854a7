"""Geodesic regression: gradients by Jacobi fields, what one record moves, and draws that have their law."""

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose

from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.reproduction import regression
from shapedp.reproduction import regression_experiments as experiments
from shapedp.reproduction.regression import Domain

MANIFOLDS = (Sphere(2), Sphere(3), SPD(2), SPD(3), Kendall(3), Kendall(5))
SMALL = 1e-5  # step of the differences


def about_a_geodesic(manifold, rng, n=12, spread=0.1):
    """Footpoint, shooting vector and n records about their geodesic, at covariates on both sides of it."""
    p = manifold.random_point(rng)
    v = 0.8 * manifold.random_tangent(p, rng)
    x = np.linspace(-0.4, 0.6, n)
    ends = manifold.exp(p, manifold.spread(x) * v)
    return p, v, x, manifold.exp(ends, spread * manifold.gaussian_tangent(ends, rng))


def loss(manifold, p, v, x, y):
    return np.mean(manifold.dist(manifold.exp(p, manifold.spread(x) * v), y) ** 2) / 2


@pytest.mark.parametrize("manifold", MANIFOLDS, ids=str)
def test_gradients_are_derivatives_of_the_loss(manifold):
    rng = np.random.default_rng(0)
    p, v, x, y = about_a_geodesic(manifold, rng)
    of_p, of_v = regression.compute_gradients(manifold, p, v, x, y)
    along = manifold.random_tangent(p, rng)

    def moved(step):
        ahead = manifold.exp(p, step * along)
        return loss(manifold, ahead, manifold.transport(p, ahead, v), x, y)

    by_p = (moved(SMALL) - moved(-SMALL)) / (2 * SMALL)
    by_v = (loss(manifold, p, v + SMALL * along, x, y) - loss(manifold, p, v - SMALL * along, x, y)) / (2 * SMALL)
    assert_allclose([manifold.inner(p, of_p, along), manifold.inner(p, of_v, along)], [by_p, by_v], atol=1e-9)
    assert abs(by_p) > 1e-3
    assert abs(by_v) > 1e-4


@pytest.mark.parametrize("manifold", MANIFOLDS, ids=str)
def test_eigenvalues_of_curvature_are_those_of_neighbouring_geodesics(manifold):
    """Ends of geodesics that start in a neighbouring direction, or from a neighbouring point, lie where C and S say."""
    rng = np.random.default_rng(1)
    p = manifold.random_point(rng)
    w, u = 0.9 * manifold.random_tangent(p, rng), manifold.random_tangent(p, rng)
    end = manifold.exp(p, w)
    turned = manifold.exp(p, w + SMALL * u)
    ahead = manifold.exp(p, SMALL * u)
    beside = manifold.exp(ahead, manifold.transport(p, ahead, w))
    ways = regression.transport_fields(manifold, p, w, u)
    for field, other in zip(ways, (beside, turned), strict=True):
        assert_allclose(manifold.transport(end, p, manifold.log(end, other)) / SMALL, field, atol=1e-4)


def test_factors_by_hand():
    """cosh and sinh on matrices: a = 0.5 · 1.2 · √½, and none where curvature is not negative."""
    a = 0.6 / np.sqrt(2)
    found = regression.bound_sensitivity(SPD(2), 0.1, 20, 0.5, 1.2)
    assert_allclose([found.p, found.v], [0.01 * np.cosh(a), 0.005 * np.sinh(a) / a])
    for manifold in (Sphere(2), Kendall(4)):
        assert regression.bound_sensitivity(manifold, 0.1, 20, 0.5, 1.2) == regression.Sensitivity(0.01, 0.005)


@pytest.mark.slow
@pytest.mark.parametrize("space", experiments.SPACES)
def test_no_record_moves_a_gradient_by_more_than_is_claimed(space):
    found = experiments.parameter_change(space, 0.1, 1, np.random.default_rng(2))
    for name, least in (("footpoint", 0.999), ("shooting", 0.98)):
        assert least < found[name][0] <= 1 + 1e-9, name


@pytest.mark.parametrize("manifold", MANIFOLDS, ids=str)
def test_whatever_a_record_holds_it_adds_no_more_than_the_bound(manifold):
    rng = np.random.default_rng(3)
    p = manifold.random_point(rng)
    v = 1.2 * manifold.random_tangent(p, rng)
    far = manifold.random_point(rng, (500,))
    x = rng.uniform(-0.5, 0.5, (500, 1))
    most = regression.bound_sensitivity(manifold, 0.1, 1, 0.5, 1.2)
    of_p, of_v = regression.compute_gradients(manifold, p, v, x, far[:, None], 0.1)
    assert manifold.norm(p, of_p).max() <= most.p / 2 + 1e-12
    assert manifold.norm(p, of_v).max() <= most.v / 2 + 1e-12


@pytest.mark.parametrize("manifold", MANIFOLDS, ids=str)
def test_a_fit_finds_a_geodesic_without_noise(manifold):
    p, v, x, y = about_a_geodesic(manifold, np.random.default_rng(4), spread=0.0)
    start = manifold.exp(p, 0.1 * manifold.random_tangent(p, np.random.default_rng(5)))
    found_p, found_v = regression.fit(manifold, x, y[None], start)
    assert manifold.dist(p, found_p[0]) < 1e-7
    assert manifold.norm(p, manifold.transport(found_p[0], p, found_v[0]) - v) < 1e-7


def test_the_same_geodesic_read_elsewhere():
    p, v, x, y = about_a_geodesic(Sphere(2), np.random.default_rng(6), spread=0.0)
    ahead, carried = regression.move_origin(Sphere(2), p, v, x[0])
    assert_allclose(ahead, y[0], atol=1e-14)
    assert_allclose(Sphere(2).exp(ahead, -x[0] * carried), p, atol=1e-14)


def test_footpoints_fill_the_ball_as_the_volume_does():
    """On P(2) the share within half the radius is less than in flat space, by the sinh of the volume."""
    domain = Domain(SPD(2), np.eye(2), 3.0, 1.0)
    p = domain.footpoints(np.random.default_rng(7), (20_000,))
    t = SPD(2).dist(np.eye(2), p)
    grid = np.linspace(0, 3, 301)
    angle = np.linspace(0, np.pi / 2, 201)
    # eigenvalues' gap is t √2 sin(angle), of the direction's part without trace
    part = np.sqrt(2) * np.sin(angle) / 2
    volume = [np.trapezoid(np.sin(angle) * r**2 * np.sinh(r * part + 1e-12) / (r * part + 1e-12), angle) for r in grid]
    inside = scipy.integrate.cumulative_trapezoid(volume, grid, initial=0)
    assert scipy.stats.kstest(t, lambda r: np.interp(r, grid, inside / inside[-1])).pvalue > 1e-3


@pytest.mark.slow
def test_the_loss_of_both_parameters_stays_below_epsilon():
    """Of the worst neighbours for the exponents on S², normalised over the whole domain; half the scale exceeds it."""
    where = experiments.make_population("S2")
    manifold, rng, tau, n = where.manifold, np.random.default_rng(8), 0.1, 6
    domain, x = Domain(manifold, where.p0, 0.3, 0.6), experiments.space_covariates(n)
    y = where.people(np.repeat(x[None], 2, axis=0), rng)
    ahead = np.cross(where.p, manifold.unit(where.p, where.v))
    # all others sit where the first is not: the gradient points one way, then less so
    y[:] = manifold.exp(where.p, 0.25 * ahead)
    y[1, -1] = manifold.exp(where.p, -0.25 * ahead)
    p = domain.footpoints(rng, (2, 30_000))
    p[1] = p[0]
    v = domain.vectors(p[0], rng, ())
    v = np.stack([v, v])
    density = experiments.make_private_density(domain, x, y, tau)

    def found(sharper):
        logs = sharper * density(np.arange(2), p, v)
        logs -= scipy.special.logsumexp(logs, axis=1, keepdims=True)
        return float(np.abs(logs[0] - logs[1]).max())

    assert 0.2 < found(1.0) <= experiments.EPSILON
    assert found(4.0) > experiments.EPSILON


@pytest.mark.slow
def test_a_chain_has_the_law_of_exact_draws():
    where = experiments.make_population("S2")
    rng, x = np.random.default_rng(9), experiments.space_covariates(8)
    y = np.repeat(where.people(x, rng)[None], 400, axis=0)
    domain = Domain(where.manifold, where.p0, 0.5, 1.2)
    p, v = regression.fit(where.manifold, x, y, where.p0)
    exact = experiments.draw_private(domain, x, y, 0.3, rng)
    chain = experiments.run_private_chain(domain, x, y, p, v, 0.3, rng)
    for one, other in zip(where.errors(*exact), where.errors(*chain), strict=True):
        assert scipy.stats.ks_2samp(one, other).pvalue > 1e-3
    assert domain.holds(*exact).all()
    assert domain.holds(*chain).all()


@pytest.mark.parametrize("space", experiments.SPACES)
def test_effects_without_noise_are_the_geodesic(space, monkeypatch):
    """With a budget that hides nothing a model's footpoint and shooting vector lie near the true ones."""
    monkeypatch.setattr(experiments.cost, "gaussian_of_pure", lambda epsilon: 1e4)
    where, rng = experiments.make_population(space), np.random.default_rng(10)
    x = experiments.space_covariates(400)
    errors = where.errors(*experiments.release_effects(space, x, where.people(x[None], rng), rng))
    assert errors[0][0] < 0.02
    assert errors[1][0] < 0.08


def test_a_rejection_draws_the_law():
    """Of a density on the line: |z| is exponential, cut at 3."""
    rng = np.random.default_rng(11)
    found = regression.draw_by_rejection(
        lambda rows, z: -np.abs(z), lambda rows, each: rng.uniform(-3, 3, (len(rows), each)), 3000, 10_000, rng
    )
    assert scipy.stats.kstest(np.abs(found), scipy.stats.truncexpon(3).cdf).pvalue > 1e-3


def test_the_largest_residual_is_that_of_the_farthest_record():
    p, v, x, y = about_a_geodesic(Sphere(2), np.random.default_rng(12), spread=0.0)
    y = y.copy()
    y[3] = Sphere(2).exp(y[3], 0.2 * Sphere(2).random_tangent(y[3], np.random.default_rng(0)))
    assert_allclose(experiments.find_largest_residual(Sphere(2), p[None], v[None], x, y[None]), 0.2, rtol=1e-9)
