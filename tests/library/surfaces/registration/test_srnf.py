"""The square root normal field: area, orientation, and the isometry of the action."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from library.surfaces.registration.examples import act, diffeomorphism, wavy
from library.surfaces.test_polar import order
from shapedp.surfaces import table
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import srnf
from tolerances import ORDER_SLACK


def field(surface, grid):
    return srnf.unit(srnf.normals(surface(grid.points), grid), 1.0)


def other(points):
    """A second surface: the first, bent and turned."""
    f = wavy(points)
    return np.stack([f[..., 1] + 0.1 * f[..., 0] ** 2, f[..., 2], 1.2 * f[..., 0]], axis=-1)


def test_the_flat_disk_has_normal_plus_z():
    grid = polar_grid(24, 128)
    flat = np.concatenate([2 * grid.points, np.zeros((24, 128, 1))], axis=-1)
    n = np.moveaxis(srnf.normals(flat, grid), 1, 2)
    assert_allclose(n, np.broadcast_to([0, 0, 4], flat.shape), atol=1e-5)
    assert_allclose(field(lambda p: np.concatenate([2 * p, 0 * p[..., :1]], axis=-1), grid)[..., 2], 2, atol=1e-5)


def test_the_squared_norm_is_the_area():
    """The graph of (x^2 + y^2)/2 over the unit disk has area (2 pi / 3)(2 sqrt 2 - 1)."""
    grid = polar_grid(64, 192)
    q = field(lambda p: np.concatenate([p, (p**2).sum(axis=-1, keepdims=True) / 2], axis=-1), grid)
    area = 2 * np.pi / 3 * (2 * np.sqrt(2) - 1)
    assert_allclose(srnf.distance_squared(q, 0 * q, grid.weights), area, rtol=1e-6)


def test_a_point_without_area_has_q_zero():
    n = np.zeros((2, 3, 2))
    n[0, :, 0] = [0, 0, 9]
    assert_allclose(srnf.unit(n, 1.0)[:, :, 2], [[3, 0], [0, 0]])


def test_the_action_keeps_distances():
    """||(q1, gamma) - (q2, gamma)|| = ||q1 - q2||, to an error that falls at fourth order."""
    errors = []
    for rings in (24, 48, 96):
        grid = polar_grid(rings, 4 * rings)
        gamma, jacobian = diffeomorphism(0.15, 3, grid)
        q = [field(surface, grid) for surface in (wavy, other)]
        moved = [act(table.coefficients(one, grid), gamma, jacobian) for one in q]
        errors.append(abs(srnf.distance_squared(*moved, grid.weights) / srnf.distance_squared(*q, grid.weights) - 1))
    assert (order(errors) > 4 - ORDER_SLACK).all()
    assert errors[-1] < 1e-4


def test_the_action_is_the_field_of_the_composed_surface():
    """(q_f, gamma) = q of f(gamma): pins the square root, the sign and the order of the composition."""
    grid = polar_grid(96, 384)
    gamma, jacobian = diffeomorphism(0.15, 4, grid)
    composed = srnf.unit(srnf.normals(wavy(gamma), grid), 1.0)
    moved = act(table.coefficients(field(wavy, grid), grid), gamma, jacobian)
    assert_allclose(moved, composed, atol=2e-3)


GRID = polar_grid(24, 64)


def fields(seed, count=2):
    return np.random.default_rng(seed).standard_normal((count, GRID.rings, GRID.angles, 3))


def test_covariance_is_the_weighted_sum():
    q1, q2 = fields(1)
    assert_allclose(srnf.covariance(q1, q2, GRID.weights), np.einsum("r,rac,rad->cd", GRID.weights, q1, q2), atol=1e-12)


def test_a_known_rotation_comes_back():
    """q1 = O q2 gives O, not its inverse."""
    turn = Rotation.from_euler("xyz", [40, -70, 160], degrees=True).as_matrix()
    q = fields(2, 1)[0]
    assert_allclose(srnf.best_rotation(srnf.covariance(q @ turn.T, q, GRID.weights)), turn, atol=1e-12)


def test_scipy_finds_the_same_rotation():
    q1, q2 = fields(3)
    weights = np.repeat(GRID.weights, GRID.angles)
    expected, _ = Rotation.align_vectors(q1.reshape(-1, 3), q2.reshape(-1, 3), weights)
    found = srnf.best_rotation(srnf.covariance(q1, q2, GRID.weights))
    assert_allclose(found, expected.as_matrix(), atol=1e-10)


def test_a_mirror_image_is_matched_by_a_rotation():
    q = fields(4, 1)[0]
    found = srnf.best_rotation(srnf.covariance(q * [1, 1, -1], q, GRID.weights))
    assert_allclose(np.linalg.det(found), 1, atol=1e-12)


def test_energies_of_all_turns_are_those_of_each():
    q1, q2 = fields(5)
    energies = srnf.find_roll_energies(q1, q2, GRID)
    for shift in (0, 1, 17, 63):
        turned = np.roll(q2, -shift, axis=1)
        best = srnf.best_rotation(srnf.covariance(q1, turned, GRID.weights))
        assert_allclose(energies[shift], srnf.distance_squared(q1, turned @ best.T, GRID.weights), rtol=1e-10)
