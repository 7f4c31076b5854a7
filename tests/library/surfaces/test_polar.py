"""The polar grid: quadrature against integrals in closed form, derivatives at their order."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import iv, jnp_zeros, jv

import tolerances
from library.surfaces import analytic
from shapedp.base.errors import Rejected
from shapedp.surfaces import polar, topology
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


GRID = polar_grid(48, 128)


def smoothed(field, sigma):
    (kernel,) = polar.heat_kernels(GRID, (sigma,))
    return polar.smooth_field(field, kernel)


def test_a_constant_stays():
    assert_allclose(smoothed(np.full((48, 128, 2), 3.5), 0.06), 3.5, rtol=tolerances.KERNEL)


def test_the_integral_over_the_cells_is_kept():
    edges = np.append(np.arange(GRID.rings) * GRID.h, 1.0)
    field = np.random.default_rng(1).standard_normal((48, 128, 1))
    before, after = (np.diff(edges**2) @ one.sum(axis=(1, 2)) for one in (field, smoothed(field, 0.06)))
    assert_allclose(after, before, rtol=10 * tolerances.KERNEL)


def test_a_neumann_eigenfunction_decays_at_its_rate():
    """J_3(k r) sin 3 theta, J'_3(k) = 0, shrinks by exp(-k^2 sigma^2 / 2); second-order cells, hence the tolerance."""
    k, sigma = jnp_zeros(3, 2)[1], 0.1
    mode = (jv(3, k * GRID.r)[:, None] * np.sin(3 * GRID.theta))[:, :, None]
    assert_allclose(smoothed(mode, sigma), np.exp(-(k**2) * sigma**2 / 2) * mode, atol=2e-3 * np.abs(mode).max())


def test_it_turns_with_the_disk():
    field = np.random.default_rng(2).standard_normal((48, 128, 3))
    assert_allclose(smoothed(np.roll(field, 5, axis=1), 0.05), np.roll(smoothed(field, 0.05), 5, axis=1), atol=1e-12)


def grid(rings, angles):
    theta = 2 * np.pi * np.arange(angles) / angles
    r = polar.radii(rings)[:, None]
    return r * np.cos(theta), r * np.sin(theta)


def sampling_error(rings):
    z, triangles = analytic.disk_mesh(rings)
    f = polar.sample(analytic.bump(z.real, z.imag), triangles, z, 32, 64)
    reach = np.cos(np.pi / (6 * rings))
    u, v = grid(32, 64)
    return np.max(np.linalg.norm(f - analytic.bump(reach * u, reach * v), axis=-1))


def test_linear_functions_are_exact_and_signs_are_kept():
    z, triangles = analytic.disk_mesh(9)
    f = polar.sample(np.column_stack([z.real, z.imag, 2 * z.real - z.imag]), triangles, z, 16, 32)
    u, v = grid(16, 32)
    reach = np.cos(np.pi / 54)
    assert np.allclose(f, reach * np.stack([u, v, 2 * u - v], axis=-1), rtol=0, atol=1e-12)


def test_the_error_falls_with_the_square_of_the_mesh_size():
    assert sampling_error(60) < sampling_error(30) / 3


def test_a_walk_that_goes_in_circles_still_ends_in_the_triangle_of_its_place():
    """Six thin triangles, twisted about three small ones: each sends the walk to the middle on to the next of them."""
    ring = np.exp(2j * np.pi * np.arange(3) / 3)
    z = np.concatenate([0.05 * ring, ring * np.exp(-2.5j), [0]])
    triangles = np.array(
        [t for i, j in ((0, 1), (1, 2), (2, 0)) for t in ((6, i, j), (i, 3 + i, 3 + j), (i, 3 + j, j))]
    )
    places = np.array([z[triangles[1]].mean(), 0.01]) / np.cos(np.pi / 3)
    flat = np.column_stack([z.real, z.imag, np.zeros(7)]) / np.cos(np.pi / 3)
    found = polar.read(flat, triangles, z, np.stack([places.real, places.imag], axis=-1)[None])[0]
    assert np.allclose(found[:, 0] + 1j * found[:, 1], places)


def test_a_place_a_little_beyond_the_rim_counts_as_there():
    """Places are carried from the template's disk, whose rim is a polygon of its own."""
    z, triangles = analytic.disk_mesh(9)
    flat = np.column_stack([z.real, z.imag, np.zeros(len(z))]) / np.cos(np.pi / 54)
    places = 1.002 * polar.polar_grid(24, 48).points
    found = polar.read(flat, triangles, z, places)
    assert np.linalg.norm(found[..., :2] - places, axis=-1).max() < 0.003


def test_a_map_that_leaves_the_disk_uncovered_is_refused():
    z, triangles = analytic.disk_mesh(6)
    with pytest.raises(Rejected, match="lie in no triangle"):
        polar.sample(np.zeros((len(z), 3)), triangles[5:], z, 16, 32)


def test_area_and_centroid_of_a_spherical_cap():
    """z = sqrt(4 - r^2) over the unit disk: a cap of height h = 2 - sqrt 3, area 2 pi R h, centroid at R - h/2."""
    u, v = grid(96, 192)
    cap = np.stack([u, v, np.sqrt(4 - u**2 - v**2)], axis=-1)
    _, scale, centroid = polar.unit_surface(cap)
    height = 2 - np.sqrt(3)
    assert scale**2 == pytest.approx(4 * np.pi * height, rel=tolerances.SMOOTHED_AREA)
    assert centroid == pytest.approx([0, 0, 2 - height / 2], abs=1e-4)


def test_noise_does_not_make_a_surface_larger():
    """Noise of a fifth of the points' distance adds more than 3 % to the triangles' area, .1 % to the scale."""
    z, triangles = analytic.disk_mesh(40)
    vertices = analytic.bump(z.real, z.imag)
    noisy = vertices + 0.005 * np.random.default_rng(3).normal(size=vertices.shape)
    plain, rough = (polar.sample(one, triangles, z, 96, 256) for one in (vertices, noisy))
    grown = topology.areas(noisy, triangles).sum() / topology.areas(vertices, triangles).sum()
    assert grown > 1.03
    assert polar.unit_surface(rough)[1] == pytest.approx(polar.unit_surface(plain)[1], rel=1.5e-3)


def test_normalising_twice_changes_nothing():
    u, v = grid(48, 96)
    once, _, _ = polar.unit_surface(analytic.bump(u, v))
    twice, scale, centroid = polar.unit_surface(once)
    assert scale == pytest.approx(1, abs=1e-12)
    assert np.max(np.abs(centroid)) < 1e-12
    assert np.max(np.abs(twice - once)) < 1e-12


def test_a_surface_without_area_is_refused():
    with pytest.raises(Rejected, match="area 0"):
        polar.unit_surface(np.zeros((16, 32, 3)))


def test_reading_at_the_grid_s_own_points_is_sampling():
    z, triangles = analytic.disk_mesh(12)
    vertices = analytic.bump(z.real, z.imag)
    sampled = polar.sample(vertices, triangles, z, 24, 64)
    walked = polar.read(vertices, triangles, z, polar.polar_grid(24, 64).points)
    assert walked == pytest.approx(sampled, abs=1e-9)
