"""Lookup by cubic splines: exact at the grid, fourth order between, smooth through the center."""

import numpy as np
from numpy.testing import assert_allclose

from library.surfaces.test_polar import derivative_along_x, order, waves
from shapedp.surfaces import table
from shapedp.surfaces.polar import polar_grid
from tolerances import ORDER_SLACK


def scattered(count=3000):
    """Points of the disk, some on the rim, some close to the center."""
    rng = np.random.default_rng(5)
    r, angle = np.sqrt(rng.random(count)), 2 * np.pi * rng.random(count)
    r[:200], r[200:400] = 1, r[200:400] * 0.01
    return np.stack([r * np.cos(angle), r * np.sin(angle)], axis=-1)


def test_the_grid_values_come_back():
    grid = polar_grid(24, 64)
    field = np.random.default_rng(1).standard_normal((24, 64, 3))
    assert_allclose(table.lookup(table.coefficients(field, grid), grid.points), field, atol=1e-12)


def test_lookup_is_of_fourth_order_and_its_gradient_of_third():
    values, slopes = [], []
    for rings in (24, 48, 96):
        grid = polar_grid(rings, 4 * rings)
        c = table.coefficients(waves(grid.points), grid)
        values.append(np.abs(table.lookup(c, scattered()) - waves(scattered())).max())
        slopes.append(np.abs(table.gradient(c, grid)[0] - derivative_along_x(grid.points)).max())
    assert (order(values) > 4 - ORDER_SLACK).all()
    assert (order(slopes) > 3 - ORDER_SLACK).all()


def test_the_gradient_is_that_of_the_spline():
    grid, step = polar_grid(24, 64), 1e-6
    c = table.coefficients(waves(grid.points), grid)
    points = grid.points[:-1]  # beyond the rim the spline is not looked up
    for axis, slope in enumerate(table.gradient(c, grid)):
        move = step * np.eye(2)[axis]
        expected = (table.lookup(c, points + move) - table.lookup(c, points - move)) / (2 * step)
        assert_allclose(slope[:-1], expected, atol=1e-5)


def test_a_point_beyond_the_rim_takes_the_rim_value():
    grid = polar_grid(24, 64)
    c = table.coefficients(waves(grid.points), grid)
    assert_allclose(table.lookup(c, 1.01 * grid.points[-1]), waves(grid.points[-1]), atol=1e-12)


def test_on_a_grid_a_lookup_is_that_of_its_points_one_by_one():
    field = np.random.default_rng(3).normal(size=(24, 64, 3))
    c, finer = table.coefficients(field, polar_grid(24, 64)), polar_grid(40, 100)
    z = (finer.points @ [1, 1j]) * np.exp(0.7j)
    points = np.stack([z.real, z.imag], axis=-1)
    np.testing.assert_allclose(table.lookup_grid(c, 40, 100, 0.7), table.lookup(c, points), rtol=0, atol=1e-12)
