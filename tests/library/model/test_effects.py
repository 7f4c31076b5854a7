"""Effects of covariates from noised moments: exact without noise, and intervals that hold what they promise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from shapedp.mechanisms import noise
from shapedp.mechanisms.moments import Moments
from shapedp.model import effects

Q, LEADING, N = 12, 8, 1000
SD = 0.3 / np.sqrt(1.0 + np.arange(Q))
VARIANCES = SD**2


def people(rng, n, coefficients):
    """(u, a) of n people: a uniform on [-1, 1] and a level of two, u = B'z + noise."""
    a = np.column_stack([rng.uniform(-1, 1, n), np.where(rng.random(n) < 0.5, 1.0, -1.0)])
    z = np.column_stack([np.ones(n), a])
    return z @ coefficients + rng.normal(size=(n, Q)) * SD, a


@pytest.fixture
def truth():
    return np.random.default_rng(2).normal(size=(3, Q)) * np.array([[0.5], [0.4], [0.6]]) * SD


def moments(n=N, mu=1.0):
    return Moments(n, Q, LEADING, 1.5, np.ones(2), mu, np.array([0.5, 0.3, 0.2]))


def fitted(of, u, a, source):
    return effects.fit(*of.draw(of.sums(u, a), source), of.noise, of.n, VARIANCES)


class NoNoise:
    """The sums as they are."""

    def gaussian_integers(self, values, scale, sensitivity):
        return np.asarray(values, dtype=np.int64), 0.0


def test_without_noise_it_is_least_squares(truth):
    u, a = people(np.random.default_rng(1), N, truth)
    z = np.column_stack([np.ones(N), a])
    found = fitted(moments(), u, a, NoNoise())
    assert_allclose(found.coefficients, np.linalg.lstsq(z, u, rcond=None)[0], atol=2e-3 * SD[0])


@pytest.mark.slow
@pytest.mark.parametrize("contrast", [[1, 0, 0], [0, 1, 0], [0, 0, 2], [1, 0.5, -1]])
def test_the_noise_covariance_is_that_of_many_releases(truth, contrast):
    of, contrast = moments(), np.array(contrast, dtype=float)
    u, a = people(np.random.default_rng(1), N, truth)
    sums, source = of.sums(u, a), noise.SeededNoise(3)
    drawn = [effects.fit(*of.draw(sums, source), of.noise, N, VARIANCES).at(contrast) for _ in range(3000)]
    stated = fitted(of, u, a, NoNoise()).noise_covariance(contrast)
    assert_allclose(np.var(drawn, axis=0), np.diag(stated), rtol=0.12)
    assert_allclose(np.cov(np.array(drawn).T), stated, atol=0.08 * stated.max())


@pytest.mark.slow
def test_intervals_cover_the_population_in_95_of_100_releases(truth):
    """Over new people and new noise each time: 93 to 98 %."""
    of, source, rng = moments(), noise.SeededNoise(5), np.random.default_rng(6)
    contrasts = np.array([[0, 1, 0], [0, 0, 2], [1, 0.5, 1]], dtype=float)
    inside = []
    for _ in range(500):
        found = fitted(of, *people(rng, N, truth), source)
        for contrast in contrasts:
            half = norm.ppf(0.975) * np.sqrt(np.diag(found.covariance(contrast)))
            inside.append(np.abs(found.at(contrast) - contrast @ truth) <= half)
    share = np.mean(inside, axis=0)
    assert 0.93 <= share.mean() <= 0.98, f"coverage {share.mean():.3f}"
