"""Diffeomorphisms of the disk: the circle to itself, Jacobians in closed form, composition, orientation."""

import numpy as np
from numpy.testing import assert_allclose

from library.surfaces.registration.examples import (
    act,
    demo_face,
    demo_template,
    diffeomorphism,
    fine_grid,
    low_field,
    step,
)
from library.surfaces.test_polar import order
from shapedp.surfaces import polar, table
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import descent, srnf
from shapedp.surfaces.registration.template import Options, prepare, unit_srnf
from tolerances import ON_THE_CIRCLE, ORDER_SLACK


def automorphism(points, a):
    """(z - a) / (1 - conj(a) z), and |its derivative|^2."""
    z = points @ np.array([1, 1j])
    w = (z - a) / (1 - np.conj(a) * z)
    return np.stack([w.real, w.imag], axis=-1), ((1 - abs(a) ** 2) / np.abs(1 - np.conj(a) * z) ** 2) ** 2


def test_a_step_keeps_the_circle():
    grid = polar_grid(32, 96)
    phi = step(0.3 * low_field(np.random.default_rng(1), grid), grid)
    assert_allclose(np.linalg.norm(phi[-1], axis=-1), 1, atol=ON_THE_CIRCLE)


def test_a_step_follows_the_displacement():
    """gamma(phi), phi = (x + v) / sqrt(1 + |v|^2), the last ring exactly on the circle."""
    grid = polar_grid(32, 96)
    v = 0.3 * low_field(np.random.default_rng(1), grid)
    gamma, _ = diffeomorphism(0.1, 2, grid)
    u_table = table.coefficients(gamma - grid.points, grid)
    phi = (grid.points + v) / np.sqrt(1 + (v**2).sum(axis=-1, keepdims=True))
    found = polar.from_rays(descent.take_step(u_table, polar.in_rays(v), polar.in_rays(grid.points)), 2)
    assert_allclose(grid.points + found, descent.positions(u_table, phi), atol=1e-12)


def test_an_alignment_is_that_of_its_formulas():
    """r = O (q2, gamma) - q1 with the best O, its energy, and the roughness beside it, the data's disk turned."""
    level = prepare(demo_template()[2], Options(levels=2, basis=40)).levels[0]
    q_table = table.coefficients(unit_srnf(demo_face(1)[2], fine_grid()), fine_grid())
    gamma, jacobian = diffeomorphism(0.1, 2, level.grid)
    found = descent.evaluate(q_table, polar.in_rays(gamma - level.grid.points), level, 0.3)
    moved = act(q_table, descent.turn(gamma, 0.3), jacobian)
    turn = srnf.best_rotation(srnf.covariance(level.q, moved, level.grid.weights))
    assert_allclose(found.rotation, turn, atol=1e-12)
    assert_allclose(polar.from_rays(found.residual, 3), srnf.rotate(turn, moved) - level.q, atol=1e-12)
    assert_allclose(
        found.energy, srnf.distance_squared(srnf.rotate(turn, moved), level.q, level.grid.weights), rtol=1e-10
    )
    c = level.basis.products(gamma - level.grid.points)
    assert_allclose(found.objective - found.energy, c @ level.penalty @ c, rtol=1e-8)


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
