"""What is learned of a population that is known: its directions, its held-out moments, and that nobody is in both."""

from dataclasses import replace

import numpy as np
import pytest

from library.privacy.learned import people
from shapedp.base.errors import RefusedRelease
from shapedp.privacy.learned import face_learning


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
    found = face_learning.learn(people.reading(noise), 40, np.zeros(people.SHAPE), 5, 0)
    fitted = np.mean(products(noise, found.modes) ** 2, axis=0)
    held_out = np.mean(found.held_out**2, axis=0)
    assert held_out.mean() == pytest.approx(1 / np.prod(people.SHAPE[::2]), rel=0.4), "a unit vector's share of noise"
    assert fitted.mean() > 5 * held_out.mean()


def test_squared_lengths_add_up():
    crowd = people.draw(50, 2)
    found = face_learning.learn(people.reading(crowd), 50, people.center(), 6, 5)
    away = crowd[:10] - people.center()
    expected = np.mean(np.sum(away**2, axis=2), axis=(1, 2))
    assert np.sum(found.held_out[:10] ** 2, axis=1) + found.outside[:10] == pytest.approx(expected, rel=0.01)


def test_people_beyond_the_fitted_ones_are_measured_too(monkeypatch):
    monkeypatch.setattr(face_learning, "FITTED", 40)
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
    found = face_learning.learn(people.reading(crowd), 12, np.zeros((6, 3, 20)), 5, 120)
    assert len(found.frequencies) == 3 * 120 // 10


def own_and_drawn(own, drawn):
    """People of whom the first differ along other directions than the rest."""
    x, y = people.draw(own, 5) - people.center(), people.draw(drawn, 6) - people.center()
    turned = np.roll(people.directions(), 3, axis=0)[::-1]
    return people.center() + np.concatenate([np.tensordot(products(x, turned), people.directions(), axes=1), y])


def test_own_public_people_count_as_often_as_explains_those_held_out():
    crowd = own_and_drawn(10, 60)
    alike = people.draw(70, 7)
    rows = [(one - people.center()).reshape(70, -1) for one in (crowd, alike)]
    assert face_learning.choose_own_weight(rows[0] @ rows[0].T, 10, 3) > 4
    assert face_learning.choose_own_weight(rows[0] @ rows[0].T, 0, 3) == 1
    assert face_learning.choose_own_weight(rows[0] @ rows[0].T, 70, 3) == 1, "nobody is drawn"
    found = face_learning.learn(people.reading(crowd), 70, people.center(), 3, 0, own=10)
    times = face_learning.choose_own_weight(rows[0] @ rows[0].T, 10, 3)
    assert len(found.held_out) == 10 * times + 60
    known = people.variation()
    assert replace(known, held_out=np.repeat(known.held_out, 3, axis=0)).people == known.people == 60


def test_own_people_who_count_once_change_nothing(monkeypatch):
    monkeypatch.setattr(face_learning, "WEIGHTS", (1,))
    crowd = own_and_drawn(10, 60)
    plain, own = (face_learning.learn(people.reading(crowd), 70, people.center(), 5, 4, own=many) for many in (0, 10))
    for name in ("modes", "harmonics", "held_out", "outside", "mean"):
        assert np.array_equal(getattr(plain, name), getattr(own, name)), name


@pytest.mark.parametrize("ways", [3, 40])
def test_modes_from_products_are_the_principal_directions_and_orthonormal_where_people_vary_in_few_ways(ways):
    rng = np.random.default_rng(5)
    people = (rng.standard_normal((20, ways)) * 0.7 ** np.arange(ways)) @ rng.standard_normal((ways, 9000))
    people = people.astype(np.float32)
    found = face_learning._fit(people, face_learning._products(people, people), 8)
    np.testing.assert_allclose(found @ found.T, np.eye(8), atol=1e-5)
    known = min(ways, 8)
    wanted = np.linalg.svd(people.astype(float), full_matrices=False)[2][:known]
    np.testing.assert_allclose(np.abs((found[:known] * wanted).sum(axis=1)), 1, atol=1e-5)
