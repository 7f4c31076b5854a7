"""What a clip leaves of people about means that lie anywhere, beside people who are clipped one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.privacy.learned import clips
from shapedp.releases.kinds.growth.clipped import LEAST_LEFT, LEAST_VARIANCE, Clipped

BOUND, LEADING = 2.0, 3
PEOPLE = np.random.default_rng(1).normal(size=(500, 5)) * [1.0, 0.8, 0.6, 0.4, 0.2]
MEANS = np.array([[0.0, 0, 0, 0, 0], [1.0, -1, 0, 0, 0.5], [0, 0, 0, 3.0, 4.0]])


def test_what_is_left_is_that_of_people_who_are_clipped_one_by_one():
    found = Clipped.about(MEANS, PEOPLE, BOUND, LEADING)
    assert np.array_equal(found.means, MEANS)
    for at, mean in enumerate(MEANS):
        clipped = clips.clip_by_length(mean + PEOPLE, BOUND)
        kept = np.linalg.norm(clipped, axis=1) / np.linalg.norm(mean + PEOPLE, axis=1)
        assert found.shares[at] == pytest.approx(kept.mean())
        assert_allclose(found.means_left[at], clipped.mean(axis=0), atol=1e-12)
        assert found.squares[at] == pytest.approx(np.mean(np.sum(clipped[:, :LEADING] ** 2, axis=1)))
        variances = clipped[:, :LEADING].var(axis=0) / np.mean(PEOPLE[:, :LEADING] ** 2, axis=0)
        assert_allclose(found.variances_left[at], np.maximum(variances, LEAST_VARIANCE))


def test_nothing_is_taken_of_people_within_the_bound():
    found = Clipped.about(MEANS[:1], PEOPLE / 100, BOUND, LEADING)
    assert found.shares[0] == 1 and found.variances_left.max() <= 1
    assert_allclose(found.means_left, PEOPLE.mean(axis=0)[None] / 100, atol=1e-15)


def test_a_mean_counts_as_no_farther_than_the_least_that_is_left_of_it():
    found = Clipped.about(1e9 * MEANS[2:], PEOPLE, BOUND, LEADING)
    assert np.linalg.norm(found.means[0]) == pytest.approx(BOUND / LEAST_LEFT)
    assert LEAST_LEFT <= found.shares[0] < 1.05 * LEAST_LEFT
