"""Bounds from numbers and from a public population, by hand; joint bounds hold for the population they come from."""

import numpy as np
import pytest

import tolerances
from shapedp.base.errors import RefusedRelease
from shapedp.privacy.curves import bounds

M = 80


def dense(m, rho=1.0, alpha=1.0):
    """The kernel matrix, entry by entry from its definition, divided by m."""
    t = 2 * np.pi * np.arange(m) / m
    apart = np.arccos(np.clip(np.cos(t[:, None] - t), -1, 1))
    return np.exp(-((apart / rho) ** alpha)) / m


@pytest.mark.parametrize(("rho", "alpha"), [(1.0, 1.0), (0.3, 0.5), (2.5, 1.0)])
def test_the_spectrum_is_that_of_the_kernel_matrix(rho, alpha):
    expected = np.linalg.eigvalsh(dense(M, rho, alpha))
    assert np.allclose(np.sort(bounds.spectrum(M, rho, alpha)), expected, rtol=0, atol=tolerances.EIGENVALUES)


def test_each_basis_function_is_an_eigenfunction():
    basis = bounds.curves(np.eye(M))
    assert np.allclose(dense(M) @ basis.T, basis.T * bounds.spectrum(M, 1.0, 1.0), rtol=0, atol=tolerances.EIGENVALUES)


def test_the_basis_is_orthonormal_in_the_mean_square_norm():
    basis = bounds.curves(np.eye(M))
    assert np.allclose(basis @ basis.T / M, np.eye(M), rtol=0, atol=tolerances.EIGENVALUES)
    x = np.random.default_rng(0).normal(size=(5, M))
    assert np.allclose(np.linalg.norm(bounds.coefficients(x), axis=-1), bounds.norm(x), rtol=1e-13)


def test_the_rough_norm_by_hand():
    """3 + sqrt 2 sin(2t): powers 9 at frequency 0 and 1 at frequency 2."""
    t = 2 * np.pi * np.arange(8) / 8
    found = bounds.rough_norm(bounds.coefficients(3 + np.sqrt(2) * np.sin(2 * t)))
    assert found == pytest.approx(np.sqrt(9 + np.sqrt(5)))


def test_signs_of_the_basis():
    t = 2 * np.pi * np.arange(8) / 8
    assert np.allclose(bounds.coefficients(np.sqrt(2) * np.sin(2 * t)), np.eye(8)[4], atol=1e-15)
    assert np.allclose(bounds.coefficients(3 + 0 * t), 3 * np.eye(8)[0], atol=1e-15)
    assert np.allclose(bounds.coefficients(np.cos(4 * t)), np.eye(8)[7], atol=1e-15), "the Nyquist mode has no root 2"


def test_coefficients_and_curves_are_inverse():
    x = np.random.default_rng(1).normal(size=(3, 2, 10))
    assert np.allclose(bounds.curves(bounds.coefficients(x)), x, rtol=0, atol=1e-14)


def test_the_filter_minimises_the_penalised_sum_of_squares():
    """The objective of the paper with 1/n, minimised by a dense linear solve in the RKHS."""
    x = np.random.default_rng(2).normal(size=(7, M))
    phi = 0.01
    gram = np.linalg.inv(dense(M)) / M  # ||m||_H^2 = sum c_j^2/lambda_j = m' gram m
    best = np.linalg.solve(np.eye(M) / M + phi * gram, x.mean(axis=0) / M)
    filters = bounds.filters(M, 1.0, 1.0, [phi] * 3)
    found = bounds.smooth(np.broadcast_to(x.mean(axis=0), (3, M)), filters)[0]
    assert np.allclose(found, best, rtol=0, atol=1e-9)


@pytest.mark.parametrize("phi", [[0, 1, 1], [-1, 1, 1], [np.nan, 1, 1]])
def test_phi_must_be_positive(phi):
    with pytest.raises(RefusedRelease, match="phi must be positive"):
        bounds.filters(M, 1.0, 1.0, phi)


def test_kernel_parameters_are_checked():
    with pytest.raises(RefusedRelease, match="alpha in"):
        bounds.spectrum(M, 1.0, 1.5)


@pytest.mark.parametrize("m", [0, 7, 81])
def test_an_odd_number_of_samples_is_refused(m):
    """The basis ends with the Nyquist mode, which odd m does not have."""
    with pytest.raises(RefusedRelease, match="even number of samples"):
        bounds.spectrum(m, 1.0, 1.0)


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
    assert np.allclose(found.block_bounds(), 12), "frequency 0 weighs 1 in the rough norm"


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
    norms = np.sqrt(np.sum((weights * bounds.rough_norm(bounds.coefficients(people - REFERENCE))) ** 2, axis=(1, 2)))
    assert np.sum(norms <= found.joint_bound(weights)) == 91, "the 0.9 quantile of 100, taken upwards"


def test_the_joint_bound_is_never_above_that_of_the_blocks_together():
    people = REFERENCE + np.random.default_rng(3).normal(size=(100, *SHAPE))
    found = bounds.from_population(read(people), 100, REFERENCE, 0.5, 1.0, "a public set", True)
    weights = np.ones((2, 3))
    assert found.joint_bound(weights) <= np.sqrt(np.sum(found.block_bounds() ** 2))


def test_numbers_give_the_joint_bound_of_the_blocks():
    assert bounds.from_numbers([3, 4, 12], 1).joint_bound(np.ones((1, 3))) == pytest.approx(13)


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
