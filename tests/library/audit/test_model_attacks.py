"""A face model's worst pair is nearly as far apart as its claim, and never farther."""

import numpy as np

from shapedp.audit import cases


def test_the_worst_pair_comes_near_the_claim_and_not_beyond():
    claim, found = cases.model_exact()
    assert 0.95 * claim < found <= claim


def test_with_half_the_noise_it_is_caught():
    moments = cases.model().moments
    one, other = (np.eye(moments.q)[0] * moments.tau * sign for sign in (1, -1))
    apart = cases.model_distance(moments, (one, np.ones(1)), (other, np.ones(1)))
    assert apart > 0.5 * moments.mu
