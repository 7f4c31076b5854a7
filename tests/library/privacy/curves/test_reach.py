"""How far people lie, asked first: by hand, within its sensitivity for any record, and worth it where they lie far."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library.privacy.learned import people
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves import learned
from shapedp.privacy.learned import face_variation
from shapedp.privacy.statistic import Rows
from shapedp.releases import curve_mechanisms

VARIATION = people.variation(count=120)
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
ANY = st.floats(allow_nan=True, allow_infinity=True)
FAR = 0.3  # of the mean along the first direction, in which public people lie .01 about the center


def make(n=200, mu=2.0):
    return curve_mechanisms.make("shaped", people.SHAPE, n, VARIATION, people.center(), {"mu_total": mu}, KERNEL)


def widened_by(made, factor):
    return made.clipped_to(made.plan.widened(factor))


def at(made, lengths):
    """People so many bounds away from the center along the first axis."""
    unit = made.plan.tau * made.plan.moments[0] ** 0.25
    return people.center() + np.multiply.outer(np.asarray(lengths) * unit, made.axes[0].astype(float))


def test_the_share_by_hand():
    """log 16 / (1000 · .03) = .0924 of mu; with 100 people the twentieth of mu^2 is less; with 15 nothing is seen."""
    assert learned.first_budget(1000, 2.0) == pytest.approx(0.0924, abs=1e-4)
    assert learned.first_budget(100, 2.0) == pytest.approx(2 * math.sqrt(0.05))
    assert learned.first_budget(15, 2.0) == 0.0


@pytest.mark.parametrize(("n", "mu"), [(20, 2.97), (63, 1.0), (120, 2.97), (3000, 0.25), (10_000, 2.97)])
def test_the_two_stages_are_mu_together_and_the_first_costs_little(n, mu):
    first, rest, _ = learned.plan_stages(VARIATION, n, mu)
    assert first**2 + rest**2 == pytest.approx(mu**2)
    assert first**2 <= 0.05 * mu**2 * (1 + 1e-9)


def test_few_people_are_released_in_one_stage():
    made = make(n=10, mu=1.0)
    assert made.first == 0
    sums = integer_sums.sum_people(made, people.reading(people.draw(10, 3)), 10)
    settled, found = integer_sums.ask_first_stage(made, people.reading(people.draw(10, 3)), 10, noise.SeededNoise(1))
    assert settled is made
    assert np.array_equal(found, sums)


def test_whole_numbers_by_hand():
    """Up to half the bound -1, at the bound -1/3, four times as far 1/3, sixteen times as far and farther 1."""
    whole = learned.spread_integers(np.array([0.0, 0.5, 1.0, 4.0, 16.0, 1e300]))[:, 0] / integer_sums.GRID
    assert whole == pytest.approx([-1, -1, -1 / 3, 1 / 3, 1, 1], abs=1e-6)


def test_what_is_no_number_counts_as_the_reference():
    assert np.all(learned.spread_integers(np.array([np.nan, np.inf])) == -integer_sums.GRID)


@pytest.mark.slow
@settings(max_examples=300, deadline=None, derandomize=True)
@given(ANY, ANY)
def test_no_record_moves_the_first_sum_by_more_than_its_sensitivity(one, other):
    made = make()
    wild = np.stack([np.full(people.SHAPE, value) for value in (one, other)])
    lengths = made.lengths(wild)
    first, second = learned.spread_integers(lengths)[:, 0]
    assert abs(int(first) - int(second)) <= integer_sums.SENSITIVITY


def test_the_first_sum_moves_by_all_of_its_sensitivity():
    made = make()
    first, second = learned.spread_integers(made.lengths(at(made, [0.49, 17.0])))[:, 0]
    assert second - first == integer_sums.SENSITIVITY


def test_lengths_are_those_before_the_clip():
    made = make()
    assert made.lengths(at(made, [0.5, 1.0, 7.0])) == pytest.approx([0.5, 1.0, 7.0], rel=0.01)


def test_the_noised_answer_by_hand():
    """Half of the people at half the bound, half at four times as much: a mean of 1/3."""
    made = make()
    crowd = at(made, [0.5] * 100 + [4.0] * 100)
    sums = made.first_stage().sums(Rows(200, people.reading(crowd))).values[0]
    found, _ = learned.noised_spread_answer(np.repeat(sums, 300), 200, made.first, noise.SeededNoise(1))
    sd = 1 / (200 * made.first)
    assert found.mean() == pytest.approx(1 / 3, abs=0.25 * sd)
    assert found.std() == pytest.approx(sd, rel=0.15)
    told = made.with_bound_from((np.array([1 / 3]),)).spread_answer
    assert (told.answer, told.sd, told.plan) == (1 / 3, pytest.approx(sd), made.plan)


@pytest.mark.parametrize(("answer", "scale"), [(-3.0, 0.5), (9.0, 16.0)])
def test_whatever_is_answered_the_bound_is_not_less_than_half_nor_more_than_the_widest(answer, scale):
    assert make().with_bound_from((np.array([answer]),)).bound_scale == pytest.approx(scale)


@pytest.mark.parametrize("widened", [1.0, 3.0, 16.0])
def test_with_any_answer_nobody_is_longer_than_the_second_stage_allows(widened):
    made = widened_by(make(), widened)
    whole = made.integers(at(make(), [0.0, 1.0, 5.0, 1e6])).astype(object)
    assert all((row**2).sum() <= integer_sums.GRID**2 for row in whole)


@pytest.mark.parametrize("widened", [1.0, 3.0])
def test_the_noise_that_a_widened_release_states_is_the_noise_it_bears(widened):
    made, source = widened_by(make(), widened), noise.SeededNoise(2)
    sums = np.zeros(made.coordinates, dtype=np.int64)
    drawn = np.array([made.decode(made.noised_mean(sums, source)[0]) for _ in range(200)])
    assert drawn.var(axis=0).sum() == pytest.approx(made.point_variances().sum(), rel=0.1)
    assert made.noise_size() == pytest.approx(widened * make().noise_size())
    assert np.sqrt(made.plan.noise) == pytest.approx(made.noise_size(), rel=0.03)


@pytest.mark.parametrize("answer", [0.2, 0.5, 0.9])
def test_the_noise_on_a_coordinate_that_is_stated_once_the_bound_followed_is_that_along_its_axis(answer):
    settled = make().with_bound_from((np.array([answer]),))
    along = settled.lengths_along * settled.noise / settled.n
    np.testing.assert_allclose(settled.settled_sd * settled.plan.scales, along, rtol=1e-12)
    assert make().settled_sd is None


def error(made, crowd, seed):
    """(distance of a release from the people's mean, the second stage without noise; the mechanism once settled)."""
    settled, sums = integer_sums.ask_first_stage(made, people.reading(crowd), len(crowd), noise.SeededNoise(seed))
    return np.sqrt(np.mean((settled.decode(settled.exact_mean(sums)) - crowd.mean(axis=0)) ** 2)), settled


def test_people_who_lie_far_keep_their_mean():
    crowd, made = people.draw(200, 5, shift=FAR), make()
    kept, settled = error(made, crowd, 1)
    clipped = made.decode(made.exact_mean(integer_sums.sum_people(made, people.reading(crowd), 200)))
    assert settled.bound_scale > 2
    assert kept < 0.2 * np.sqrt(np.mean((clipped - crowd.mean(axis=0)) ** 2))


@pytest.mark.slow
def test_people_like_the_public_set_pay_next_to_nothing():
    made = make()
    found = [error(made, people.draw(200, seed), seed)[1] for seed in range(20)]
    without = face_variation.loosen_bound(VARIATION, face_variation.choose(VARIATION, 200, 2.0), 200)
    assert np.mean([one.noise_size() for one in found]) < 1.06 * np.sqrt(without.noise)


def test_with_very_many_people_the_bound_is_loose_and_the_noise_still_small():
    chosen = face_variation.choose(VARIATION, 100_000, 2.0)
    loose = face_variation.loosen_bound(VARIATION, chosen, 100_000)
    assert loose.tau == pytest.approx(face_variation.LOOSEST * chosen.tau)
    assert loose.noise <= (face_variation.CHEAP**2) * VARIATION.spread / 100_000
    few = face_variation.choose(VARIATION, 30, 0.5)
    assert face_variation.loosen_bound(VARIATION, few, 30).tau == few.tau
