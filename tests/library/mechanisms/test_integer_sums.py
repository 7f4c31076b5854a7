"""One record weighs at most its bound, whatever its numbers are; the sum does not depend on the order."""

import itertools

import numpy as np
import pytest

from shapedp.mechanisms import curve_mean, curve_mechanisms, integer_sums
from shapedp.mechanisms.bounds import from_numbers
from shapedp.mechanisms.integer_sums import GRID

SHAPE = (3, 3, 8)
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}


def weight(whole):
    """Length of integer rows in exact arithmetic, in grid steps squared."""
    return [sum(int(step) ** 2 for step in row) for row in whole]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_record_that_is_not_finite_counts_as_the_reference(value):
    rows = np.array([[0.3, 0.4], [0.1, value], [value, value]])
    found = integer_sums.integers(rows, 1.0)
    assert found[0].any() and not found[1:].any()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e308, -1e200, 1e-320])
@pytest.mark.parametrize("name", ["matched_joint", "matched", "rkhs", "rkhs_paper"])
def test_no_numbers_weigh_more_than_the_bound(name, value):
    made = curve_mechanisms.make(
        name, SHAPE, 10, from_numbers([0.02] * 3, 3), np.zeros(SHAPE), {"mu_total": 1.0}, KERNEL
    )
    curves = np.zeros((2, *SHAPE))
    curves[0, 1, 2, 3] = value
    curves[1] = value
    with np.errstate(all="ignore"):  # what overflows on the way is the point of the test
        found = curve_mean.integers(made, curves)
    assert max(weight(found)) <= GRID**2


def test_rounding_never_lifts_a_record_above_its_bound():
    """Directions at the bound itself, a few units in the last place above it."""
    rng = np.random.default_rng(20)
    rows = rng.standard_normal((2000, 5))
    rows *= (1 + 4 * np.finfo(float).eps) / np.linalg.norm(rows, axis=1, keepdims=True)
    axis = np.eye(5) * (1 + 4 * np.finfo(float).eps)
    found = integer_sums.integers(np.concatenate([rows, axis]), 1.0)
    assert max(weight(found)) <= GRID**2
    assert min(weight(found)) >= (GRID - 3) ** 2


def test_the_order_of_people_does_not_matter():
    rows = np.random.default_rng(21).standard_normal((500, 4))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    forward = integer_sums.integers(rows, 1.0).sum(axis=0)
    one_by_one = sum(integer_sums.integers(row[None], 1.0)[0] for row in rows[::-1])
    assert np.array_equal(forward, one_by_one)


def test_one_replaced_person_changes_the_sum_by_at_most_the_sensitivity():
    """The worst pair: v and -v; reached up to the cut towards zero."""
    v = np.full((1, 3), 3**-0.5)
    change = integer_sums.integers(v, 1.0) - integer_sums.integers(-v, 1.0)
    assert (integer_sums.SENSITIVITY - 4) ** 2 <= weight(change)[0] <= integer_sums.SENSITIVITY**2


@pytest.mark.parametrize("length", [1.5, 40.0, 1e150, 1e300])
def test_a_row_that_nobody_clipped_is_cut_back_to_the_bound(length):
    """Far beyond the bound, where squares do not fit into 64 bits any more, and where they overflow a double."""
    row = np.full((1, 50_000), length / np.sqrt(50_000))
    found = integer_sums.integers(row, 1.0)
    assert weight(found)[0] <= GRID**2


NUMBERS = (0.0, -0.0, 5e-324, 1e-160, 1.0, -1.0, 1 + 2**-52, 1e9, 1e154, 1e200, -1.7976931348623157e308, np.inf, np.nan)


@pytest.mark.parametrize("length", [1e-5, 1.0, 1e5])
def test_every_row_keeps_to_the_bound_whatever_it_holds(length):
    """Exactly, in Python's integers; what is not finite counts as zero."""
    rows = np.array(list(itertools.product(NUMBERS, repeat=3)))
    found = integer_sums.integers(rows.copy(), length)
    assert max(weight(found)) <= GRID**2
    assert not found[~np.isfinite(rows).all(axis=1)].any()
    rows = length * np.random.default_rng(2).standard_normal((1000, 40))
    rows *= (length * (1 + 1e-15) / np.linalg.norm(rows, axis=1))[:, None]  # at the bound, up to rounding
    assert max(weight(integer_sums.integers(rows, length))) <= GRID**2
