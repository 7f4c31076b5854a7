"""Whether a release is worth making: the quantile by another library, and what draws of a known population say."""

import numpy as np
import pytest
from scipy import stats

from library.privacy.learned import people
from shapedp.base.errors import RefusedRelease
from shapedp.privacy import worth
from shapedp.privacy.curves.learned import Shaped, plan_stages

SURE = worth.Worth(1.0, 100.0, 100.0, 8.0, 6.0, 40)


def made(variation, n, mu):
    _, rest, chosen = plan_stages(variation, n, mu)
    return Shaped.from_plan(variation, n, rest, chosen)


def test_a_release_must_gain_the_quantile_of_f_with_the_public_sets_degrees():
    assert SURE.needed == pytest.approx(stats.f.ppf(worth.LEVEL, 8, 6 * 39 / 40))
    few = worth.Worth(1.0, 100.0, 100.0, 8.0, 6.0, 2)
    assert few.needed > SURE.needed, "two public people leave more open"


@pytest.mark.parametrize(
    ("least", "most", "verdict"),
    [(100.0, 200.0, worth.WORTH), (1.2, 200.0, worth.OPEN), (0.5, 1.1, worth.OPEN), (0.5, 0.9, worth.NO_BETTER)],
)
def test_verdicts_by_hand(least, most, verdict):
    assert worth.Worth(1.0, least, most, 8.0, 6.0, 40).verdict == verdict


def test_without_a_public_set_nothing_is_called_worth_it():
    assert worth.Worth(1.0, 1e9, 1e9, 8.0, 6.0, np.inf).verdict == worth.OPEN


def test_degrees_by_hand():
    assert worth.degrees([2.0, 2.0, 2.0]) == pytest.approx(3)
    assert worth.degrees([1.0, 0.0]) == pytest.approx(1)


def test_a_reference_of_its_own_may_be_everybodys_mean_but_for_what_is_beyond_chance():
    spread = np.array([4.0, 4.0])
    assert worth.offset(np.array([0.0, 9.0]), spread, 8, is_reference=True) == pytest.approx([0.5, 0.5])
    assert worth.offset(np.array([0.4, 9.0]), spread, 8, is_reference=False) == pytest.approx([0.0, 9.0 - 3.84 * 0.5])


def test_from_the_turning_point_on_and_not_before_it_is_worth_it():
    variation = people.variation(count=60)

    def at(n):
        return worth.judge_mean_face(variation, plan_stages(variation, n, 1.0)[-1], n)

    turn = worth.find_least_people(at)
    assert 2 < turn < 100_000
    assert at(turn).verdict == worth.WORTH and at(turn - 1).verdict != worth.WORTH


def test_releases_that_are_called_worth_it_are_nearer_than_the_reference():
    """Of cohorts drawn from a known population: fewer than one release in twenty is farther."""
    rng, farther, count = np.random.default_rng(5), 0, 0
    for seed in range(4):
        variation = people.variation(count=30, seed=seed, modes=8)
        for n, mu in [(8, 3.0), (20, 1.0), (60, 1.0), (60, 3.0), (300, 0.3), (300, 1.0)]:
            mechanism = made(variation, n, mu)
            if mechanism.worth().verdict != worth.WORTH:
                continue
            for _ in range(10):
                cohort = people.draw(n, int(rng.integers(1 << 31)))
                mean = cohort.mean(axis=0)
                noise = mechanism.noise / n * rng.standard_normal(mechanism.coordinates)
                released = mechanism.decode(mechanism.encode(cohort).mean(axis=0) + noise)
                farther += np.linalg.norm(released - mean) > np.linalg.norm(variation.center - mean)
                count += 1
    assert count >= 50 and farther <= 0.05 * count


def test_what_is_no_better_is_refused_but_where_it_is_asked_for():
    useless = worth.Worth(1.0, 0.5, 0.25, 8.0, 6.0, 40)
    with pytest.raises(RefusedRelease, match=r"release 'a': no better .* 2 times .* `worth_it_anyway: true`"):
        worth.refuse_useless(useless, "a")
    for found, anyway in ((useless, True), (SURE, False), (None, False)):
        worth.refuse_useless(found, "a", anyway)


def test_a_verdict_says_from_how_many_people_on():
    assert worth.word_verdict(worth.NO_BETTER, 63).endswith("which costs nothing; from n = 63 on it is worth it")
    assert worth.word_verdict(worth.OPEN, None) == "cannot be told"
