"""Laws that hold on every Riemannian manifold, on each of ours."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tolerances
from library.privacy.manifolds import spaces

each = pytest.mark.parametrize("manifold", spaces.ALL, ids=str)


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@each
def test_exp_undoes_log(manifold, rng):
    x, u, t = spaces.pairs(manifold, rng)
    y = manifold.exp(x, manifold.spread(t) * u)
    assert manifold.dist(manifold.exp(x, manifold.log(x, y)), y).max() < tolerances.ROUND_TRIP


@each
def test_log_undoes_exp(manifold, rng):
    x, u, t = spaces.pairs(manifold, rng)
    v = manifold.spread(t) * u
    assert manifold.norm(x, manifold.log(x, manifold.exp(x, v)) - v).max() < tolerances.ROUND_TRIP


@each
def test_log_is_as_long_as_the_distance_and_distance_is_symmetric(manifold, rng):
    x, u, t = spaces.pairs(manifold, rng)
    y = manifold.exp(x, manifold.spread(t) * u)
    assert_allclose(manifold.dist(x, y), t, rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(manifold.norm(x, manifold.log(x, y)), manifold.dist(x, y), rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(manifold.dist(x, y), manifold.dist(y, x), rtol=0, atol=tolerances.ROUND_TRIP)


@each
def test_a_distance_of_a_billionth_is_right_to_1e_15(manifold, rng):
    x, u, _ = spaces.pairs(manifold, rng)
    y = manifold.exp(x, 1e-9 * u)
    # rounding the entries of a matrix moves it by its condition number times eps
    condition = np.linalg.cond(x).max() if manifold.point_ndim == 2 else 1.0
    assert np.abs(manifold.dist(x, y) - 1e-9).max() < tolerances.DISTANCE * condition


@pytest.mark.parametrize("manifold", [m for m in spaces.ALL if np.isfinite(m.injectivity_radius)], ids=str)
def test_a_distance_near_the_cut_locus_is_right_to_1e_15(manifold, rng):
    x, u, _ = spaces.pairs(manifold, rng)
    t = manifold.injectivity_radius - 1e-9
    assert np.abs(manifold.dist(x, manifold.exp(x, t * u)) - t).max() < tolerances.DISTANCE


@each
def test_triangle_inequality(manifold, rng):
    x, y, z = (spaces.points(manifold, rng, 500) for _ in range(3))
    assert (manifold.dist(x, z) <= manifold.dist(x, y) + manifold.dist(y, z) + tolerances.ROUND_TRIP).all()


@each
def test_small_triangles_are_flat(manifold, rng):
    x = spaces.points(manifold, rng, 200)
    u, v = manifold.random_tangent(x, rng), manifold.random_tangent(x, rng)
    t = 1e-4
    flat = manifold.norm(x, u - v)
    # the defect is K t² / 6, K <= 4
    assert_allclose(manifold.dist(manifold.exp(x, t * u), manifold.exp(x, t * v)) / t, flat, rtol=0, atol=2 * t**2)


@each
def test_curvature_read_off_small_triangles_keeps_its_bounds(manifold, rng):
    """dist(exp tu, exp tv)² = 2t² - K t⁴/3 + O(t⁶) for orthonormal u, v."""
    x = spaces.points(manifold, rng, 500)
    u = manifold.random_tangent(x, rng)
    v = manifold.random_tangent(x, rng)
    v = manifold.unit(x, v - manifold.spread(manifold.inner(x, u, v)) * u)
    t = 1e-2
    squared = manifold.dist(manifold.exp(x, t * u), manifold.exp(x, t * v)) ** 2
    curvature = 3 * (2 * t**2 - squared) / t**4
    low, high = manifold.curvature_bounds()
    assert low - tolerances.CURVATURE < curvature.min()
    assert curvature.max() < high + tolerances.CURVATURE


@each
def test_transport_keeps_inner_products_and_turns_the_geodesic_round(manifold, rng):
    x, u, t = spaces.pairs(manifold, rng)
    y = manifold.exp(x, manifold.spread(t) * u)
    a, b = manifold.random_tangent(x, rng), manifold.random_tangent(x, rng)
    moved = [manifold.transport(x, y, v) for v in (a, b)]
    assert_allclose(manifold.inner(y, *moved), manifold.inner(x, a, b), rtol=0, atol=tolerances.ROUND_TRIP)
    back = manifold.transport(x, y, manifold.log(x, y)) + manifold.log(y, x)
    assert manifold.norm(y, back).max() < tolerances.ROUND_TRIP


@each
def test_gradient_is_minus_the_mean_log(manifold, rng):
    data = spaces.cloud(manifold, rng, 12, 0.3)
    x = spaces.cloud(manifold, rng, 5, 0.3)
    expected = np.stack([-manifold.log(one, data).mean(axis=0) for one in x])
    assert_allclose(manifold.gradient(x, data), expected, rtol=0, atol=tolerances.ROUND_TRIP)


@each
def test_the_basis_of_the_tangent_space_is_orthonormal(manifold):
    x = spaces.center(manifold)
    basis = manifold.tangent_basis(x)
    gram = manifold.inner(x, basis[:, None], basis[None])
    assert_allclose(gram, np.eye(manifold.dim), rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(manifold.to_tangent(x, basis), basis, rtol=0, atol=tolerances.ROUND_TRIP)


@each
def test_random_directions_have_no_favourite(manifold, rng):
    """Second moments of a uniform unit vector: identity / D, each within five standard errors."""
    x = spaces.center(manifold)
    count = 20_000
    u = manifold.random_tangent(x, rng, count)
    some = manifold.tangent_basis(x)[:: max(1, manifold.dim // 6)]
    c = np.stack([manifold.inner(x, b, u) for b in some], axis=-1)
    error = np.sqrt(2 / count) / manifold.dim
    assert_allclose(c.T @ c / count, np.eye(len(some)) / manifold.dim, rtol=0, atol=5 * error)
    assert_allclose(c.mean(axis=0), 0, atol=5 / np.sqrt(count * manifold.dim))


@pytest.mark.parametrize("manifold", [m for m in spaces.ALL if m.dim <= 12], ids=str)
def test_volume_in_polar_coordinates_is_the_jacobian_of_exp(manifold, rng):
    """log_area = (D - 1) log t + log |det d exp| at tω, the determinant by central differences."""
    x = spaces.center(manifold)
    basis, h = manifold.tangent_basis(x), 1e-5
    for t in (0.3, 1.2):
        v = t * manifold.random_tangent(x, rng)
        y = manifold.exp(x, v)
        ahead, behind = (manifold.log(y, manifold.exp(x, v + sign * h * basis)) for sign in (1, -1))
        columns = (ahead - behind) / (2 * h)
        gram = manifold.inner(y, columns[:, None], columns[None])
        expected = (manifold.dim - 1) * np.log(t) + np.linalg.slogdet(gram)[1] / 2
        assert_allclose(manifold.log_area(x, v), expected, rtol=0, atol=tolerances.JACOBIAN)


@each
def test_the_line_above_the_volume_is_above_it(manifold, rng):
    x = spaces.center(manifold)
    reach = min(manifold.injectivity_radius, 6.0)
    knots = np.concatenate([[0.0], np.geomspace(1e-3, reach, 60)])
    value, slope = manifold.area_bound(knots[:-1], knots[1:])
    cell = rng.integers(len(slope), size=5000)
    offset = rng.uniform(0, 1, 5000) * np.diff(knots)[cell]
    v = manifold.spread(knots[cell] + offset) * manifold.random_tangent(x, rng, 5000)
    assert (manifold.log_area(x, v) <= value[cell] + slope[cell] * offset + tolerances.ROUND_TRIP).all()


@each
def test_points_outside_a_ball_move_to_its_edge_along_the_geodesic(manifold, rng):
    p0 = spaces.center(manifold)
    u = manifold.random_tangent(p0, rng, 50)
    x = manifold.exp(p0, manifold.spread(np.linspace(0.01, 1.2, 50)) * u)
    inside, moved = manifold.to_ball(x, p0, 0.5)
    far = np.linspace(0.01, 1.2, 50) > 0.5
    assert (moved == far).all()
    assert (inside[~far] == x[~far]).all()
    assert (manifold.dist(p0, inside) <= 0.5).all()
    assert manifold.dist(inside[far], manifold.exp(p0, 0.5 * u[far])).max() < tolerances.ON_THE_EDGE


def test_a_point_without_a_unique_geodesic_moves_to_the_center():
    sphere = spaces.Sphere(2)
    north = np.array([0.0, 0.0, 1.0])
    inside, moved = sphere.to_ball(np.stack([-north, north]), north, 0.5)
    assert moved.tolist() == [True, False]
    assert_allclose(inside[0], north, rtol=0, atol=0)
