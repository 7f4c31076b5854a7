"""What a clip takes of people with heavy tails."""

import numpy as np

from library.privacy.learned import people
from shapedp.privacy.learned import clips, face_variation, heavy_tails

VARIATION = people.variation()
N = 60


def plan_and_people():
    """(a ReleasePlan, (2p, k) public people about their mean)."""
    plan = clips.plan_at_quantile(VARIATION, face_variation.choose(VARIATION, N, 3.0))
    return plan, clips.list_people_about_mean(VARIATION, plan)


def test_times_are_of_equal_parts_of_students_law():
    """A normal person over the root of chi-squared, divided by its freedom: squares of all parts are 3 in the mean."""
    drawn = np.sort(np.sqrt(3 / np.random.default_rng(2).chisquare(3, 2_000_000)))
    times = heavy_tails.list_times(5)
    np.testing.assert_allclose(np.mean(times**2), heavy_tails.SPREAD, rtol=1e-12)
    squares = np.mean(drawn.reshape(5, -1) ** 2, axis=1)
    np.testing.assert_allclose(times[:4] ** 2, squares[:4], rtol=0.005)


def test_what_a_clip_takes_is_what_a_mean_of_such_people_misses():
    """Of many cohorts drawn from the parts of the law, n times the mean square of what is missing, along each axis."""
    plan, own = plan_and_people()
    plan = plan.widened(0.5)
    own_clipped = clips.clip_to_nearest(own, plan.tau, plan.weights)
    kept = clips.find_share_left(own_clipped, own)
    assert kept.max() < 0.9
    rng = np.random.default_rng(6)
    times = rng.choice(heavy_tails.list_times(), (1000, N, 1))
    rows = times * own[rng.integers(0, len(own), (1000, N))]
    clipped = clips.clip_to_nearest(rows.reshape(-1, rows.shape[-1]), plan.tau, plan.weights).reshape(rows.shape)
    missed = N * np.mean(np.mean(clipped / kept - rows, axis=1) ** 2, axis=0)
    np.testing.assert_allclose(heavy_tails.find_lost_squares(own, plan, 1.0), missed, rtol=0.2)


def test_nothing_is_taken_within_a_wide_bound_and_more_within_a_narrow_one():
    plan, own = plan_and_people()
    assert not heavy_tails.find_lost_squares(own, plan.widened(100.0), 1.0).any()
    narrow, wide = (heavy_tails.find_lost_squares(own, plan.widened(by), 1.0).sum() for by in (0.8, 1.6))
    assert narrow > 1.5 * wide > 0
