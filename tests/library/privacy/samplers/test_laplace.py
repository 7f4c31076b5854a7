"""Laplace noise in flat space: its law, its scales, and that the published scale falls short."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from library.privacy import laws
from shapedp.base.errors import RefusedRelease
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.samplers import laplace as flat

NORTH = np.array([0.0, 0.0, 1.0])


def test_length_and_direction_of_the_noise():
    draws = flat.flat_sample(np.array([1.0, 2.0, 3.0]), 0.5, np.random.default_rng(0), 50_000) - [1, 2, 3]
    length = np.linalg.norm(draws, axis=1)
    assert stats.kstest(length / 0.5, stats.gamma(3).cdf).pvalue > laws.ALPHA
    assert stats.kstest(draws[:, 1] / length, stats.uniform(-1, 2).cdf).pvalue > laws.ALPHA


def embed(manifold, x):
    """Coordinates in the flat space: unit vectors as they are; matrices by svec, an isometry of the Frobenius norm.

    svec : entries i <= j, those off the diagonal times √2
    """
    if isinstance(manifold, Sphere):
        return x
    i, j = np.triu_indices(manifold.k)
    return x[..., i, j] * np.where(i == j, 1.0, np.sqrt(2))


def test_matrices_are_embedded_isometrically():
    a = np.array([[2.0, 0.5], [0.5, 1.0]])
    assert_allclose(np.linalg.norm(embed(SPD(2), a)), np.linalg.norm(a))


def test_scales_by_hand():
    r = np.pi / 6
    arithmetic = flat.flat_scale(Sphere(2), flat.ARITHMETIC, NORTH, r, 10, 2.0)
    assert_allclose(arithmetic.sigma, 2 * 0.5 / 20)
    assert_allclose(flat.flat_scale(SPD(2), flat.ARITHMETIC, np.eye(2), np.log(3), 10, 1.0).sigma, 2 * 2 / 10)
    assert_allclose(flat.flat_scale(SPD(2), flat.FRECHET, np.eye(2), np.log(3), 10, 1.0).sigma, 3 * 2 * np.log(3) / 10)
    printed = flat.flat_scale(Sphere(2), flat.PUBLISHED, NORTH, r, 10, 2.0)
    assert_allclose(printed.sigma, 4 * np.sin(np.pi / 12) / 20)
    assert arithmetic.private
    assert not printed.private


def test_frechet_means_move_further_than_the_published_scale_allows():
    """P(2), r = 1.5: n times the move reaches 13.05, published 6.96 (docs/mathematics.md, (7.5))."""
    manifold, r, n = SPD(2), 1.5, 5
    ends = manifold.exp(np.eye(2), r * np.array([[[1.0, 0], [0, 0]], [[-1.0, 0], [0, 0]]]))
    means = [frechet.mean(manifold, ends[list(rows)]).point for rows in ((0, 0, 0, 0, 0), (0, 0, 0, 0, 1))]
    moved = np.linalg.norm(means[0] - means[1])
    assert moved > flat.flat_scale(manifold, flat.PUBLISHED, np.eye(2), r, n, 1.0).sensitivity
    assert moved <= flat.flat_scale(manifold, flat.FRECHET, np.eye(2), r, n, 1.0).sensitivity


@pytest.mark.parametrize("statistic", [flat.ARITHMETIC, flat.FRECHET])
@pytest.mark.parametrize(("manifold", "p0", "r"), [(Sphere(3), np.eye(4)[0], 0.6), (SPD(3), np.diag([1, 2, 0.5]), 1.0)])
def test_neighbours_stay_within_the_sensitivity(manifold, p0, r, statistic):
    rng, n = np.random.default_rng(1), 4
    points = manifold.exp(p0, r * (1 - 1e-9) * manifold.random_tangent(p0, rng, (300, n + 1)))
    statistics = [_statistic(manifold, points[:, rows], statistic) for rows in ([0, 1, 2, 3], [0, 1, 2, 4])]
    moved = np.linalg.norm(statistics[0] - statistics[1], axis=-1).max()
    assert moved <= flat.flat_scale(manifold, statistic, p0, r, n, 1.0).sensitivity


def _statistic(manifold, points, statistic):
    if statistic == flat.ARITHMETIC:
        return embed(manifold, points).mean(axis=1)
    return embed(manifold, frechet.mean(manifold, points).point)


def test_refusals():
    with pytest.raises(RefusedRelease, match="unknown"):
        flat.flat_scale(Sphere(2), "median", NORTH, 0.5, 10, 1.0)
    with pytest.raises(RefusedRelease, match="point-wise"):
        flat.flat_scale(Kendall(5), flat.ARITHMETIC, None, 0.1, 10, 1.0)
    with pytest.raises(RefusedRelease, match="epsilon"):
        flat.flat_scale(Sphere(2), flat.ARITHMETIC, NORTH, 0.5, 10, 0.0)
