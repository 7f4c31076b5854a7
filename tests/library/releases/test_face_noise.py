"""The noise that a release states at every point is the noise that its mechanism bears, and its draws repeat."""

import numpy as np
import pytest

from library.mechanisms.shaped import people
from shapedp.mechanisms import bounds, curve_mechanisms
from shapedp.releases import face_noise

KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
CROWD = people.draw(30, 9)
RANGED = bounds.from_population(people.reading(CROWD), 30, people.center(), 0.9, 1.2, "a public set", True)
VARIATION = people.variation()


def made(name):
    limits = VARIATION if name == "shaped" else RANGED
    return curve_mechanisms.make(name, people.SHAPE, 50, limits, people.center(), {"mu_total": 1.0}, KERNEL)


@pytest.mark.parametrize("name", ["shaped", "matched", "pointwise"])
def test_simulated_noise_is_as_large_as_stated_at_every_point(name):
    """400 draws: at each point a chi-square; 240 points within 35 % of their variance, and all together within 5 %."""
    mechanism, rng = made(name), np.random.default_rng(2)
    drawn = np.array([mechanism.simulated(rng) for _ in range(400)])
    found = np.mean(np.sum(drawn**2, axis=2), axis=0)
    stated = np.square(face_noise.fields(mechanism, people.center(), 1.0)["noise_mm"])
    assert found == pytest.approx(stated, rel=0.35)
    assert found.mean() == pytest.approx(stated.mean(), rel=0.05)


def test_lengths_are_in_mm_and_agree_with_the_mean_of_each_curve():
    found = face_noise.fields(made("shaped"), people.center(), 200.0)
    by_curve = np.sqrt(np.mean(found["noise_mm"] ** 2, axis=1))
    assert by_curve == pytest.approx(200 * np.linalg.norm(found["noise_sd"], axis=1))


def test_draws_lie_about_the_release_and_repeat():
    release = people.center() + 0.1
    first, again = (face_noise.fields(made("shaped"), release, 1.0)["noise_draws"] for _ in range(2))
    assert np.array_equal(first, again)
    assert len({one.tobytes() for one in first}) == face_noise.DRAWS
    assert np.abs(first - release).max() < 6 * np.sqrt(made("shaped").point_variances().max())


def test_what_is_withheld_says_nothing():
    found = face_noise.withheld(face_noise.fields(made("pointwise"), people.center(), 1.0))
    assert all(np.isnan(value).all() for value in found.values())
