"""A cohort unlike the public set is told from its release; one like it hardly ever is."""

import numpy as np
import pytest
from scipy.special import chdtri

from library.privacy.learned import people
from shapedp.privacy import integer_sums
from shapedp.privacy.curves import bounds, learned
from shapedp.privacy.noise import SeededNoise
from shapedp.releases import curve_mechanisms

KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
VARIATION = people.variation(count=120)


def told(crowd, mu=1.0, seed=1):
    """What a release of these people says."""
    n = len(crowd)
    made = curve_mechanisms.make("shaped", people.SHAPE, n, VARIATION, people.center(), {"mu_total": mu}, KERNEL)
    return made.differs_from_public_set(
        made.noised_mean(integer_sums.sum_people(made, people.reading(crowd), n), SeededNoise(seed))[0]
    )


def bump(height):
    """(J, 3, m) a bump of so many units at one side of the face."""
    j, k = np.arange(people.SHAPE[0])[:, None], np.arange(people.SHAPE[2])
    hill = height * np.exp(-(((j - 5) / 1.5) ** 2) - ((k - 4) / 2) ** 2)
    return np.stack([0 * hill, 0 * hill, hill], axis=1)


def test_a_bump_in_everybody_is_told_at_a_thousand_people():
    """5 mm on a face whose unit is 200 mm."""
    assert told(people.draw(1000, 50) + bump(5 / 200)) is True


@pytest.mark.slow
def test_cohorts_like_the_public_set_are_left_alone():
    """Of 60 such cohorts one lay above the threshold without the slack, by 2 %."""
    assert [told(people.draw(1000, 300 + seed), seed=seed) for seed in range(8)] == 8 * [False]


def test_degrees_of_freedom_by_hand():
    """Alone each counts; four that are one count once; half noise, half one: 16/(4 + 12/4)."""
    alone = np.kron(np.eye(4), [[1.0], [-1.0]])
    assert learned.degrees_of_freedom(alone, np.ones(4)) == pytest.approx(4)
    as_one = np.outer([1.0, -1.0, 2.0, -2.0], [1.0, 2.0, 3.0, 4.0])
    assert learned.degrees_of_freedom(as_one, np.ones(4)) == pytest.approx(1)
    assert learned.degrees_of_freedom(as_one, np.full(4, np.sqrt(0.5))) == pytest.approx(16 / 7)


def test_the_sum_of_what_moves_together_exceeds_its_threshold_as_rarely_as_is_said():
    rng, mix = np.random.default_rng(2), np.random.default_rng(1).standard_normal((5, 40))
    mix /= np.linalg.norm(mix, axis=0)
    degrees = learned.degrees_of_freedom(rng.standard_normal((4000, 5)) @ mix, np.ones(40))
    sums = np.mean((rng.standard_normal((20_000, 5)) @ mix) ** 2, axis=1)
    assert np.mean(sums > chdtri(degrees, 0.01) / degrees) == pytest.approx(0.01, abs=0.006)
    assert np.mean(sums > chdtri(40, 0.01) / 40) > 0.05


def test_a_bump_within_the_noise_is_not_told():
    assert told(people.draw(1000, 50) + bump(1e-6)) is False


def test_without_harmonics_a_mean_that_lies_off_along_modes_is_told():
    """200 people at mu = 1 pay for modes alone here; by two standard deviations along the first, and by none."""
    away = 2 * np.sqrt(people.VARIANCES[0])
    assert told(people.draw(200, 50, shift=away)) is True
    assert [told(people.draw(200, 50 + seed), seed=seed) for seed in range(6)] == 6 * [False]
    assert told(people.draw(200, 50) + bump(1e-6)) is False


def test_errors_that_are_known_roughly_raise_no_more_alarms_once_that_is_counted():
    """Of releases whose squared errors are a chi-square of 40 degrees off, noise far above chance; level .02."""
    made = curve_mechanisms.make("shaped", people.SHAPE, 1000, VARIATION, people.center(), {"mu_total": 1.0}, KERNEL)
    rng, count = np.random.default_rng(6), len(made.plan.axes)
    noise = np.full(count, 100 * np.sqrt(VARIATION.moments.max()))
    told = np.zeros((800, 2), dtype=bool)
    for draw in range(len(told)):
        released = noise * np.sqrt(rng.chisquare(40) / 40) * rng.standard_normal(count)
        for place, known in enumerate((np.inf, 40.0)):
            told[draw, place] = learned.differs_from_public(
                VARIATION, made.plan, 1000, released, noise, level=0.02, known=known
            )
    exact, counted = told.mean(axis=0)
    assert exact > 0.04 and 0.005 < counted < 0.04


def test_other_mechanisms_cannot_tell():
    limits = bounds.from_numbers([0.02, 0.03, 0.04], people.SHAPE[0])
    made = curve_mechanisms.make("matched_joint", people.SHAPE, 10, limits, people.center(), {"mu_total": 1.0}, KERNEL)
    assert made.differs_from_public_set(people.center()) is None
