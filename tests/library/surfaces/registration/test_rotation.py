"""Best rotations: against scipy, without reflections, and every turn of the disk at once."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import rotation, srnf

GRID = polar_grid(24, 64)


def fields(seed, count=2):
    return np.random.default_rng(seed).standard_normal((count, GRID.rings, GRID.angles, 3))


def test_covariance_is_the_weighted_sum():
    q1, q2 = fields(1)
    assert_allclose(rotation.covariance(q1, q2, GRID), np.einsum("r,rac,rad->cd", GRID.weights, q1, q2), atol=1e-12)


def test_a_known_rotation_comes_back():
    """q1 = O q2 gives O, not its inverse."""
    turn = Rotation.from_euler("xyz", [40, -70, 160], degrees=True).as_matrix()
    q = fields(2, 1)[0]
    assert_allclose(rotation.best_rotation(rotation.covariance(q @ turn.T, q, GRID)), turn, atol=1e-12)


def test_scipy_finds_the_same_rotation():
    q1, q2 = fields(3)
    weights = np.repeat(GRID.weights, GRID.angles)
    expected, _ = Rotation.align_vectors(q1.reshape(-1, 3), q2.reshape(-1, 3), weights)
    found = rotation.best_rotation(rotation.covariance(q1, q2, GRID))
    assert_allclose(found, expected.as_matrix(), atol=1e-10)


def test_a_mirror_image_is_matched_by_a_rotation():
    q = fields(4, 1)[0]
    found = rotation.best_rotation(rotation.covariance(q * [1, 1, -1], q, GRID))
    assert_allclose(np.linalg.det(found), 1, atol=1e-12)


def test_energies_of_all_turns_are_those_of_each():
    q1, q2 = fields(5)
    energies = rotation.energies_of_rolls(q1, q2, GRID)
    for shift in (0, 1, 17, 63):
        turned = np.roll(q2, -shift, axis=1)
        best = rotation.best_rotation(rotation.covariance(q1, turned, GRID))
        assert_allclose(energies[shift], srnf.distance_squared(q1, turned @ best.T, GRID), rtol=1e-10)
