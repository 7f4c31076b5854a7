"""The polar grid: quadrature against integrals in closed form, derivatives at their order."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import iv

from shapedp.surfaces.polar import PolarGrid, polar_grid
from tolerances import ORDER_SLACK


def waves(points):
    x, y = points[..., 0], points[..., 1]
    return np.stack([np.exp(x) * np.sin(2 * y), np.cos(3 * x + y)], axis=-1)


def derivative_along_x(points):
    x, y = points[..., 0], points[..., 1]
    return np.stack([np.exp(x) * np.sin(2 * y), -3 * np.sin(3 * x + y)], axis=-1)


def order(errors):
    """Observed orders between grids that double."""
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def test_the_first_ring_is_half_a_step_out_and_the_last_is_the_circle():
    grid = PolarGrid(24, 64)
    assert_allclose(grid.r[0], grid.h / 2)
    assert grid.r[-1] == 1
    assert_allclose(np.diff(grid.r), grid.h, rtol=1e-12)


def test_even_powers_of_the_radius_are_integrated_exactly():
    grid = PolarGrid(24, 64)
    for power in (0, 2, 4, 6):
        values = np.repeat((grid.r**power)[:, None], grid.angles, axis=1)
        assert_allclose(grid.integral(values), 2 * np.pi / (power + 2), rtol=1e-12)


def test_weights_are_positive():
    assert all((PolarGrid(rings, 64).weights > 0).all() for rings in (6, 24, 32, 64, 96, 128))


def test_the_quadrature_converges_to_an_integral_in_closed_form():
    """The integral of exp(x) over the unit disk is 2 pi I_1(1)."""
    errors = [
        abs(polar_grid(n, 4 * n).integral(np.exp(polar_grid(n, 4 * n).points[..., 0])) - 2 * np.pi * iv(1, 1))
        for n in (12, 24, 48)
    ]
    assert (order(errors) > 4 - ORDER_SLACK).all()


def test_derivatives_are_of_fourth_order_also_at_the_center_and_the_rim():
    errors = []
    for rings in (24, 48, 96):
        grid = polar_grid(rings, 4 * rings)
        along_x, _ = grid.gradient(waves(grid.points))
        errors.append(np.abs(along_x - derivative_along_x(grid.points)).max())
    assert (order(errors) > 4 - ORDER_SLACK).all()


def test_the_gradient_of_a_linear_field_has_the_right_signs():
    grid = polar_grid(24, 128)
    field = (2 * grid.points[..., 0] - 5 * grid.points[..., 1])[..., None]
    along_x, along_y = grid.gradient(field)
    assert_allclose(along_x, 2, atol=1e-5)
    assert_allclose(along_y, -5, atol=1e-5)


@pytest.mark.parametrize(("rings", "angles"), [(5, 64), (24, 6), (24, 63)])
def test_a_grid_too_small_or_with_odd_angles_is_refused(rings, angles):
    with pytest.raises(ValueError, match="polar grid needs"):
        PolarGrid(rings, angles)
