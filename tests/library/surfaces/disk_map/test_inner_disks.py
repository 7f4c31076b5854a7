"""The conformal map onto a part of the disk: against a circle's, known exactly, and its own inverse."""

import numpy as np
import pytest

from shapedp.surfaces.disk_map import inner_disks
from shapedp.surfaces.polar import polar_grid

GRID = polar_grid(48, 128)
W = GRID.points @ np.array([1, 1j])


def complexes(points):
    return points @ np.array([1, 1j])


def complexes_at(inner, w):
    """f(w) by its series."""
    return w * np.exp(np.polynomial.polynomial.polyval(w, inner.spectrum))


def off_center_circle(center, radius):
    """rho of the circle about a point of the real axis."""
    return center * np.cos(GRID.theta) + np.sqrt(radius**2 - (center * np.sin(GRID.theta)) ** 2)


def test_a_circle_off_its_center_is_a_mobius_image():
    center, radius = 0.15, 0.8
    found = complexes(inner_disks.map_onto(off_center_circle(center, radius)).places(GRID))
    a = -center / radius
    assert np.abs(found - (center + radius * (W + a) / (1 + a * W))).max() < 1e-4


def test_a_steep_boundary_is_mapped_too_and_the_map_is_inverted():
    """A disk with a segment cut off, |rho'/rho| up to 1.5: on the boundary, conformal within, and back again."""
    rho = np.minimum(1.0, 0.55 / np.maximum(np.cos(GRID.theta), 1e-9))
    inner = inner_disks.map_onto(rho)
    places = inner.places(GRID)
    z = complexes(places)
    rim = np.interp(np.angle(z[-1]) % (2 * np.pi), np.append(GRID.theta, 2 * np.pi), np.append(rho, rho[0]))
    assert np.abs(np.abs(z[-1]) - rim).max() < 2e-3
    along_x, along_y = GRID.gradient(places)
    turned = np.stack([-along_x[..., 1], along_x[..., 0]], axis=-1)
    inside = GRID.r < 0.9
    assert np.abs(turned - along_y)[inside].max() < 0.02, "Cauchy and Riemann"
    back = complexes(inner.inverse(GRID))
    known = np.abs(W) < 0.5
    assert np.abs(complexes_at(inner, back) - W)[known].max() < 1e-3


def test_what_is_too_steep_is_left_to_others():
    rho = np.ones(128)
    rho[5] = 0.5
    assert inner_disks.map_onto(rho) is None


def test_the_part_within_a_level_is_found_round_a_center():
    """A circle about a point, seen from that point after the automorphism that moves it to 0: a circle about 0 again,

    for automorphisms take the hyperbolic circles about a point to circles about its image.
    """
    center, radius = 0.2 + 0.1j, 0.6
    height = np.abs((W - center) / (1 - np.conj(center) * W)) - radius
    rho = inner_disks.find_radii(height, GRID, center)
    assert rho == pytest.approx(np.full(128, radius), abs=2e-3)
    places = inner_disks.place_around(inner_disks.map_onto(rho), center, GRID)
    z = complexes(places)
    assert np.abs((z - center) / (1 - np.conj(center) * z))[-1] == pytest.approx(np.full(128, radius), abs=3e-3)
    assert (inner_disks.find_radii(height - 1, GRID) == 1).all(), "nothing is above"
