"""Fréchet means: closed forms, the gradient they leave, and what does not converge."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tolerances
from library.privacy.manifolds import spaces
from shapedp.base.errors import NotConverged, RefusedRelease, Rejected, ShapedpError
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.frechet import check_radius, h_max, radius_limit
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere

ALPHA = 1e-6  # a right generator fails once in a million seeds


@pytest.mark.parametrize("manifold", spaces.ALL, ids=str)
def test_the_radius_is_uniform(manifold):
    p0 = spaces.center(manifold)
    x = frechet.uniform_radius(manifold, p0, 0.4, np.random.default_rng(0), 2000)
    assert stats.kstest(manifold.dist(p0, x) / 0.4, "uniform").pvalue > ALPHA


def test_wishart_matrices_are_scipys_within_the_ball():
    manifold, r = SPD(2), 1.5
    ours = frechet.wishart(manifold, r, np.random.default_rng(1), (50, 40))
    theirs = stats.wishart(2, np.eye(2) / 2).rvs(30_000, random_state=2)
    theirs = theirs[np.linalg.cond(theirs) < 1e9]
    theirs = theirs[manifold.dist(np.eye(2), theirs) <= r]
    assert ours.shape == (50, 40, 2, 2)
    for of in (lambda x: np.linalg.slogdet(x)[1], lambda x: x[..., 0, 1]):
        assert stats.ks_2samp(of(ours).ravel(), of(theirs)).pvalue > ALPHA


def test_a_ball_that_no_matrix_hits_is_an_error(monkeypatch):
    monkeypatch.setattr(frechet, "_MOST_TRIES", 5)
    with pytest.raises(ShapedpError, match="larger r"):
        frechet.wishart(SPD(3), 1e-6, np.random.default_rng(1), 4)


def test_the_comparison_function_by_hand():
    assert_allclose(h_max(np.pi / 4, 1.0), np.pi / 4)  # cot 45° = 1
    assert_allclose(h_max(np.pi / 8, 4.0), np.pi / 4)
    assert_allclose(h_max([0.0, 5.0], -1.0), 1.0)
    assert h_max(0.0, 1.0) == 1.0


def test_limits_of_the_radius():
    limits = [radius_limit(m) for m in (Sphere(2), Kendall(50), Kendall(3), SPD(3))]
    assert_allclose(limits, [np.pi / 4, np.pi / 8, np.pi / 8, np.inf])


@pytest.mark.parametrize("r", [0.0, -1.0, np.nan, np.inf, np.pi / 8])
def test_radii_off_limits_are_refused(r):
    with pytest.raises(RefusedRelease, match="radius r"):
        check_radius(Kendall(10), r)


def test_the_refusal_names_the_limit():
    with pytest.raises(RefusedRelease, match=r"below the limit 0\.785398"):
        check_radius(Sphere(2), 0.8)


def test_matrices_take_any_finite_radius():
    check_radius(SPD(3), 40.0)


each = pytest.mark.parametrize("manifold", spaces.ALL, ids=str)


@each
def test_the_gradient_vanishes(manifold):
    data = spaces.cloud(manifold, np.random.default_rng(0), 30, 0.38)
    mean = frechet.mean(manifold, data)
    log_sum = manifold.log(mean.point, data).mean(axis=0)
    assert mean.residual <= frechet.TOLERANCE
    assert manifold.norm(mean.point, log_sum) < 2 * frechet.TOLERANCE


@each
def test_two_points_have_their_midpoint(manifold):
    x, y = spaces.cloud(manifold, np.random.default_rng(1), 2, 0.38)
    middle = manifold.exp(x, manifold.log(x, y) / 2)
    assert manifold.dist(frechet.mean(manifold, np.stack([x, y])).point, middle) < tolerances.ROUND_TRIP


def test_commuting_matrices_have_their_geometric_mean():
    logs = np.random.default_rng(2).normal(size=(9, 3))
    data = np.exp(logs)[..., None] * np.eye(3)
    expected = np.diag(np.exp(logs.mean(axis=0)))
    assert_allclose(frechet.mean(SPD(3), data).point, expected, rtol=0, atol=tolerances.ROUND_TRIP)


@each
def test_many_data_sets_at_once_are_each_on_their_own(manifold):
    rng = np.random.default_rng(3)
    data = np.stack([spaces.cloud(manifold, rng, 8, 0.2 + 0.05 * i) for i in range(3)])
    together = frechet.mean(manifold, data)
    for one, point in zip(data, together.point, strict=True):
        assert manifold.dist(frechet.mean(manifold, one).point, point) < tolerances.ROUND_TRIP
    assert together.residual.shape == (3,)


def test_the_start_does_not_matter():
    data = spaces.cloud(Sphere(2), np.random.default_rng(4), 20, 0.7)
    first, second = frechet.mean(Sphere(2), data), frechet.mean(Sphere(2), data, start=data[3])
    assert Sphere(2).dist(first.point, second.point) < tolerances.ROUND_TRIP


def test_spread_matrices_converge():
    rng = np.random.default_rng(5)
    data = SPD(3).random_point(rng, 200) * np.exp(2 * rng.normal(size=(200, 1, 1)))
    assert frechet.mean(SPD(3), data, tol=1e-10).residual <= 1e-10


def test_the_mean_of_muscle_covariances_is_geomstats(shared_data):
    """2,400 matrices 8 x 8 with condition numbers up to 230, and the mean that geomstats found."""
    data = np.load(shared_data / "spd" / "emg_covariances.npz")
    mean = frechet.mean(SPD(8), data["C"]).point
    assert SPD(8).dist(mean, data["karcher_mean"]) < tolerances.GEOMSTATS
    assert_allclose(SPD(8).dist(mean, data["C"]), data["airm_dist"], rtol=0, atol=tolerances.GEOMSTATS)


def test_an_iteration_that_stops_short_carries_its_iterate():
    data = spaces.cloud(Sphere(2), np.random.default_rng(6), 20, 0.7)
    with pytest.raises(NotConverged, match="gradient") as caught:
        frechet.mean(Sphere(2), data, start=data[0], max_steps=1)
    assert_allclose(np.linalg.norm(caught.value.iterate), 1.0)


def test_nan_is_rejected():
    with pytest.raises(Rejected, match="finite"):
        frechet.mean(Sphere(2), np.array([[np.nan, 0, 1], [0, 0, 1]]))
