"""Bounds from numbers and from a public population, by hand; joint bounds hold for the population they come from."""

import numpy as np
import pytest

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import bounds, kernel

SHAPE = (2, 3, 8)
REFERENCE = np.random.default_rng(0).normal(size=SHAPE)


def read(people):
    return lambda start, stop: people[start:stop]


def constants(values):
    """People who differ from the reference by constants, so that each norm is the constant's absolute value."""
    return REFERENCE + np.asarray(values, dtype=float)[:, None, None, None]


def test_tau_is_the_quantile_times_the_margin_by_hand():
    """Norms 1, ..., 10: the 0.75 quantile, taken upwards, is 8."""
    people = constants([1, -2, 3, -4, 5, -6, 7, -8, 9, -10])
    found = bounds.from_population(read(people), 10, REFERENCE, 0.75, 1.5, "a public set", True)
    assert np.allclose(found.tau, 12)
    assert np.allclose(found.of_blocks(), 12), "frequency 0 weighs 1 in the rough norm"


def test_ranges_are_those_of_the_population_widened_by_the_margin():
    found = bounds.from_population(read(constants([-1, 3])), 2, REFERENCE, 1.0, 2.0, "a public set", True)
    assert np.allclose(found.lower, REFERENCE - 3)
    assert np.allclose(found.upper, REFERENCE + 5)


def test_portions_do_not_matter(monkeypatch):
    people = REFERENCE + np.random.default_rng(1).normal(size=(30, *SHAPE))
    one = bounds.from_population(read(people), 30, REFERENCE, 0.9, 1.2, "a public set", True)
    monkeypatch.setattr(bounds, "chunks", lambda count: [(i, i + 1) for i in range(count)])
    other = bounds.from_population(read(people), 30, REFERENCE, 0.9, 1.2, "a public set", True)
    assert np.array_equal(one.tau, other.tau)
    assert np.array_equal(one.lower, other.lower)
    assert np.array_equal(one.deviations, other.deviations)


def test_the_joint_bound_holds_the_stated_share_of_the_population():
    people = REFERENCE + np.random.default_rng(2).normal(size=(100, *SHAPE))
    found = bounds.from_population(read(people), 100, REFERENCE, 0.9, 1.0, "a public set", True)
    weights = np.array([[1, 2, 3], [4, 5, 6.0]])
    norms = np.sqrt(np.sum((weights * kernel.rough_norm(kernel.coefficients(people - REFERENCE))) ** 2, axis=(1, 2)))
    assert np.sum(norms <= found.joint(weights)) == 91, "the 0.9 quantile of 100, taken upwards"


def test_the_joint_bound_is_never_above_that_of_the_blocks_together():
    people = REFERENCE + np.random.default_rng(3).normal(size=(100, *SHAPE))
    found = bounds.from_population(read(people), 100, REFERENCE, 0.5, 1.0, "a public set", True)
    weights = np.ones((2, 3))
    assert found.joint(weights) <= np.sqrt(np.sum(found.of_blocks() ** 2))


def test_numbers_give_the_joint_bound_of_the_blocks():
    assert bounds.from_numbers([3, 4, 12], 1).joint(np.ones((1, 3))) == pytest.approx(13)


@pytest.mark.parametrize("tau", [None, [], [1, 2], [1, 2, 0], [1, -2, 3], [1, np.nan, 3]])
def test_numbers_that_bound_nothing_are_refused(tau):
    with pytest.raises(RefusedRelease, match=r"faces\.bounds\.tau"):
        bounds.from_numbers(tau, 4)


def test_infinite_numbers_are_refused():
    with pytest.raises(RefusedRelease, match=r"faces\.bounds\.tau"):
        bounds.from_numbers([1, np.inf, 1], 4)


def test_one_person_is_no_population():
    with pytest.raises(RefusedRelease, match="at least 2 faces"):
        bounds.from_population(read(constants([1])), 1, REFERENCE, 0.9, 1.2, "a public set", True)
