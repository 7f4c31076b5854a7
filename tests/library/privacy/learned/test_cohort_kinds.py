"""Which kind of cohort noised answers leave likely: heavy tails, wider people, some who lie far together."""

from dataclasses import replace

import numpy as np
import pytest

from library.privacy.learned import people
from shapedp.privacy.learned import clips, cohort_kinds, face_variation

VARIATION = people.variation()
N, SCALE, DRAWS = 60, clips.FAR_IN_MEANS, 4000


def plan_and_people():
    """(the ReleasePlan in whose bound lengths are asked, (2p, k) public people about their mean)."""
    plan = clips.plan_at_quantile(VARIATION, face_variation.choose(VARIATION, N, 3.0))
    return plan, clips.list_people_about_mean(VARIATION, plan)


def answers(told, sd, n=N):
    """Answers of n people, w and direction as told (3,)."""
    return cohort_kinds.Answers(n, told[0], np.asarray(told[1:]), sd, sd, (0.0, 0.0))


def kinds_at(sd, scale=1.0, n=N):
    """The Kinds of cohort of n people, by answers whose noise is sd."""
    plan, own = plan_and_people()
    return cohort_kinds.list_kinds(answers(np.zeros(3), sd, n), own, plan, SCALE, scale)


def test_probabilities_are_right_of_answers_drawn_as_is_thought_beforehand(monkeypatch):
    """Whether tails are heavy, or some lie far, is off the probability p by 0 in the mean, and weighed by p, too.

    Who takes an answer for too much or too little breaks the second: p is then too large where it is large, or too
    small.
    """
    monkeypatch.setattr(cohort_kinds, "COARSE", 0.0)
    kinds = kinds_at(0.02)
    weights = kinds.beforehand / kinds.beforehand.sum()
    rng = np.random.default_rng(8)
    drawn = rng.choice(len(weights), DRAWS, p=weights)
    roots = np.linalg.cholesky(kinds.covariances[drawn])
    told = kinds.means[drawn] + np.einsum("dij,dj->di", roots, rng.standard_normal((DRAWS, 3)))
    likely = np.array([kinds.weigh(one) for one in told])
    plan, own = plan_and_people()
    heavy, far_people = cohort_kinds.find_likely_kinds(answers(told[0], 0.02), own, plan, SCALE, 1.0)
    assert heavy == likely[0, 0]
    first_far = 1 + len(cohort_kinds.LIKELY_WIDTHS)
    np.testing.assert_array_equal(far_people.likely, likely[0, first_far:])
    for is_so, found in ((drawn == 0, likely[:, 0]), (drawn >= first_far, likely[:, first_far:].sum(axis=1))):
        for gap in (is_so - found, found * (is_so - found)):
            assert abs(gap.mean()) < 3 * gap.std() / np.sqrt(DRAWS)
        # they do tell something: of nothing told, both would be what was thought before
        assert found[is_so].mean() > 1.5 * is_so.mean()


def test_kinds_are_told_apart_no_better_than_they_are_thought_of():
    """With no noise: of two kinds, one off by COARSE and one by twice that, the nearer is e^1.5 likelier."""
    off = cohort_kinds.COARSE * np.array([1.0, -2.0, 1000.0])
    means = np.zeros((3, 3))
    means[:, 0] = off
    kinds = cohort_kinds.Kinds(means, 1e-12 * np.tile(np.eye(3), (3, 1, 1)), np.ones(3) / 3, np.ones(1), np.ones(1))
    near, farther, _ = kinds.weigh(np.zeros(3))
    assert near / farther == pytest.approx(np.exp(1.5), rel=1e-6)


def test_how_far_who_lies_far_lies_is_told_by_the_noise_alone():
    kinds = kinds_at(1e-6, n=1_000_000)
    likely = kinds.weigh(kinds.means[-1])[-len(kinds.shares) :]
    assert likely[-1] > 0.9 * likely.sum()


