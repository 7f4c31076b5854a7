"""The linearised template against finite differences, and what its penalty leaves free."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from threadpoolctl import threadpool_limits

from library.surfaces.registration.examples import act, diffeomorphism, fine_grid, step, wavy
from shapedp.surfaces import polar, table
from shapedp.surfaces.registration import descent, srnf, template
from shapedp.surfaces.registration.template import CHECK, Level, Options
from tolerances import FINITE_DIFFERENCE

SMOOTH = Options(levels=1, basis=40, regularisation=0.1)


def gentle(points):
    """A graph of long waves: its differences on 64 rings are derivatives to six digits."""
    x, y = points[..., 0], points[..., 1]
    return np.stack([x, y, 0.5 * np.sin(1.5 * x + 0.5) * np.cos(y - 0.5) + 0.2 * x * y], axis=-1)


@pytest.fixture(scope="module")
def prepared():
    return template.prepare(gentle(fine_grid().points), SMOOTH)


@pytest.fixture(scope="module")
def level(prepared):
    return prepared.levels[-1]


def template_table(level):
    """The template's own field as a table on the level's grid."""
    return table.coefficients(level.q, level.grid)


def along(level):
    """The derivatives of that table along x and y."""
    return table.gradient(template_table(level), level.grid)


def moved(level, c):
    """(q1, phi), phi the step of coefficients c."""
    phi = step(level.basis.field(c), level.grid)
    return act(template_table(level), phi, descent.jacobian(phi - level.grid.points, level.grid))


def directional(function, c, step=1e-4):
    """Central difference of fourth order of function(t c) at t = 0."""
    value = {k: function(k * step * c) for k in (-2, -1, 1, 2)}
    return (8 * (value[1] - value[-1]) - (value[2] - value[-2])) / (12 * step)


@pytest.fixture(scope="module")
def finer():
    """The linearised template on the checking grid, where differences of fourth order are good to six digits."""
    grid = fine_grid()
    return template._linearise(
        template.unit_srnf(gentle(grid.points), grid), grid, Level(*CHECK, 20, 0.0), None, SMOOTH
    )


@pytest.mark.slow
def test_the_linearisation_is_the_derivative_of_the_action(finer):
    """A c = d/dt (q1, phi_tc), and A^T W A with the rotations of space projected out."""
    matrix = template.normal_matrix(finer.q, along(finer), finer.basis, finer.grid)
    chosen = [0, 2, 5, 7]
    columns = [directional(lambda c: moved(finer, c), c) for c in np.eye(len(matrix))[chosen]]
    both = np.array(columns + [np.cross(axis, finer.q) for axis in np.eye(3)])
    gram = np.einsum("r,krac,lrac->kl", finer.grid.weights, both, both)
    expected = gram[:4, :4] - gram[:4, 4:] @ np.linalg.solve(gram[4:, 4:], gram[4:, :4])
    found = matrix[np.ix_(chosen, chosen)]
    assert_allclose(found, expected, rtol=0, atol=FINITE_DIFFERENCE * np.abs(expected).max())


def test_the_gradient_of_the_energy(level):
    """dE/dt along c of ||(q2, phi_tc) - q1||^2 = 2 r . A c, at q2 = q1 moved by a small diffeomorphism."""
    gamma, jacobian = diffeomorphism(1e-4, 1, level.grid)
    aligned = act(template_table(level), gamma, jacobian)
    in_rays = replace(level, gradient=along(level)).in_rays
    slopes = descent.slopes(polar.in_rays(aligned - level.q), in_rays.q, in_rays.along_x, in_rays.along_y)
    size = np.sqrt(srnf.distance_squared(level.q, aligned, level.grid.weights))
    for c in np.eye(level.basis.modes.real_size)[[1, 4, 9]]:
        found = 2 * level.basis.products_in_rays(slopes) @ c
        expected = -directional(lambda c: srnf.distance_squared(aligned, moved(level, c), level.grid.weights), c)
        assert_allclose(found, expected, rtol=0, atol=FINITE_DIFFERENCE * size)


def test_a_step_points_downhill_and_at_the_truth(level):
    """The data are (q1, phi^-1): one step must find phi, with its sign, to first order."""
    gamma, jacobian = diffeomorphism(0.01, 2, level.grid)
    q_table = table.coefficients(act(template_table(level), gamma, jacobian), level.grid)
    start = descent.evaluate(q_table, np.zeros_like(level.in_rays.points), level)
    found = level.basis.field(descent.direction(start, level)[0])
    truth = gamma - level.grid.points
    cosine = (found * truth).sum() / np.sqrt((found**2).sum() * (truth**2).sum())
    assert cosine < -0.9


def test_the_penalty_leaves_turns_and_moved_centers_free(level):
    basis, z = level.basis, level.grid.points @ np.array([1, 1j])
    rough = template.roughness(basis)
    for v in (1j * z, 1 - z**2, 1j + 1j * z**2):
        c = basis.products(np.stack([v.real, v.imag], axis=-1))
        assert abs(c @ rough @ c) < 1e-12 * (c @ c) * np.abs(rough).max()
    assert np.linalg.eigvalsh(rough).min() > -1e-9 * np.abs(rough).max()
    assert (np.linalg.eigvalsh(rough) > 1e-6).sum() == len(rough) - 3


def test_the_template_has_unit_area(level):
    q = template.unit_srnf(7 * wavy(fine_grid().points), fine_grid())
    assert_allclose(srnf.distance_squared(q, 0 * q, fine_grid().weights), 1, rtol=1e-12)


def test_same_bits_for_any_number_of_threads(prepared):
    with threadpool_limits(2):
        again = template.prepare(gentle(fine_grid().points), SMOOTH)
    for one, other in zip(prepared.levels, again.levels, strict=True):
        assert np.array_equal(one.q, other.q)
        assert np.array_equal(one.inverse, other.inverse)
