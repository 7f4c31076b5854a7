"""Hand cases on positive definite matrices, congruences, and scipy's matrix functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm, logm, sqrtm

import tolerances
from library.privacy.manifolds import spaces
from shapedp.base.errors import Rejected
from shapedp.privacy.manifolds import spd
from shapedp.privacy.manifolds.spd import SPD, log_sinhc


def test_diagonal_matrices_are_flat():
    """dist(I, diag(e^a, e^b)) = sqrt(a² + b²), and log_I is diag(a, b): growing matrices point outwards."""
    y = np.diag(np.exp([0.3, -0.4]))
    assert_allclose(SPD(2).dist(np.eye(2), y), 0.5, rtol=0, atol=tolerances.DISTANCE)
    assert_allclose(SPD(2).log(np.eye(2), y), np.diag([0.3, -0.4]), rtol=0, atol=tolerances.DISTANCE)


def test_inner_product_at_a_multiple_of_the_identity():
    """<u, v>_(cI) = tr(uv) / c²."""
    u, v = np.array([[1.0, 2.0], [2.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 3.0]])
    assert_allclose(SPD(2).inner(2 * np.eye(2), u, v), 4 / 4)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_exp_log_and_distance_are_scipys(k):
    rng = np.random.default_rng(k)
    manifold = SPD(k)
    x, y = spaces.points(manifold, rng, 2)
    root = sqrtm(x)
    inverse = np.linalg.inv(root)
    whitened = logm(inverse @ y @ inverse)
    v = manifold.log(x, y)
    assert_allclose(v, root @ whitened @ root, rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(manifold.dist(x, y), np.linalg.norm(whitened), rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(manifold.exp(x, v / 3), root @ expm(whitened / 3) @ root, rtol=0, atol=tolerances.ROUND_TRIP)


def test_congruences_and_inversion_are_isometries():
    rng = np.random.default_rng(5)
    x, y = (spaces.points(SPD(3), rng, 40) for _ in range(2))
    a = rng.standard_normal((3, 3)) + 2 * np.eye(3)
    d = SPD(3).dist(x, y)
    assert_allclose(SPD(3).dist(a @ x @ a.T, a @ y @ a.T), d, rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(SPD(3).dist(np.linalg.inv(x), np.linalg.inv(y)), d, rtol=0, atol=tolerances.ROUND_TRIP)


def test_volume_grows_like_exp_of_the_growth_rate():
    """Along l = (1, 0, -1)/√2, sum x_ij = B t exactly: the direction of fastest growth for k = 3."""
    direction = np.diag([1.0, 0.0, -1.0]) / np.sqrt(2)
    t = 60.0
    rate = (SPD(3).log_area(np.eye(3), (t + 1) * direction) - SPD(3).log_area(np.eye(3), t * direction)) - 5 * np.log(
        (t + 1) / t
    )
    assert_allclose(rate, SPD(3).growth - 3 * np.log((t + 1) / t), rtol=1e-9)


def test_growth_is_that_of_the_convergence_limits_in_closed_form():
    """1/B = 2 sqrt(3 / (k (k² - 1))): √2 for k = 2, 1/√2 for k = 3."""
    assert_allclose([1 / SPD(2).growth, 1 / SPD(3).growth], [np.sqrt(2), np.sqrt(0.5)])


def test_log_sinhc_at_both_ends():
    assert_allclose(log_sinhc(np.array([0.0, 1e-8, 800.0])), [0.0, 0.0, 800 - np.log(1600)], atol=1e-15)


def test_an_indefinite_matrix_is_refused():
    with pytest.raises(Rejected, match="positive definite"):
        SPD(2).project(np.diag([1.0, -1.0]))


def test_two_by_two_eigenvalues_and_vectors():
    rng = np.random.default_rng(0)
    a = spd.symmetrise(rng.standard_normal((300, 2, 2)))
    a[0], a[1], a[2] = np.eye(2), np.diag([2.0, 1.0]), np.diag([1.0, 2.0])
    values, vectors = spd.eigh(a)
    assert_allclose(values, np.linalg.eigvalsh(a), rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(spd.compose(vectors, values), a, rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(vectors.mT @ vectors, np.broadcast_to(np.eye(2), a.shape), atol=1e-15)
