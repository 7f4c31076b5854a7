"""The private mean of points of any manifold: its sensitivity, its independence of records, its law."""

import numpy as np
import pytest

from library.toys import Flat
from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.manifolds import SPD, Kendall, Manifold, Sphere, frechet_mean
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.manifolds.projective import shape_of
from shapedp.privacy.points import PointMean, explain_no_point

RNG = np.random.default_rng(5)
SPACES = {
    "sphere": (Sphere(2), np.array([0.0, 0.0, 1.0]), 0.8),
    "spd": (SPD(3), np.eye(3), 1.5),
    "kendall": (Kendall(5), shape_of(np.exp(2j * np.pi * np.arange(5) / 5)), 0.4),
    "own": (Flat(4), np.zeros(4), 2.0),
}


def near(manifold, center, r, n, rng=RNG):
    """(n, *point) points within r of the center."""
    v = manifold.random_tangent(center, rng, n)
    return manifold.exp(center, v * manifold.spread(r * rng.random(n)))


def mechanism(name, n=40, mu=1.0):
    manifold, center, r = SPACES[name]
    made = PointMean(manifold, center, r, n, {"mu_total": mu})
    made.check()
    return made


@pytest.mark.parametrize("name", SPACES)
def test_one_replaced_point_moves_the_sum_by_at_most_twice_the_bound(name):
    manifold, center, r = SPACES[name]
    made, rim = mechanism(name), manifold.random_tangent(center, RNG) * r
    far = np.stack([manifold.exp(center, rim), manifold.exp(center, -rim)])
    whole = made.integers(far)
    moved = np.linalg.norm((whole[0] - whole[1]).astype(float))
    assert moved <= integer_sums.SENSITIVITY
    assert moved == pytest.approx(integer_sums.SENSITIVITY, rel=1e-6), "and by as much, for points opposite each other"


@pytest.mark.parametrize("name", SPACES)
def test_a_point_counts_the_same_alone_and_among_others(name):
    manifold, center, r = SPACES[name]
    made, points = mechanism(name), near(manifold, center, 1.2 * r, 7)
    together = made.integers(points)
    assert all((made.integers(points[row : row + 1])[0] == together[row]).all() for row in range(7))


class Leaky(Flat):
    """A manifold whose logarithm of many points depends on all of them, and that fails on a large one."""

    def log(self, x, y):
        if np.any(np.abs(y) > 1e6):
            raise ZeroDivisionError("too large")
        return (y - x) / max(1.0, np.abs(y).max())


def test_no_record_sees_another_even_where_the_class_mixes_them_and_a_failure_counts_as_the_center():
    made = PointMean(Leaky(2), np.zeros(2), 1.0, 3, {"mu_total": 1.0})
    rows = np.array([[0.3, 0.4], [0.1, 0.0], [1e7, 0.0]])
    alone = made.integers(rows[:1])
    assert (made.integers(rows)[0] == alone[0]).all()
    assert (made.integers(rows)[2] == 0).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 7.0])
def test_what_is_no_point_counts_as_the_center(bad):
    made = mechanism("sphere")
    assert (made.integers(np.full((1, 3), bad)) == 0).all()
    assert explain_no_point(Sphere(2), np.full(3, bad)) and not explain_no_point(Sphere(2), np.array([0.0, 1.0, 0.0]))


@pytest.mark.parametrize("name", ["sphere", "spd", "kendall"])
def test_with_hardly_any_noise_the_mean_is_near_the_frechet_mean(name):
    manifold, center, r = SPACES[name]
    points = near(manifold, center, 0.3 * r, 40)
    drawn = mechanism(name, mu=1e6).draw(points, noise.SeededNoise(1))
    assert manifold.dist(drawn, frechet_mean(manifold, points)) < 0.02 * r


def test_the_noise_has_the_stated_size():
    made = mechanism("own", n=10)
    drawn = np.array([made.draw(np.zeros((10, 4)), noise.SeededNoise(at)) for at in range(400)])
    assert drawn.std() == pytest.approx(made.noise_sd, rel=0.06)
    assert made.noise_sd == 2 * 2.0 / 10


def test_a_manifold_lacking_members_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        type("Half", (Manifold,), {"exp": lambda *_: None})()


@pytest.mark.parametrize(
    ("center", "r", "error"),
    [(np.zeros(3), 0.5, ConfigError), (np.ones(2), 0.5, ConfigError), (np.array([0.0, 0.0, 1.0]), 4.0, RefusedRelease)],
)
def test_a_center_that_is_no_point_and_a_ball_beyond_the_cut_locus_are_refused(center, r, error):
    with pytest.raises(error):
        PointMean(Sphere(2), center, r, 10, {"mu_total": 1.0}).check()


def test_a_basis_that_is_not_orthonormal_is_refused():
    crooked = type("Crooked", (Flat,), {"tangent_basis": lambda self, x: 2 * np.eye(self.d)})(3)
    with pytest.raises(RefusedRelease, match="orthonormal"):
        PointMean(crooked, np.zeros(3), 1.0, 10, {"mu_total": 1.0}).check()