def test_people_like_the_public_ones_answer_as_their_kind_and_few_heavy_ones_do_not():
    plan, own = plan_and_people()
    means = kinds_at(0.02).means
    lengths = np.linalg.norm(own, axis=1) / plan.tau
    assert means[1, 0] == pytest.approx(np.mean(np.minimum(lengths, 1) ** 2), rel=0.5)
    np.testing.assert_allclose(means[1, 1:], clips.to_directions(lengths, SCALE).mean(axis=0), rtol=1e-9)
    # by the law itself, drawn
    times = np.sqrt(3 / np.random.default_rng(5).chisquare(3, 4000))
    drawn = clips.to_directions(times[:, None] * lengths, SCALE).mean(axis=(0, 1))
    np.testing.assert_allclose(means[0, 1:], drawn, atol=cohort_kinds.COARSE)


def test_who_lies_far_lies_beside_people_as_wide_as_is_told_and_no_nearer_than_public_ones():
    alike, wide, narrow = (kinds_at(0.02, scale).means[-1] for scale in (1.0, 1.4, 0.6))
    np.testing.assert_array_equal(narrow, alike)
    assert wide[0] > 1.05 * alike[0]


@pytest.mark.parametrize("told", [(1e200, 1e200, -1e200), (1e308, 0.0, 0.0)])
def test_whatever_a_file_of_another_laboratory_answers_leaves_probabilities(told):
    likely = kinds_at(1e-6).weigh(np.array(told))
    assert likely.sum() == pytest.approx(1) and np.all(likely >= 0)


def test_answers_that_noise_hides_leave_what_was_thought_beforehand():
    plan, own = plan_and_people()
    beforehand = kinds_at(30.0).beforehand
    np.testing.assert_allclose(beforehand.sum(), 1, rtol=1e-12)
    for told in (np.zeros(3), np.ones(3)):
        heavy, far_people = cohort_kinds.find_likely_kinds(answers(told, 30.0), own, plan, SCALE, 1.0)
        assert heavy == pytest.approx(cohort_kinds.HEAVY, rel=0.02)
        assert far_people.likely.sum() == pytest.approx(cohort_kinds.FAR, rel=0.02)


def test_heavy_tails_and_a_few_who_lie_far_together_are_told_apart():
    """Of 120 people at mu = 3, by directions that turn soon: late ones tell heavy tails less well."""
    sd = 2 / (120 * np.sqrt(0.06) * 3)
    plan, own = plan_and_people()
    late = replace(SCALE, start=1.25, is_logarithmic=True)
    soon_kinds, late_kinds = (
        cohort_kinds.list_kinds(answers(np.zeros(3), sd), own, plan, scale, 1.0) for scale in (SCALE, late)
    )
    first_far = 1 + len(cohort_kinds.LIKELY_WIDTHS)
    few = first_far + np.argmin(np.abs(soon_kinds.shares - 0.1) + np.abs(soon_kinds.times - 4.0))

    def weigh(kinds, kind):
        """(how likely heavy tails, and some who lie far, are found in the mean of 200 answers of a kind)."""
        told = np.random.default_rng(4).multivariate_normal(kinds.means[kind], kinds.covariances[kind], 200)
        likely = np.mean([kinds.weigh(one) for one in told], axis=0)
        return likely[0], likely[first_far:].sum()

    heavy, far = weigh(soon_kinds, 0)
    assert heavy > 5 * far and heavy > 1.2 * weigh(late_kinds, 0)[0]
    heavy, far = weigh(soon_kinds, few)
    assert far > 2.5 * heavy


def test_a_cohort_all_of_which_lies_off_is_told_to_lie_far_and_no_wider_one():
    """Twice the bound away, w as of public people: it is some half of whom lie far, not people twice as wide."""
    kinds = kinds_at(0.05)
    told = np.append(kinds.means[1, 0], clips.to_directions(2.0, SCALE))
    assert kinds.weigh(told)[1 + len(cohort_kinds.LIKELY_WIDTHS) :].sum() > 0.9


def test_people_as_wide_as_is_told_are_neither_far_nor_heavy():
    plan, own = plan_and_people()
    kinds = kinds_at(0.02, 2.0)
    twice = cohort_kinds._list_answers(2 * own[: len(own) // 2], answers(np.zeros(3), 0.02), plan, SCALE).mean(axis=0)
    likely = kinds.weigh(twice)
    assert likely[len(cohort_kinds.LIKELY_WIDTHS)] > 0.5
