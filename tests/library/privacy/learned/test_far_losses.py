"""What a clip took of who lies far: on one side, where the mean does, and on any."""

import numpy as np
import pytest

from library.privacy.learned import people
from shapedp.privacy.learned import clips, face_variation, far_losses

VARIATION = people.variation()
SHARE, TIMES, OTHERS = 0.1, 3.0, 20_000


def chosen():
    """(the ReleasePlan to which people are clipped, that in whose bound their lengths were asked)."""
    plan = face_variation.choose(VARIATION, 400, 1.0)
    return clips.plan_about_mean(VARIATION, plan, 400), clips.plan_at_quantile(VARIATION, plan)


def told_far(times=TIMES):
    """FarPeople, told exactly."""
    return clips.FarPeople(np.array([1.0]), np.array([SHARE]), np.array([times]), 0.5)


def mean_of_clipped(offset, own, plan):
    """(k,) what a share of people who lie so far off add to a mean, once they are clipped."""
    clipped = clips.clip_to_nearest((offset + own) / plan.scales, plan.tau, plan.weights)
    return SHARE * plan.scales * clipped.mean(axis=0)


def far_on_one_side():
    """((k,) what the far add to the mean, (k,) what a clip leaves of that, (k,) squares of people's own lengths)."""
    plan, asked = chosen()
    squares = np.mean((plan.scales * clips.list_people_about_mean(VARIATION, plan)) ** 2, axis=0)
    rng = np.random.default_rng(3)
    own = np.sqrt(squares) * rng.standard_normal((OTHERS, len(squares)))
    # along all axes alike, in units of their own bound, as far as is told
    offset = asked.scales * np.where(np.arange(len(squares)) % 2, 1.0, -1.0)
    room = (TIMES * asked.tau) ** 2 - np.sum(squares / asked.scales**2)
    offset *= np.sqrt(room / len(squares))
    return SHARE * offset, mean_of_clipped(offset, own, plan), squares


def test_what_was_taken_of_people_on_one_side_is_found():
    plan, asked = chosen()
    whole, seen, squares = far_on_one_side()
    loss = far_losses.find_one_sided_loss(told_far(), seen, squares, plan, asked)
    left, away = np.linalg.norm(whole - seen - loss.taken), np.linalg.norm(whole - seen)
    assert away > 0.3 * np.linalg.norm(whole)
    assert left < 0.3 * away
    assert loss.explained == pytest.approx([SHARE], rel=0.1)
    assert np.linalg.norm(loss.errors) < 0.3 * np.linalg.norm(loss.taken)


def test_most_is_taken_along_axes_that_count_least():
    plan, asked = chosen()
    _, seen, squares = far_on_one_side()
    loss = far_losses.find_one_sided_loss(told_far(), seen, squares, plan, asked)
    shares = loss.taken / seen
    assert np.all(shares > 0) and shares * plan.weights == pytest.approx(shares[0] * plan.weights[0])


def test_a_mean_that_lies_nowhere_says_nothing_of_who_is_far():
    plan, asked = chosen()
    _, seen, squares = far_on_one_side()
    loss = far_losses.find_one_sided_loss(told_far(), 0.0 * seen, squares, plan, asked)
    assert not loss.taken.any() and not loss.errors.any() and not loss.explained.any()
    # a mean that is off by so little is that of few of them
    little = far_losses.find_one_sided_loss(told_far(), 1e-3 * seen, squares, plan, asked)
    assert little.explained == pytest.approx([1e-3 * SHARE], rel=0.1)


def test_of_whom_the_bound_holds_nothing_is_taken():
    plan, asked = chosen()
    _, seen, squares = far_on_one_side()
    wide = plan.widened(10.0)
    assert not far_losses.find_one_sided_loss(told_far(), seen, squares, wide, asked).taken.any()


@pytest.mark.parametrize("bound", [0.5, 1.0, 2.5])
def test_lengths_beyond_a_bound_fall_off_as_the_third_power(bound):
    lengths = 1.0 + np.random.default_rng(5).pareto(3.0, 4_000_000)
    found = np.mean(np.maximum(np.minimum(lengths, 1e3) - bound, 0.0) ** 2)
    assert clips.find_square_beyond(1.0, bound) == pytest.approx(found, rel=0.05)


def test_people_who_are_explained_are_not_counted_once_more():
    far_people = told_far()
    all_round = far_losses.find_scattered_loss(far_people, np.array([0.0]), 100, 2.0)
    assert all_round == pytest.approx(SHARE / 100 * (far_losses.SHORTEST * TIMES) ** 3 / 2.1, rel=0.06)
    assert far_losses.find_scattered_loss(far_people, np.array([SHARE]), 100, 2.0) == 0
    assert far_losses.find_scattered_loss(far_people, np.array([0.0]), 400, 2.0) == pytest.approx(all_round / 4)
