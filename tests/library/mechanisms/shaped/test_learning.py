"""What is learned of a population that is known: its directions, its held-out moments, and that nobody is in both."""

import numpy as np
import pytest

from library.mechanisms.shaped import people
from shapedp.errors import RefusedRelease
from shapedp.mechanisms.shaped import learning


def products(one, other):
    points = people.SHAPE[0] * people.SHAPE[2]
    return one.reshape(len(one), -1) @ other.reshape(len(other), -1).T / points


def test_modes_and_harmonics_are_orthonormal():
    found = people.variation()
    axes = np.concatenate([found.modes, found.harmonics])
    gram = products(axes, axes)
    lengths = np.diag(gram)
    assert np.abs(lengths[: len(found.modes)] - 1).max() < 1e-4
    assert np.abs(lengths - 1).max() < 0.05
    assert np.abs(gram - np.diag(lengths)).max() < 0.02
    assert 0 < len(found.harmonics) < 30, "what the modes contain is left out"


def test_the_true_directions_lie_in_the_modes():
    found = people.variation(count=200)
    inside = products(people.directions(), found.modes)
    assert np.sum(inside**2, axis=1).min() > 0.99


def test_held_out_moments_are_those_of_the_population():
    found = people.variation(count=400)
    moments = np.mean(found.held_out**2, axis=0)
    assert moments[:6] == pytest.approx(people.VARIANCES, rel=0.35)
    assert moments[:6].sum() == pytest.approx(people.VARIANCES.sum(), rel=0.1)


def test_held_out_moments_are_not_those_of_the_fit():
    """In a population without structure, fitted moments of the first modes are several times too large."""
    noise = np.random.default_rng(0).standard_normal((40, *people.SHAPE))
    found = learning.learn(people.reading(noise), 40, np.zeros(people.SHAPE), 5, 0)
    fitted = np.mean(products(noise, found.modes) ** 2, axis=0)
    held_out = np.mean(found.held_out**2, axis=0)
    assert held_out.mean() == pytest.approx(1 / np.prod(people.SHAPE[::2]), rel=0.4), "a unit vector's share of noise"
    assert fitted.mean() > 5 * held_out.mean()


def test_squared_lengths_add_up():
    crowd = people.draw(50, 2)
    found = learning.learn(people.reading(crowd), 50, people.center(), 6, 5)
    away = crowd[:10] - people.center()
    expected = np.mean(np.sum(away**2, axis=2), axis=(1, 2))
    assert np.sum(found.held_out[:10] ** 2, axis=1) + found.outside[:10] == pytest.approx(expected, rel=0.01)


def test_people_beyond_the_fitted_ones_are_measured_too(monkeypatch):
    monkeypatch.setattr(learning, "FITTED", 40)
    found = people.variation(count=100)
    assert len(found.held_out) == 100
    mean = people.draw(100, 1).mean(axis=0) - people.center()
    points = people.SHAPE[0] * people.SHAPE[2]
    assert found.mean[:12] == pytest.approx(np.einsum("jcm,kjcm->k", mean, found.modes) / points, abs=1e-6)


@pytest.mark.slow
def test_the_same_people_give_the_same_modes():
    assert np.array_equal(people.variation().modes, people.variation().modes)


def test_axes_are_kept_in_single_precision():
    """Those of a scan's resolution take 130 MB so, and twice that in double."""
    found = people.variation()
    assert found.modes.dtype == found.harmonics.dtype == np.float32


def test_few_people_are_refused():
    with pytest.raises(RefusedRelease, match="at least 10 public faces, got 9"):
        people.variation(count=9)


def test_few_points_carry_few_harmonics():
    """On 6 x 20 points the slowest 120 functions are not independent."""
    crowd = np.random.default_rng(5).standard_normal((12, 6, 3, 20))
    found = learning.learn(people.reading(crowd), 12, np.zeros((6, 3, 20)), 5, 120)
    assert len(found.frequencies) == 3 * 120 // 10
