"""The circulant spectrum against a dense eigen-decomposition, and the real Fourier basis as its eigenvectors."""

import numpy as np
import pytest

import tolerances
from shapedp.errors import RefusedRelease
from shapedp.mechanisms import kernel, smoothing

M = 80


def dense(m, rho=1.0, alpha=1.0):
    """The kernel matrix, entry by entry from its definition, divided by m."""
    t = 2 * np.pi * np.arange(m) / m
    apart = np.arccos(np.clip(np.cos(t[:, None] - t), -1, 1))
    return np.exp(-((apart / rho) ** alpha)) / m


@pytest.mark.parametrize(("rho", "alpha"), [(1.0, 1.0), (0.3, 0.5), (2.5, 1.0)])
def test_the_spectrum_is_that_of_the_kernel_matrix(rho, alpha):
    expected = np.linalg.eigvalsh(dense(M, rho, alpha))
    assert np.allclose(np.sort(kernel.spectrum(M, rho, alpha)), expected, rtol=0, atol=tolerances.EIGENVALUES)


def test_each_basis_function_is_an_eigenfunction():
    basis = kernel.curves(np.eye(M))
    assert np.allclose(dense(M) @ basis.T, basis.T * kernel.spectrum(M, 1.0, 1.0), rtol=0, atol=tolerances.EIGENVALUES)


def test_the_basis_is_orthonormal_in_the_mean_square_norm():
    basis = kernel.curves(np.eye(M))
    assert np.allclose(basis @ basis.T / M, np.eye(M), rtol=0, atol=tolerances.EIGENVALUES)
    x = np.random.default_rng(0).normal(size=(5, M))
    assert np.allclose(np.linalg.norm(kernel.coefficients(x), axis=-1), kernel.norm(x), rtol=1e-13)


def test_the_rough_norm_by_hand():
    """3 + sqrt 2 sin(2t): powers 9 at frequency 0 and 1 at frequency 2."""
    t = 2 * np.pi * np.arange(8) / 8
    found = kernel.rough_norm(kernel.coefficients(3 + np.sqrt(2) * np.sin(2 * t)))
    assert found == pytest.approx(np.sqrt(9 + np.sqrt(5)))


def test_signs_of_the_basis():
    t = 2 * np.pi * np.arange(8) / 8
    assert np.allclose(kernel.coefficients(np.sqrt(2) * np.sin(2 * t)), np.eye(8)[4], atol=1e-15)
    assert np.allclose(kernel.coefficients(3 + 0 * t), 3 * np.eye(8)[0], atol=1e-15)
    assert np.allclose(kernel.coefficients(np.cos(4 * t)), np.eye(8)[7], atol=1e-15), "the Nyquist mode has no root 2"


def test_coefficients_and_curves_are_inverse():
    x = np.random.default_rng(1).normal(size=(3, 2, 10))
    assert np.allclose(kernel.curves(kernel.coefficients(x)), x, rtol=0, atol=1e-14)


def test_the_filter_minimises_the_penalised_sum_of_squares():
    """The objective of the paper with 1/n, minimised by a dense linear solve in the RKHS."""
    x = np.random.default_rng(2).normal(size=(7, M))
    phi = 0.01
    gram = np.linalg.inv(dense(M)) / M  # ||m||_H^2 = sum c_j^2/lambda_j = m' gram m
    best = np.linalg.solve(np.eye(M) / M + phi * gram, x.mean(axis=0) / M)
    filters = smoothing.filters(M, 1.0, 1.0, [phi] * 3)
    found = smoothing.smooth(np.broadcast_to(x.mean(axis=0), (3, M)), filters)[0]
    assert np.allclose(found, best, rtol=0, atol=1e-9)


@pytest.mark.parametrize("phi", [[0, 1, 1], [-1, 1, 1], [np.nan, 1, 1]])
def test_phi_must_be_positive(phi):
    with pytest.raises(RefusedRelease, match="phi must be positive"):
        smoothing.filters(M, 1.0, 1.0, phi)


def test_kernel_parameters_are_checked():
    with pytest.raises(RefusedRelease, match="alpha in"):
        kernel.spectrum(M, 1.0, 1.5)


@pytest.mark.parametrize("m", [0, 7, 81])
def test_an_odd_number_of_samples_is_refused(m):
    """The basis ends with the Nyquist mode, which odd m does not have."""
    with pytest.raises(RefusedRelease, match="even number of samples"):
        kernel.spectrum(m, 1.0, 1.0)
