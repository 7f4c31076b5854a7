"""A face model's worst pair is nearly as far apart as its claim, and never farther; so is a difference's."""

import numpy as np
import pytest

from shapedp.audit import cases


def test_the_worst_pair_comes_near_the_claim_and_not_beyond():
    claim, found = cases.measure_model()
    assert 0.95 * claim < found <= claim


def test_with_half_the_noise_it_is_caught():
    moments = cases.make_model().moments
    one, other = (np.eye(moments.q)[0] * moments.tau * sign for sign in (1, -1))
    apart = cases.measure_model_distance(moments, (one, np.ones(1)), (other, np.ones(1)))
    assert apart > 0.5 * moments.mu


@pytest.mark.parametrize("name", list(cases.make_differences()))
def test_the_worst_pair_of_a_difference_comes_near_the_claim_and_not_beyond(name):
    """All stages together: nobody can be the worst case of the means, of the squares and of the reach at once."""
    made = cases.make_differences()[name]
    assert made.first and type(made.stage(())).__name__ == "SpreadQuestion"
    claim, found = cases.measure_difference(made)
    assert 0.9 * claim < found <= claim
