"""Exact Laplace draws against their laws, and what is refused. KS level: `laws.ALPHA`, 100,000 draws."""

import numpy as np
import pytest
from scipy import stats

from library.privacy import laws
from shapedp.base.errors import RefusedRelease, Rejected
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.samplers import laplace

DRAWS = 100_000


@pytest.fixture
def rng():
    return np.random.default_rng(20260606)


def directions(manifold, mean, draws):
    """Coordinates of the unit directions from the mean to the draws, in an orthonormal basis."""
    v = manifold.log(mean, draws)
    u = v / manifold.spread(manifold.norm(mean, v))
    return np.stack([manifold.inner(mean, b, u) for b in manifold.tangent_basis(mean)[:2]], axis=-1)


@pytest.mark.parametrize("sigma", [0.01, 0.5])
@pytest.mark.parametrize("d", [2, 5])
def test_sphere(d, sigma, rng):
    manifold = Sphere(d)
    mean = manifold.random_point(rng)
    draws = laplace.sample(manifold, mean, sigma, rng, DRAWS)
    t = np.linspace(0, min(np.pi, 60 * sigma), 20_001)
    assert laws.fits(manifold.dist(mean, draws), t, np.exp(-t / sigma) * np.sin(t) ** (d - 1))
    # a coordinate of a uniform direction in R^d: its square is Beta(1/2, (d - 1)/2)
    c = directions(manifold, mean, draws)[:, 0]
    assert stats.kstest(c**2, stats.beta(0.5, (d - 1) / 2).cdf).pvalue > laws.ALPHA
    assert stats.binomtest(int((c > 0).sum()), DRAWS).pvalue > laws.ALPHA


@pytest.mark.slow
@pytest.mark.parametrize(("k", "sigma"), [(5, 0.02), (5, 0.5), (50, 0.001)])
def test_shapes(k, sigma, rng):
    """CP^3 and CP^48."""
    manifold, m = Kendall(k), k - 2
    mean = manifold.random_point(rng)
    draws = laplace.sample(manifold, mean, sigma, rng, DRAWS)
    t = np.linspace(0, min(np.pi / 2, 400 * sigma), 20_001)[1:-1]
    density = np.exp(-t / sigma + (2 * m - 1) * np.log(np.sin(t))) * np.cos(t)
    assert laws.fits(manifold.dist(mean, draws), t, density / density.max())
    c = directions(manifold, mean, draws)[:, 0]
    assert stats.kstest(c**2, stats.beta(0.5, m - 0.5).cdf).pvalue > laws.ALPHA


@pytest.mark.slow
@pytest.mark.parametrize(("k", "sigma"), [(2, 0.1), (2, 0.6), (3, 0.1), (3, 0.3)])
def test_matrices(k, sigma, rng):
    """Length and trace of the whitened log, whose eigenvalues have density exp(-|l|/σ) prod sinh(|l_i - l_j|/2)."""
    manifold = SPD(k)
    mean = manifold.random_point(rng)
    draws = laplace.sample(manifold, mean, sigma, rng, DRAWS)
    eigen, volume = laws.spd_eigenvalue_grid(k, 30 / (1 / sigma - manifold.growth))
    t = np.linalg.norm(eigen, axis=1)
    weights = np.exp(-t / sigma) * laws.weyl(eigen) * volume
    assert laws.fits_weights(manifold.dist(mean, draws), t, weights)
    trace = np.linalg.slogdet(draws)[1] - np.linalg.slogdet(mean)[1]
    assert laws.fits_weights(trace, eigen.sum(axis=1), weights)


@pytest.mark.slow
def test_restricted_to_a_ball_where_the_whole_space_has_no_law(rng):
    manifold, sigma, r = SPD(2), 3.0, 1.0
    draws = laplace.sample(manifold, np.eye(2), sigma, rng, DRAWS, ball=(np.eye(2), r))
    eigen, volume = laws.spd_eigenvalue_grid(2, r)
    t = np.linalg.norm(eigen, axis=1)
    assert laws.fits_weights(manifold.dist(np.eye(2), draws), t, np.exp(-t / sigma) * laws.weyl(eigen) * volume)


def test_a_scale_five_percent_off_is_seen(rng):
    """The tests above can fail: draws at 1.05 σ do not pass for σ."""
    draws = laplace.sample(Sphere(2), np.array([0.0, 0.0, 1.0]), 0.105, rng, DRAWS)
    t = np.linspace(0, np.pi, 20_001)
    assert not laws.fits(Sphere(2).dist(np.array([0.0, 0.0, 1.0]), draws), t, np.exp(-t / 0.1) * np.sin(t))


def test_many_means_at_once(rng):
    manifold = Sphere(2)
    means = manifold.random_point(rng, (3, 4))
    draws = laplace.sample(manifold, means, 1e-6, rng, 2)
    assert draws.shape == (3, 4, 2, 3)
    assert manifold.dist(means[:, :, None], draws).max() < 1e-4


def test_release_moves_records_into_the_ball_and_counts_them(rng):
    manifold, p0 = Sphere(2), np.array([0.0, 0.0, 1.0])
    points = manifold.exp(p0, np.linspace(0.05, 1, 10)[:, None] * manifold.random_tangent(p0, rng, 10))
    released = laws.laplace_release(manifold, points, p0, 0.5, 1.0, rng, 3)
    assert released.points.shape == (3, 3)
    assert released.outside.sum() == 5
    assert manifold.dist(p0, released.mean.point) < 0.5


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"epsilon": 0.0}, RefusedRelease, "epsilon"),
        ({"epsilon": np.nan}, RefusedRelease, "epsilon"),
        ({"r": 0.8}, RefusedRelease, "limit 0.785398"),
        ({"points": np.eye(3)[:1]}, RefusedRelease, "at least 2"),
        ({"points": np.full((4, 3), np.nan)}, Rejected, "finite"),
        ({"points": np.eye(4)}, RefusedRelease, "shape"),
        ({"points": 2 * np.eye(3)}, RefusedRelease, "project"),
    ],
)
def test_refusals_come_before_any_noise(change, error, words):
    settings = {"points": np.eye(3), "p0": np.array([0.0, 0.0, 1.0]), "r": 0.5, "epsilon": 1.0, "rng": None} | change
    with pytest.raises(error, match=words):
        laws.laplace_release(Sphere(2), **settings)


def test_a_diverging_normaliser_is_refused():
    points = np.stack([np.eye(3), 2 * np.eye(3)])
    with pytest.raises(RefusedRelease, match="no finite integral"):
        laws.laplace_release(SPD(3), points, np.eye(3), 1.5, 1.0, None)
