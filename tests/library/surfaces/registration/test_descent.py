"""Diffeomorphisms of the disk: the circle to itself, Jacobians in closed form, composition, orientation."""

import numpy as np
from numpy.testing import assert_allclose

from library.surfaces.registration.examples import diffeomorphism, low_field
from library.surfaces.test_polar import order
from shapedp.surfaces import table
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import descent
from tolerances import ON_THE_CIRCLE, ORDER_SLACK


def automorphism(points, a):
    """(z - a) / (1 - conj(a) z), and |its derivative|^2."""
    z = points @ np.array([1, 1j])
    w = (z - a) / (1 - np.conj(a) * z)
    return np.stack([w.real, w.imag], axis=-1), ((1 - abs(a) ** 2) / np.abs(1 - np.conj(a) * z) ** 2) ** 2


def test_a_step_keeps_the_circle():
    grid = polar_grid(32, 96)
    phi = descent.step(0.3 * low_field(np.random.default_rng(1), grid), grid)
    assert_allclose(np.linalg.norm(phi[-1], axis=-1), 1, atol=ON_THE_CIRCLE)


def test_the_jacobian_of_an_automorphism():
    errors = []
    for rings in (24, 48, 96):
        grid = polar_grid(rings, 4 * rings)
        gamma, expected = automorphism(grid.points, 0.2 - 0.1j)
        errors.append(np.abs(descent.jacobian(gamma - grid.points, grid) - expected).max())
    assert (order(errors) > 4 - ORDER_SLACK).all()


def test_the_jacobian_of_a_reflection_is_negative():
    grid = polar_grid(24, 64)
    assert_allclose(descent.jacobian(grid.points * [1, -1] - grid.points, grid), -1, atol=1e-4)


def test_composition_of_automorphisms():
    """gamma(phi), not phi(gamma), and the last ring exactly on the circle."""
    grid = polar_grid(64, 256)
    gamma, _ = automorphism(grid.points, 0.2)
    phi, _ = automorphism(grid.points, -0.1j)
    expected, _ = automorphism(phi, 0.2)
    found = descent.positions(table.coefficients(gamma - grid.points, grid), phi)
    assert_allclose(found, expected, atol=1e-6)
    assert_allclose(np.linalg.norm(found[-1], axis=-1), 1, atol=ON_THE_CIRCLE)


def test_the_integral_of_the_jacobian_is_the_disk():
    grid = polar_grid(64, 192)
    _, jacobian = diffeomorphism(0.2, 2, grid)
    assert jacobian.min() > 0
    assert_allclose(grid.integral(jacobian), np.pi, rtol=1e-6)


def test_a_turn_is_counter_clockwise():
    assert_allclose(descent.turn(np.array([[[1.0, 0.0]]]), np.pi / 2), [[[0, 1]]], atol=1e-15)
