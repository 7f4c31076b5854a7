"""Mean of matrix logarithms in a compiled loop: against scipy's logm, by hand, near the identity, on hard matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import logm
from scipy.stats import ortho_group

from library.manifolds import precise_spd
from shapedp.manifolds import small_logs
from shapedp.manifolds.symmetric import symmetrise

ROUNDING = 1e-13  # of a logarithm of size 1 to 10: a few hundred times the last digit


def random_spd(rng, count, k):
    factors = rng.standard_normal((count, k, k))
    return factors @ factors.swapaxes(-1, -2) + 0.1 * np.eye(k)


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize("k", range(1, small_logs.LARGEST + 1))
def test_it_is_the_mean_of_scipys_logarithms(k):
    rng = np.random.default_rng(k)
    points, factor = random_spd(rng, 20, k), np.linalg.cholesky(random_spd(rng, 1, k)[0])
    inverse = np.linalg.inv(factor)
    expected = np.mean([logm(inverse @ point @ inverse.T) for point in points], axis=0)
    assert_allclose(
        small_logs.mean_log(inverse, factor @ factor.T, points), expected, atol=ROUNDING * np.abs(expected).max()
    )


def test_a_hand_case_pins_the_sign():
    points = np.array([np.diag([np.e, 1.0]), np.diag([np.e**3, np.e**-2])])
    assert_allclose(small_logs.mean_log(np.eye(2), np.eye(2), points), np.diag([2.0, -1.0]), atol=ROUNDING)


def test_near_the_identity_no_digit_is_lost():
    """Log(I + a) = a - a^2 / 2 for small a; from I + a alone, a would be known to 1e-16, not to 1e-16 of itself."""
    step = 2.0**-30 * np.array([[3.0, 1.0], [1.0, -2.0]])
    found = small_logs.mean_log(np.eye(2), np.eye(2), (np.eye(2) + step)[None])
    assert_allclose(found, step - step @ step / 2, rtol=1e-15)


def test_equal_and_far_apart_eigenvalues():
    rotation = ortho_group.rvs(4, random_state=np.random.default_rng(4))
    for logs in ([1.0, 1.0, 1.0, 1.0], [2.0, 2.0, -1.0, -1.0], [6.0, 3.0, -3.0, -6.0]):
        point = symmetrise(rotation @ np.diag(np.exp(logs)) @ rotation.T)
        found = small_logs.mean_log(np.eye(4), np.eye(4), point[None])
        # the smallest eigenvalue carries the rounding of the largest: exp(12) times the last digit
        assert_allclose(found, rotation @ np.diag(logs) @ rotation.T, atol=1e-15 * np.exp(max(logs) - min(logs)) * 20)


def test_leading_axes_broadcast():
    rng = np.random.default_rng(5)
    points = random_spd(rng, 6, 3).reshape(2, 3, 3, 3)
    both = small_logs.mean_log(np.eye(3), np.eye(3), points)
    for found, one in zip(both, points, strict=True):
        assert_allclose(found, small_logs.mean_log(np.eye(3), np.eye(3), one), rtol=0, atol=0)


@pytest.mark.parametrize("condition", [1e6, 1e8])
@pytest.mark.parametrize("k", [2, 3, 5, small_logs.LARGEST])
def test_hard_pairs_are_known_to_the_last_digits(k, condition):
    """In working precision the smallest pivots of these matrices are known to 1e-10 and 1e-8 of themselves."""
    assert precise_spd.worst_relative(small_logs.log, small_logs.dist, k, condition, pairs=3, seed=k) < 2e-14


def test_exponentials_undo_logarithms():
    rng = np.random.default_rng(8)
    for k in range(1, small_logs.LARGEST_EXP + 1):
        x, points = random_spd(rng, 1, k)[0], random_spd(rng, 7, k)
        assert_allclose(small_logs.exp(x, small_logs.log(x, points)), points, rtol=1e-10)
