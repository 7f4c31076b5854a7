"""A center, a radius and a release from nothing public: each stage's sensitivity, and what they make together."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from shapedp.landmarks import outlines
from shapedp.privacy import integer_sums
from shapedp.privacy.accounting.cost import gaussian_of_pure
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.noise import SecureNoise, SeededNoise
from shapedp.privacy.shapes import private_center
from shapedp.privacy.shapes.base import Ball, as_real, polygon
from shapedp.privacy.shapes.private_center import RADII, PrivateCenter, counts_within
from shapedp.privacy.statistic import Rows

COHORT = outlines.population(300, 21)[0]


def made(n, k, outline, mu):
    """The mechanism for n records of k landmarks, which follow a contour or not."""
    return PrivateCenter(Ball(n, polygon(k), 1.0, 16 * outline, nothing_public=True), {"mu_total": mu})


@pytest.mark.parametrize("outline", [True, False])
def test_one_record_moves_the_moment_by_root_two_at_most_and_by_nearly_that(outline):
    basis = made(5, 50, outline, 1.0).basis
    turn = 2 * np.pi * np.arange(50) / 50
    waves = [np.stack([np.cos(f * turn), np.sin(f * turn)], -1) for f in (1, 2, 3)]  # one frequency each: orthogonal
    odd = [np.full((50, 2), np.nan), np.ones((50, 2)), 1e200 * COHORT[0]]
    rows = private_center.hermitian_rows(np.array([*waves, *odd, *COHORT[:20]]), basis).astype(float)
    apart = max(np.linalg.norm(a - b) for a in rows for b in rows)
    claimed = np.sqrt(2) * integer_sums.GRID + 2 * np.sqrt(rows.shape[1])
    assert 0.9999 * claimed < apart <= claimed


def test_coordinates_are_those_of_the_matrix():
    rng = np.random.default_rng(2)
    a = rng.normal(size=(4, 4)) + 1j * rng.normal(size=(4, 4))
    a = a + a.conj().T
    upper = np.triu_indices(4, 1)
    coordinates = np.concatenate([np.diag(a).real, np.sqrt(2) * a[upper].real, np.sqrt(2) * a[upper].imag])
    assert_allclose(private_center.hermitian(coordinates), a, atol=1e-14)
    assert np.linalg.norm(coordinates) == pytest.approx(np.linalg.norm(a))


def test_with_a_large_budget_the_center_is_the_mean():
    asked = private_center.Center(made(len(COHORT), 50, False, 1.0), 1e6)
    found = asked.noised(asked.sums(Rows.of(COHORT)), SeededNoise(3))
    assert landmark_shapes.dist(found, landmark_shapes.find_frechet_mean(COHORT)) < 0.002


def radius_law(distances, epsilon):
    """Probability of each radius by permute and flip, by quadrature: the largest of scores with exponential noise."""
    scores = (
        private_center.radius_scores(counts_within(distances), len(distances)) * epsilon / (2 * private_center.TENTHS)
    )
    noise = (np.arange(6000) + 0.5) * 0.01 + np.max(scores) - scores[:, None]  # of each, where it stands above the best
    below = np.log1p(-np.exp(-noise))
    weights = np.exp(below.sum(axis=0) - below - noise).sum(axis=1)
    return weights / weights.sum()


def test_the_radius_of_neighbours_keeps_epsilon():
    distances = np.linspace(0.01, 0.3, 60)
    moved = np.concatenate([distances[:-1], [1.5]]), np.concatenate([distances[1:], [0.001]])
    loss = [np.log(radius_law(distances, 0.8) / radius_law(one, 0.8)) for one in moved]
    assert 0.2 < np.abs(loss).max() <= 0.8
    likely = RADII[np.argmax(radius_law(distances, 0.8))]
    assert np.quantile(distances, 0.85) < likely < np.quantile(distances, 0.95)


def test_one_record_moves_a_score_by_what_is_said():
    distances = np.linspace(0.01, 0.3, 60)
    moved = np.concatenate([distances[:-1], [1.5]]), np.concatenate([distances[1:], [0.001]])
    apart = [
        private_center.radius_scores(counts_within(one), len(one))
        - private_center.radius_scores(counts_within(distances), len(distances))
        for one in moved
    ]
    assert np.abs(apart).max() == private_center.TENTHS


@pytest.mark.parametrize("source", [SecureNoise(), SeededNoise(6)])
def test_the_radius_follows_its_law(source):
    distances = np.linspace(0.05, 0.2, 12)
    scores = private_center.radius_scores(counts_within(distances), len(distances))
    drawn = np.array([source.noisy_max(scores, private_center.TENTHS, 1.5) for _ in range(3000)])
    counts, law = np.bincount(drawn, minlength=len(RADII)), radius_law(distances, 1.5)
    edges = np.searchsorted(np.cumsum(law), np.linspace(0.1, 0.9, 9))
    expected = [part.sum() * len(drawn) for part in np.split(law, edges)]
    seen = [part.sum() for part in np.split(counts, edges)]
    assert stats.chisquare(seen, expected).pvalue > 1e-3


def test_the_stages_compose_to_the_whole():
    center, epsilon, release = made(100, 50, True, 1.7).split
    assert np.sqrt(center**2 + gaussian_of_pure(epsilon) ** 2 + release**2) == pytest.approx(1.7)


def test_outlines_come_within_a_third_of_a_tenth_of_a_radian():
    asked, mean = made(len(COHORT), 50, True, 1.0), landmark_shapes.find_frechet_mean(COHORT)
    source = SeededNoise(4)
    assert np.mean([landmark_shapes.dist(mean, as_real(asked.draw(COHORT, source))) for _ in range(5)]) < 0.03


def test_any_records_give_a_shape():
    bad = np.full((30, 20, 2), np.nan)
    bad[0] = 1e300
    found = made(30, 20, False, 1.0).draw(bad, SeededNoise(5))
    assert np.isfinite(found).all() and np.linalg.norm(found) == pytest.approx(1)
