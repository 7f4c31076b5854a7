"""Sampling on the polar grid, unit area and centroid, against surfaces known in closed form."""

import numpy as np
import pytest

import tolerances
from library.surfaces import analytic
from shapedp.errors import Rejected
from shapedp.surfaces import edges, normalise, polar, sampling


def grid(rings, angles):
    theta = 2 * np.pi * np.arange(angles) / angles
    r = polar.radii(rings)[:, None]
    return r * np.cos(theta), r * np.sin(theta)


def sampling_error(rings):
    z, triangles = analytic.disk_mesh(rings)
    f = sampling.sample(analytic.bump(z.real, z.imag), triangles, z, 32, 64)
    reach = np.cos(np.pi / (6 * rings))
    u, v = grid(32, 64)
    return np.max(np.linalg.norm(f - analytic.bump(reach * u, reach * v), axis=-1))


def test_linear_functions_are_exact_and_signs_are_kept():
    z, triangles = analytic.disk_mesh(9)
    f = sampling.sample(np.column_stack([z.real, z.imag, 2 * z.real - z.imag]), triangles, z, 16, 32)
    u, v = grid(16, 32)
    reach = np.cos(np.pi / 54)
    assert np.allclose(f, reach * np.stack([u, v, 2 * u - v], axis=-1), rtol=0, atol=1e-12)


def test_the_error_falls_with_the_square_of_the_mesh_size():
    assert sampling_error(60) < sampling_error(30) / 3


def test_weights_sum_to_one_and_lie_in_the_triangle():
    z, triangles = analytic.disk_mesh(9)
    inside, weights = sampling.locate(z / np.cos(np.pi / 54), triangles, 24, 48)
    assert inside.min() >= 0
    assert np.allclose(weights.sum(axis=-1), 1)
    assert weights.min() > -1e-8


def test_a_map_that_leaves_the_disk_uncovered_is_refused():
    z, triangles = analytic.disk_mesh(6)
    with pytest.raises(Rejected, match="lie in no triangle"):
        sampling.sample(np.zeros((len(z), 3)), triangles[5:], z, 16, 32)


def test_area_and_centroid_of_a_spherical_cap():
    """z = sqrt(4 - r^2) over the unit disk: a cap of height h = 2 - sqrt 3, area 2 pi R h, centroid at R - h/2."""
    u, v = grid(96, 192)
    cap = np.stack([u, v, np.sqrt(4 - u**2 - v**2)], axis=-1)
    _, scale, centroid = normalise.unit_surface(cap)
    height = 2 - np.sqrt(3)
    assert scale**2 == pytest.approx(4 * np.pi * height, rel=tolerances.SMOOTHED_AREA)
    assert centroid == pytest.approx([0, 0, 2 - height / 2], abs=1e-4)


def test_noise_does_not_make_a_surface_larger():
    """Noise of a fifth of the points' distance adds more than 3 % to the triangles' area, .1 % to the scale."""
    z, triangles = analytic.disk_mesh(40)
    vertices = analytic.bump(z.real, z.imag)
    noisy = vertices + 0.005 * np.random.default_rng(3).normal(size=vertices.shape)
    plain, rough = (sampling.sample(one, triangles, z, 96, 256) for one in (vertices, noisy))
    grown = edges.areas(noisy, triangles).sum() / edges.areas(vertices, triangles).sum()
    assert grown > 1.03
    assert normalise.unit_surface(rough)[1] == pytest.approx(normalise.unit_surface(plain)[1], rel=1.5e-3)


def test_normalising_twice_changes_nothing():
    u, v = grid(48, 96)
    once, _, _ = normalise.unit_surface(analytic.bump(u, v))
    twice, scale, centroid = normalise.unit_surface(once)
    assert scale == pytest.approx(1, abs=1e-12)
    assert np.max(np.abs(centroid)) < 1e-12
    assert np.max(np.abs(twice - once)) < 1e-12


def test_a_surface_without_area_is_refused():
    with pytest.raises(Rejected, match="area 0"):
        normalise.unit_surface(np.zeros((16, 32, 3)))
