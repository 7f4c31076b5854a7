"""How likely heavy tails are that are not told, and what a clip takes of them."""

import numpy as np
import pytest
import scipy

from library.privacy.learned import people
from shapedp.privacy.learned import clips, face_variation, heavy_tails

VARIATION = people.variation()
N, SCALE, DRAWS = 60, clips.FAR_IN_MEANS, 4000


def plan_and_people():
    """(the ReleasePlan in whose bound lengths are asked, (2p, k) public people about their mean)."""
    plan = clips.plan_at_quantile(VARIATION, face_variation.choose(VARIATION, N, 3.0))
    return plan, clips.list_people_about_mean(VARIATION, plan)


def answers(told, sd, n=N):
    """Answers of n people, w and direction as told (3,)."""
    return heavy_tails.Answers(n, told[0], np.asarray(told[1:]), sd, sd, (0.0, 0.0))


def test_probabilities_are_right_of_answers_drawn_as_is_thought_beforehand():
    """Whether tails are heavy is off the probability p by 0 in the mean, and weighed by p, too.

    Who takes an answer for too much or too little breaks the second: p is then too large where it is large, or too
    small.
    """
    plan, own = plan_and_people()
    expected = means, covariances, weights = heavy_tails.list_kinds(answers(np.zeros(3), 0.02), own, plan, SCALE)
    weights = weights / weights.sum()
    rng = np.random.default_rng(8)
    kinds = rng.choice(len(weights), DRAWS, p=weights)
    told = means[kinds] + np.einsum(
        "dij,dj->di", np.linalg.cholesky(covariances[kinds]), rng.standard_normal((DRAWS, 3))
    )
    found = np.array([heavy_tails.weigh_heavy_tails(one, *expected) for one in told])
    assert found[0] == heavy_tails.find_probability(answers(told[0], 0.02), own, plan, SCALE)
    is_heavy = kinds == 0
    for gap in (is_heavy - found, found * (is_heavy - found)):
        assert abs(gap.mean()) < 3 * gap.std() / np.sqrt(DRAWS)
    # they do tell something: of nothing told, both would be what was thought before
    assert found[is_heavy].mean() > 1.5 * weights[0]


def test_people_like_the_public_ones_answer_as_their_kind_and_few_heavy_ones_do_not():
    plan, own = plan_and_people()
    means, _, _ = heavy_tails.list_kinds(answers(np.zeros(3), 0.02), own, plan, SCALE)
    lengths = np.linalg.norm(own, axis=1) / plan.tau
    assert means[1, 0] == pytest.approx(np.mean(np.minimum(lengths, 1) ** 2), rel=0.5)
    np.testing.assert_allclose(means[1, 1:], clips.to_directions(lengths, SCALE.turn).mean(axis=0), rtol=1e-9)
    # by the law itself, drawn: the equal parts leave out its last half of a part
    times = np.sqrt(3 / np.random.default_rng(5).chisquare(3, 400))
    drawn = clips.to_directions(times[:, None] * lengths, SCALE.turn).mean(axis=(0, 1))
    np.testing.assert_allclose(means[0, 1:], drawn, atol=0.03)


def test_answers_that_noise_hides_leave_what_was_thought_beforehand():
    plan, own = plan_and_people()
    _, _, weights = heavy_tails.list_kinds(answers(np.zeros(3), 30.0), own, plan, SCALE)
    for told in (np.zeros(3), np.ones(3)):
        found = heavy_tails.find_probability(answers(told, 30.0), own, plan, SCALE)
        assert found == pytest.approx(weights[0] / weights.sum(), rel=0.02)


def test_times_are_of_equal_parts_of_students_law():
    """Who lies t times as far is a normal person over the root of chi-squared, divided by its freedom."""
    squares = heavy_tails.FREEDOM / heavy_tails.list_times(5) ** 2
    shares = scipy.stats.chi2.cdf(squares, heavy_tails.FREEDOM)
    np.testing.assert_allclose(shares, [0.1, 0.3, 0.5, 0.7, 0.9], rtol=1e-12)


def test_what_a_clip_takes_is_what_a_mean_of_such_people_misses():
    """Of many cohorts drawn from the parts of the law, n times the mean square of what is missing, along each axis."""
    plan, own = plan_and_people()
    plan = plan.widened(0.5)
    own_clipped = clips.clip_to_nearest(own, plan.tau, plan.weights)
    kept = clips.find_share_left(own_clipped, own)
    assert kept.max() < 0.9
    rng = np.random.default_rng(6)
    times = rng.choice(heavy_tails.list_times(heavy_tails.PARTS_CLIPPED), (1000, N, 1))
    rows = times * own[rng.integers(0, len(own), (1000, N))]
    clipped = clips.clip_to_nearest(rows.reshape(-1, rows.shape[-1]), plan.tau, plan.weights).reshape(rows.shape)
    missed = N * np.mean(np.mean(clipped / kept - rows, axis=1) ** 2, axis=0)
    np.testing.assert_allclose(heavy_tails.find_lost_squares(own, plan, 1.0), missed, rtol=0.2)


def test_nothing_is_taken_within_a_wide_bound_and_more_within_a_narrow_one():
    plan, own = plan_and_people()
    assert not heavy_tails.find_lost_squares(own, plan.widened(100.0), 1.0).any()
    narrow, wide = (heavy_tails.find_lost_squares(own, plan.widened(by), 1.0).sum() for by in (0.8, 1.6))
    assert narrow > 1.5 * wide > 0
