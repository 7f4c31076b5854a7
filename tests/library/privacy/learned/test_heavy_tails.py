"""What a clip takes of people with heavy tails."""

import numpy as np
import pytest
import scipy.stats

from library.privacy.learned import people
from shapedp.privacy.learned import clips, face_variation, heavy_tails

VARIATION = people.variation()
N = 60
# Times of the law itself: one of each of so many equal parts, but for what lies beyond the last.
DRAWN = np.sqrt(3 / scipy.stats.chi2.ppf((np.arange(36 * 2**13) + 0.5) / (36 * 2**13), 3))[::-1]


def plan_and_people():
    """(a ReleasePlan, (2p, k) public people about their mean)."""
    plan = clips.plan_at_quantile(VARIATION, face_variation.choose(VARIATION, N, 3.0))
    return plan, clips.list_people_about_mean(VARIATION, plan)


def test_times_are_of_parts_of_students_law():
    """A normal person over the root of chi-squared, divided by its freedom: squares of all parts are 3 in the mean."""
    times, shares = heavy_tails.list_times()
    assert shares.sum() == pytest.approx(1) and shares @ times**2 == pytest.approx(heavy_tails.SPREAD)
    ends = np.rint(np.cumsum(shares) * len(DRAWN)).astype(int)
    squares = np.add.reduceat(DRAWN**2, np.append(0, ends[:-1])) / np.diff(ends, prepend=0)
    # the last part is without end
    np.testing.assert_allclose(times[:-1] ** 2, squares[:-1], rtol=0.002)


def test_what_a_wide_clip_takes_is_of_very_few():
    """By an integral over the law, of six times as wide a bound as public people's, within which all of these lie."""
    plan, own = plan_and_people()
    plan = plan.widened(6.0)
    # chi-squared, evenly in logarithms
    logarithms = np.linspace(np.log(1e-10), np.log(60.0), 1500)
    density = scipy.stats.chi2.pdf(np.exp(logarithms), 3) * np.exp(logarithms)
    rows = np.sqrt(3 / np.exp(logarithms))[:, None, None] * own[: len(own) // 2]
    clipped = clips.clip_to_nearest(rows.reshape(-1, rows.shape[-1]), plan.tau, plan.weights).reshape(rows.shape)
    lost = np.mean(np.sum((rows - clipped) ** 2, axis=2), axis=1)
    expected = np.trapezoid(density * lost, logarithms)
    assert heavy_tails.find_lost_squares(own, plan, 1.0).sum() == pytest.approx(expected, rel=0.1)


def test_what_a_clip_takes_is_what_a_mean_of_such_people_misses():
    """Of many cohorts drawn from the parts of the law, n times the mean square of what is missing, along each axis."""
    plan, own = plan_and_people()
    plan = plan.widened(0.5)
    own_clipped = clips.clip_to_nearest(own, plan.tau, plan.weights)
    kept = clips.find_share_left(own_clipped, own)
    assert kept.max() < 0.9
    rng = np.random.default_rng(6)
    all_times, shares = heavy_tails.list_times()
    times = rng.choice(all_times, (1000, N, 1), p=shares)
    rows = times * own[rng.integers(0, len(own), (1000, N))]
    clipped = clips.clip_to_nearest(rows.reshape(-1, rows.shape[-1]), plan.tau, plan.weights).reshape(rows.shape)
    missed = N * np.mean(np.mean(clipped / kept - rows, axis=1) ** 2, axis=0)
    np.testing.assert_allclose(heavy_tails.find_lost_squares(own, plan, 1.0), missed, rtol=0.2)


def test_nothing_is_taken_within_a_wide_bound_and_more_within_a_narrow_one():
    plan, own = plan_and_people()
    assert not heavy_tails.find_lost_squares(own, plan.widened(100.0), 1.0).any()
    narrow, wide = (heavy_tails.find_lost_squares(own, plan.widened(by), 1.0).sum() for by in (0.8, 1.6))
    assert narrow > 1.5 * wide > 0
