"""Axes that a factorisation leaves open: Procrustes as an oracle, rounding, and spaces of equal eigenvalues."""

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose
from scipy.stats import ortho_group

from shapedp.privacy.manifolds import axes

VALUES = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 5.0])


def matrices():
    """Two symmetric matrices that differ by rounding, with a space of three equal eigenvalues and one of two."""
    turn = ortho_group.rvs(7, random_state=3)
    noise = np.random.default_rng(4).normal(size=(7, 7)) * 1e-15
    plain = (turn * VALUES) @ turn.T
    return plain, plain + noise + noise.T


def test_the_fixed_directions_are_fixed_and_short_ones_begin_the_long_ones():
    assert_allclose(axes.fixed_directions(2, 2), [[0.17699198, -0.84257789], [0.82301197, -0.26722052]], atol=1e-8)
    assert np.array_equal(axes.fixed_directions(9, 4)[:, :2], axes.fixed_directions(9, 2))


def test_rounding_turns_no_axis():
    (values, vectors), (_, again) = map(axes.decompose, matrices())
    assert_allclose(values, VALUES, atol=1e-12)
    assert_allclose(vectors, again, atol=1e-7)
    assert_allclose(vectors.T @ vectors, np.eye(7), atol=1e-12)
    assert_allclose((vectors * values) @ vectors.T, matrices()[0], atol=1e-12)


def test_a_space_has_one_basis_however_it_is_given_and_it_is_the_nearest():
    space = ortho_group.rvs(9, random_state=1)[:, :4]
    found = axes.nearest_basis(space)
    assert_allclose(axes.nearest_basis(space @ ortho_group.rvs(4, random_state=2)), found, atol=1e-12)
    turn, _ = scipy.linalg.orthogonal_procrustes(space, axes.fixed_directions(9, 4))
    assert_allclose(found, space @ turn, atol=1e-12)


def test_an_axis_points_towards_the_fixed_direction():
    _, vectors = axes.decompose(np.diag([1.0, 2.0, 4.0]))
    assert_allclose(vectors, np.diag(np.sign(axes.fixed_directions(3, 1)[:, 0])), atol=1e-15)


def test_a_null_space_is_at_right_angles_and_does_not_depend_on_the_order_of_rows():
    rows = np.random.default_rng(5).normal(size=(3, 8))
    found = axes.null_space(rows)
    assert_allclose(rows @ found, 0, atol=1e-12)
    assert_allclose(axes.null_space(rows[::-1]), found, atol=1e-12)
    assert axes.null_space(np.eye(3)).shape == (3, 0)


def test_vectors_are_completed_to_an_orthonormal_set_that_they_begin():
    given = ortho_group.rvs(9, random_state=6)[:, :2]
    found = axes.complete_basis(given, 3)
    assert np.array_equal(found[:, :2], given)
    assert_allclose(found.T @ found, np.eye(5), atol=1e-12)


@pytest.mark.parametrize(("costs", "best"), [((2.0, 1.0 + 1e-13, 1.0), 1), ((2.0, 1.1, 1.0), 2), ((-1.0, -1.0, 0), 0)])
def test_of_candidates_that_rounding_tells_apart_the_first_is_taken(costs, best):
    assert axes.first_of_the_best(range(3), costs.__getitem__) == best
