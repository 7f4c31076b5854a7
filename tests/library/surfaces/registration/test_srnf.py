"""The square root normal field: area, orientation, and the isometry of the action."""

import numpy as np
from numpy.testing import assert_allclose

from library.surfaces.registration.examples import diffeomorphism, wavy
from library.surfaces.test_polar import order
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import diffeo, srnf, table
from tolerances import ORDER_SLACK


def field(surface, grid):
    return srnf.srnf(srnf.normals(surface(grid.points), grid))


def other(points):
    """A second surface: the first, bent and turned."""
    f = wavy(points)
    return np.stack([f[..., 1] + 0.1 * f[..., 0] ** 2, f[..., 2], 1.2 * f[..., 0]], axis=-1)


def test_the_flat_disk_has_normal_plus_z():
    grid = polar_grid(24, 128)
    flat = np.concatenate([2 * grid.points, np.zeros((24, 128, 1))], axis=-1)
    assert_allclose(srnf.normals(flat, grid), np.broadcast_to([0, 0, 4], flat.shape), atol=1e-5)
    assert_allclose(field(lambda p: np.concatenate([2 * p, 0 * p[..., :1]], axis=-1), grid)[..., 2], 2, atol=1e-5)


def test_the_squared_norm_is_the_area():
    """The graph of (x^2 + y^2)/2 over the unit disk has area (2 pi / 3)(2 sqrt 2 - 1)."""
    grid = polar_grid(64, 192)
    q = field(lambda p: np.concatenate([p, (p**2).sum(axis=-1, keepdims=True) / 2], axis=-1), grid)
    area = 2 * np.pi / 3 * (2 * np.sqrt(2) - 1)
    assert_allclose(srnf.distance_squared(q, 0 * q, grid), area, rtol=1e-6)


def test_a_point_without_area_has_q_zero():
    n = np.zeros((2, 2, 3))
    n[0, 0] = [0, 0, 9]
    assert_allclose(srnf.srnf(n)[:, :, 2], [[3, 0], [0, 0]])


def test_the_action_keeps_distances():
    """||(q1, gamma) - (q2, gamma)|| = ||q1 - q2||, to an error that falls at fourth order."""
    errors = []
    for rings in (24, 48, 96):
        grid = polar_grid(rings, 4 * rings)
        gamma, jacobian = diffeomorphism(0.15, 3, grid)
        q = [field(surface, grid) for surface in (wavy, other)]
        moved = [diffeo.act(table.coefficients(one, grid), gamma, jacobian) for one in q]
        errors.append(abs(srnf.distance_squared(*moved, grid) / srnf.distance_squared(*q, grid) - 1))
    assert (order(errors) > 4 - ORDER_SLACK).all()
    assert errors[-1] < 1e-4


def test_the_action_is_the_field_of_the_composed_surface():
    """(q_f, gamma) = q of f(gamma): pins the square root, the sign and the order of the composition."""
    grid = polar_grid(96, 384)
    gamma, jacobian = diffeomorphism(0.15, 4, grid)
    composed = srnf.srnf(srnf.normals(wavy(gamma), grid))
    moved = diffeo.act(table.coefficients(field(wavy, grid), grid), gamma, jacobian)
    assert_allclose(moved, composed, atol=2e-3)
