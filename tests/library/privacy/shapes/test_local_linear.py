"""Periodic local linear regression."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.shapes import contour


def test_constants_are_kept():
    assert_allclose(contour.smooth_locally(np.full(20, 2 + 1j), 0.1), 2 + 1j)


def test_it_is_the_least_squares_intercept():
    rng = np.random.default_rng(0)
    t, z, h = np.sort(rng.random(15)), rng.standard_normal(15), 0.08
    u = (t - t[4] + 0.5) % 1 - 0.5
    root = np.exp(-((u / h) ** 2) / 4)
    expected = np.linalg.lstsq(root[:, None] * np.column_stack([np.ones(15), u]), root * z, rcond=None)[0][0]
    assert_allclose(contour.smooth_locally(z, h, t)[4], expected, rtol=1e-10)


def test_the_seam_is_like_any_other_place():
    z = np.random.default_rng(1).standard_normal(24)
    assert_allclose(
        contour.smooth_locally(np.roll(z, 5), 0.05), np.roll(contour.smooth_locally(z, 0.05), 5), atol=1e-13
    )


def test_bias_falls_with_the_square_of_the_bandwidth():
    t = np.arange(400) / 400
    wave = np.sin(2 * np.pi * t)
    errors = [np.abs(contour.smooth_locally(wave, h) - wave).max() for h in (0.04, 0.02, 0.01)]
    assert_allclose(errors[0] / errors[1], 4, rtol=0.05)
    assert_allclose(errors[1] / errors[2], 4, rtol=0.05)


def test_noise_falls():
    noise = np.random.default_rng(2).standard_normal(200)
    assert contour.smooth_locally(noise, 0.03).std() < 0.4


def test_a_bandwidth_that_reaches_no_neighbour_changes_nothing():
    z = np.random.default_rng(3).standard_normal(10)
    assert_allclose(contour.smooth_locally(z, 1e-3), z)


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, np.nan])
def test_bandwidths_that_make_no_sense_are_refused(bandwidth):
    with pytest.raises(RefusedRelease, match="bandwidth"):
        contour.smooth_locally(np.zeros(5), bandwidth)
