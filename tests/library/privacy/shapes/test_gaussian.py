"""The Gaussian mechanism in a tangent space."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tolerances
from library.privacy.manifolds import spaces
from shapedp.base.errors import RefusedRelease
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.shapes import gaussian

each = pytest.mark.parametrize("manifold", spaces.ALL, ids=str)


def draw(manifold, points, p0, r, mu, noised):
    """One release: noised(values, sd) adds noise of standard deviation sd to each of the values (dim,)."""
    mean = gaussian.clipped_coordinates(manifold, points, p0, r).mean(axis=0)
    return gaussian.to_manifold(manifold, p0, noised(mean, gaussian.standard_deviation(r, len(points), mu)))


def silent(values, sd):
    return values


@each
def test_coordinates_are_the_logs_within_r_and_clipped_beyond(manifold):
    p0, rng = spaces.center(manifold), np.random.default_rng(0)
    t = np.array([0.1, 0.2, 0.5, 1.0])
    u = manifold.random_tangent(p0, rng, 4)
    c = gaussian.clipped_coordinates(manifold, manifold.exp(p0, manifold.spread(t) * u), p0, 0.3)
    assert_allclose(np.linalg.norm(c, axis=1), np.minimum(t, 0.3), rtol=0, atol=tolerances.ROUND_TRIP)
    assert (np.linalg.norm(c, axis=1) <= 0.3).all()
    ends = gaussian.to_manifold(manifold, p0, c)
    assert manifold.dist(ends, manifold.exp(p0, manifold.spread(np.minimum(t, 0.3)) * u)).max() < tolerances.ROUND_TRIP


def test_one_record_moves_the_mean_by_at_most_2r_over_n():
    manifold, p0 = Kendall(8), spaces.center(Kendall(8))
    rng = np.random.default_rng(1)
    points = manifold.random_point(rng, (200, 6))
    first, second = (
        np.stack([gaussian.clipped_coordinates(manifold, s[rows], p0, 0.4).mean(axis=0) for s in points])
        for rows in ([0, 1, 2, 3, 4], [0, 1, 2, 3, 5])
    )
    assert np.linalg.norm(first - second, axis=1).max() <= 2 * 0.4 / 5


def test_the_noise_is_asked_for_with_its_standard_deviation():
    manifold, p0 = Sphere(2), np.array([0.0, 0.0, 1.0])
    asked = []
    points = manifold.exp(p0, np.array([[0.1, 0, 0], [0, 0.2, 0]]))
    draw(manifold, points, p0, 0.3, 0.5, lambda values, sd: asked.append((values.shape, sd)) or values)
    assert asked == [((2,), 2 * 0.3 / (2 * 0.5))]


def test_without_noise_it_is_near_the_frechet_mean():
    """Within (1 - 2s cot 2s) ρ(p0, mean), s the largest distance to p0; below docs/mathematics.md, (7.4)."""
    manifold, s = Kendall(10), 0.15
    points = spaces.cloud(manifold, np.random.default_rng(2), 50, s)
    p0 = manifold.exp(spaces.center(manifold), 0.02 * manifold.tangent_basis(spaces.center(manifold))[0])
    released = draw(manifold, points, p0, 0.5, 1.0, silent)
    mean = frechet.mean(manifold, points).point
    reach = manifold.dist(p0, points).max()
    assert manifold.dist(released, mean) <= (1 - 2 * reach / np.tan(2 * reach)) * manifold.dist(p0, mean)


def test_refusals():
    p0 = np.array([0.0, 0.0, 1.0])
    with pytest.raises(RefusedRelease, match=r"below 3\.14159"):
        gaussian.clipped_coordinates(Sphere(2), np.eye(3), p0, 3.2)
    with pytest.raises(RefusedRelease, match="mu"):
        gaussian.standard_deviation(0.3, 10, 0.0)
