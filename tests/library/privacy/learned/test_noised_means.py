"""What noise leaves likely of a mean: sums and shares of probabilities by their logarithms."""

import numpy as np
import pytest
import scipy

from shapedp.privacy.learned import likely_shares


def values(*shape, seed=0):
    """Logarithms as they come up, some far below others and some equal to the largest."""
    rng = np.random.default_rng(seed)
    made = 10 ** rng.uniform(-2, 3, shape) * rng.standard_normal(shape)
    made[::3] = made[::3, :1]
    return made


@pytest.mark.parametrize("uneven", [1, 2, 5])
def test_sums_by_logarithms_are_those_of_scipy_to_the_bit(uneven):
    for seed in range(20):
        made = values(9, uneven, 30, seed=seed)
        assert np.array_equal(likely_shares._add_in_logarithms(made), scipy.special.logsumexp(made, axis=1))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_probabilities_by_logarithms_are_those_of_scipy_to_the_bit(axis):
    made = values(9, 4, 30)
    assert np.array_equal(likely_shares._find_probabilities(made, axis), scipy.special.softmax(made, axis=axis))
