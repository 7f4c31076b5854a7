"""Who lies far, from two noised numbers: how much of a round a length is turned decides how often few are told of."""

from dataclasses import replace

import numpy as np
import pytest

from shapedp.privacy.learned import clips

NEAR, SD = np.linspace(0.6, 1.1, 40), 2 / (120 * np.sqrt(0.08))  # public lengths, and the noise of 120 people at mu = 1


def told(share, times, far_scale, draws=200):
    """How often a share of people so many times the bound away is told of."""
    rng, near = np.random.default_rng(3), clips.to_directions(NEAR, far_scale).mean(axis=0)
    answer = near + share * (clips.to_directions(np.array(times), far_scale) - near)
    answers = answer + SD * rng.standard_normal((draws, 2))
    return np.mean([clips.FarPeople.from_answer(noised, SD, NEAR, far_scale).is_told for noised in answers])


@pytest.mark.parametrize(("share", "times"), [(0.1, 5.5), (0.5, 1.6)])
def test_of_changes_few_who_lie_far_are_told_of_more_often_and_nobody_no_more_often(share, times):
    changes = clips.FAR_IN_CHANGES
    assert told(share, times, changes) > told(share, times, replace(changes, turn=clips.FAR_IN_MEANS.turn)) + 0.1
    assert told(0.0, 1.0, changes, draws=2000) <= 0.006


def test_a_higher_threshold_tells_less_often_of_people_who_are_not_there():
    changes = clips.FAR_IN_CHANGES
    assert told(0.0, 1.0, changes, draws=2000) < 0.6 * told(0.0, 1.0, replace(changes, threshold=0.5), draws=2000)


def test_whoever_lies_farthest_is_told_apart_from_who_lies_near():
    """Three quarters of a round do not bring the farthest back to where nobody lies far."""
    for far_scale in (clips.FAR_IN_CHANGES, clips.FAR_IN_MEANS):
        lengths = np.array([1.0, clips.END, 1e300])
        near, farthest, beyond = clips.to_directions(lengths, far_scale)
        assert np.linalg.norm(farthest - near) > 1.4
        np.testing.assert_allclose(beyond, farthest)


def test_directions_of_means_turn_soon_and_less_and_less():
    """At twice the bound more than half way, as heavy tails need to be told; the last half of the way is little."""
    halves = clips.to_directions(np.array([0.9, 1.0, 2.0, 8.0, clips.END]), clips.FAR_IN_MEANS)[:, 0]
    assert halves[0] == halves[1] == 1
    assert np.all(np.diff(halves[1:]) < 0)
    late = clips.to_directions(np.array([2.0]), replace(clips.FAR_IN_MEANS, is_logarithmic=True))[0, 0]
    assert halves[2] < 0 < late
