"""Modes from noised moments: the truth without noise, and nothing shown where there is only noise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.privacy import noise
from shapedp.privacy.integer_sums import Moments
from shapedp.releases.model import modes

Q, LEADING = 20, 10
BACK = 1.0 / np.sqrt(1.0 + np.arange(LEADING))
PUBLIC = np.full(LEADING, 0.01)  # variances of public people's u


def released(n, mu, u, source, shares=(0.4, 0.0, 0.6)):
    of = Moments(n, Q, LEADING, 1.0, np.zeros(0), mu, np.array(shares))
    m1, _, m3 = of.draw(of.sums(u, np.zeros((n, 0))), source)
    return modes.find_modes(m1, m3, of.noise, n, BACK, PUBLIC)


def test_with_little_noise_the_modes_are_the_principal_axes():
    n, rng = 50_000, np.random.default_rng(1)
    spread = np.array([0.3, 0.2, 0.15, 0.1, 0.05])
    turn = np.linalg.qr(rng.normal(size=(LEADING, LEADING)))[0][:5]
    u = np.zeros((n, Q))
    u[:, :LEADING] = (rng.normal(size=(n, 5)) * spread) @ turn / BACK
    u *= 0.2
    found = released(n, 1e4, u, noise.SeededNoise(2))
    surface = u[:, :LEADING] * BACK
    values = np.linalg.eigvalsh(np.cov(surface.T))[::-1][:5]
    assert found.shown == 5
    assert_allclose(found.sd[:5] ** 2, values, rtol=2e-3)
    axes = found.axes[:5] * BACK
    assert_allclose(axes @ axes.T, np.eye(5), atol=1e-9)
    assert_allclose(np.abs(np.einsum("ij,ij->i", axes, turn)), 1, atol=0.02)


@pytest.mark.slow
def test_a_mode_errs_by_the_noise_and_chance_that_are_stated():
    """Of a mode that stands alone, in 100 releases of other people; noise alone is half of it."""
    n, rng, source = 400, np.random.default_rng(5), noise.SeededNoise(6)
    u, drawn = np.zeros((n, Q)), []
    for _ in range(100):
        u[:, 0] = 0.2 * rng.normal(size=n)
        drawn.append(released(n, 8.0, u, source))
    errors, noise_alone = (np.mean([getattr(of, key)[0] for of in drawn]) for key in ("sd_errors", "sd_noise"))
    # the standard deviation of 100 is known to a fourteenth
    assert np.std([of.sd[0] for of in drawn]) == pytest.approx(errors, rel=3 / np.sqrt(200))
    assert noise_alone < 0.7 * errors


@pytest.mark.slow
@pytest.mark.parametrize("away", [0.0, 0.3])
def test_noise_alone_shows_a_mode_in_at_most_5_of_100_releases(away):
    """Of people who are all alike, at the reference or away from it; at .05, 18 of 200 in one of 100 runs."""
    source, people = noise.SeededNoise(3), np.zeros((100, Q))
    people[:, :LEADING] = away / np.sqrt(LEADING)
    shown = sum(released(100, 1.0, people, source).shown > 0 for _ in range(200))
    assert shown <= 18, f"{shown} of 200 releases of people who are alike show a mode"


@pytest.mark.slow
def test_most_of_what_the_widest_direction_owes_to_noise_and_chance_is_taken_off():
    """Of people who differ as much along each of all axes, noise and chance make some direction look the widest."""
    n, sd, rng, source = 400, 0.05, np.random.default_rng(8), noise.SeededNoise(9)
    stated, seen = [], []
    for _ in range(60):
        u = np.zeros((n, Q))
        u[:, :LEADING] = sd * rng.normal(size=(n, LEADING)) / BACK
        found = released(n, 6.0, u, source)
        widest = found.axes[0] * BACK
        stated.append(found.sd[0] / sd)
        seen.append(np.sqrt(widest @ found.covariance @ widest) / sd)
    # public people differ otherwise, so that not all of it is known
    assert np.mean(seen) > 1.15
    assert 0.95 < np.mean(stated) < 1 + 0.5 * (np.mean(seen) - 1)
