"""Summaries and fits, against cases done by hand and laws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.simulation import fits, results


def test_mean_and_standard_error_by_hand():
    assert results.summary(np.array([1.0, 2.0, 3.0])) == pytest.approx((2.0, 1 / np.sqrt(3)))
    assert np.isnan(results.summary(np.array([4.0]))[1])


def test_noise_saved_and_the_spread_of_its_error():
    """12 % less, and a standard error that covers what 4,000 repetitions scatter."""
    rng = np.random.default_rng(0)
    samples = rng.gamma(2, 1, (4000, 200)), rng.gamma(3, 1, (4000, 200))
    found = np.array([results.saved(0.88 * 1.5 * a, b) for a, b in zip(*samples, strict=True)])
    assert_allclose(found[:, 0].mean(), 0.12, atol=0.003)
    assert_allclose(found[:, 1].mean(), found[:, 0].std(), rtol=0.05)
    assert results.saved(samples[0][0], samples[1][0])[0] > 0, "less noise is a positive share"


def test_a_power_law_is_found_exactly():
    x = np.array([1.0, 10.0, 1000.0])
    slope, _ = fits.rate(x, 5 * x**-2, 0.1 * x**-2)
    assert_allclose(slope, -2, rtol=1e-12)


def test_the_error_of_the_exponent_is_its_spread():
    rng = np.random.default_rng(1)
    x = np.array([1.0, 2.0, 4.0, 8.0])
    error = np.array([0.01, 0.02, 0.01, 0.05])
    found = np.array([fits.rate(x, 1 + error * rng.standard_normal(4), error) for _ in range(4000)])
    assert_allclose(found[:, 0].std(), found[:, 1].mean(), rtol=0.05)
