"""The contour basis: an isometry of its span, and what lies outside it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.manifolds.projective import ComplexProjective, Kendall, shape_of
from shapedp.privacy.samplers import kng, laplace
from shapedp.privacy.shapes import contour


def test_columns_are_orthonormal_and_centered():
    u = contour.basis(50, 12)
    assert_allclose(u.conj().T @ u, np.eye(12), atol=1e-14)
    assert_allclose(u.sum(axis=0), 0, atol=1e-13)


def test_it_keeps_the_distances_of_outlines_in_its_span():
    rng, u = np.random.default_rng(0), contour.basis(30, 8)
    y = ComplexProjective(7).random_point(rng, 10)
    z = contour.from_basis(u, y)
    assert_allclose(contour.to_basis(u, z), y, atol=1e-14)
    assert_allclose(Kendall(30).dist(z[:5], z[5:]), ComplexProjective(7).dist(y[:5], y[5:]), atol=1e-14)


def test_an_ellipse_run_counter_clockwise_needs_frequencies_one_and_minus_one_only():
    """cos t + i b sin t = ((1 + b) e^(it) + (1 - b) e^(-it)) / 2: more of +1 than of -1."""
    t = 2 * np.pi * np.arange(40) / 40
    ellipse = shape_of(np.cos(t) + 0.5j * np.sin(t))
    y = contour.to_basis(contour.basis(40, 4), ellipse)
    assert contour.frequencies(4).tolist() == [1, -1, 2, -2]
    assert_allclose(np.abs(y), np.array([1.5, 0.5, 0, 0]) / np.sqrt(2.5), atol=1e-14)


def test_no_shape_has_less_than_nothing_outside_the_basis():
    """Shapes that lie within the basis: rounding alone would leave some of them below 0."""
    rng, basis = np.random.default_rng(2), contour.basis(24, 8)
    weights = rng.standard_normal((500, 8)) + 1j * rng.standard_normal((500, 8))
    shapes = weights @ basis.T
    shapes /= np.linalg.norm(shapes, axis=1, keepdims=True)
    energies = contour.energy_above(basis, shapes)
    assert energies.min() >= 0 and energies.max() < 1e-12


def test_the_energy_outside_falls_with_p_and_is_the_sine_of_the_distance():
    z = shape_of(np.random.default_rng(1).standard_normal((20, 2)))
    energies = [contour.energy_above(contour.basis(20, p), z) for p in (4, 10, 18)]
    assert energies[0] > energies[1] > energies[2]
    u = contour.basis(20, 10)
    back = contour.from_basis(u, contour.to_basis(u, z))
    assert_allclose(np.sin(Kendall(20).dist(z, back)) ** 2, energies[1])


def test_crossings_of_a_square_a_bow_tie_and_a_pentagram():
    square = np.array([0, 1, 1 + 1j, 1j])
    assert contour.crossings(square) == 0
    assert contour.crossings(square[[0, 1, 3, 2]]) == 1
    pentagon = np.exp(2j * np.pi * np.arange(5) / 5)
    assert contour.crossings(np.stack([pentagon, pentagon[[0, 2, 4, 1, 3]]])).tolist() == [0, 5]


def test_a_release_in_the_basis_is_less_noisy(noise_sizes):
    """Fewer dimensions, less noise: 30 landmarks in 4, 8 and all modes."""
    assert noise_sizes[4] < noise_sizes[8] < noise_sizes[30]


@pytest.fixture(scope="module")
def noise_sizes():
    """Mean distance of 200 exact Laplace draws from the mean, by the number of modes (30: the shapes themselves)."""
    rng = np.random.default_rng(0)
    sizes = {}
    for p in (4, 8, 30):
        manifold = Kendall(30) if p == 30 else ComplexProjective(p - 1)
        center = manifold.random_point(rng)
        sizes[p] = manifold.dist(center, laplace.sample(manifold, center, 2e-3, rng, 200)).mean()
    return sizes


def test_the_gradient_mechanism_runs_in_the_basis():
    rng, u = np.random.default_rng(1), contour.basis(30, 8)
    p0 = contour.to_basis(u, shape_of(rng.standard_normal((30, 2))))
    points = ComplexProjective(7).exp(p0, 0.05 * ComplexProjective(7).random_tangent(p0, rng, 60))
    released, _ = kng.draw(ComplexProjective(7), points, p0, 0.1, 1.0, rng, 5)
    shapes = contour.from_basis(u, released)
    assert_allclose(shapes.sum(axis=1), 0, atol=1e-13)
    assert (Kendall(30).dist(contour.from_basis(u, p0), shapes) <= 0.1 + 1e-12).all()


@pytest.mark.parametrize("p", [3, 2, 20, 21])
def test_a_basis_of_the_wrong_size_is_refused(p):
    with pytest.raises(RefusedRelease, match="even p"):
        contour.basis(20, p)


def test_an_outline_without_energy_in_the_basis_is_refused():
    t = 2 * np.pi * np.arange(20) / 20
    with pytest.raises(RefusedRelease, match="larger p"):
        contour.to_basis(contour.basis(20, 4), shape_of(np.exp(5j * t)))
