"""Radial curves and the spread of their radii."""

import numpy as np
import pytest

from library.surfaces import analytic
from shapedp.surfaces import curves, normalise, polar


def surface(rings=64, angles=128):
    theta = 2 * np.pi * np.arange(angles) / angles
    r = polar.radii(rings)[:, None]
    return analytic.bump(r * np.cos(theta), r * np.sin(theta))


def test_curves_lie_on_the_surface():
    radii = np.array([0.2, 0.51, 1.0])
    found = curves.extract(surface(), radii, 64)
    theta = 2 * np.pi * np.arange(64) / 64
    exact = analytic.bump(radii[:, None] * np.cos(theta), radii[:, None] * np.sin(theta))
    assert found.shape == (3, 3, 64)
    assert np.max(np.abs(np.moveaxis(found, 1, 2) - exact)) < 2e-4


def test_samples_on_the_grid_are_the_grid():
    f = surface()
    r = polar.radii(64)
    assert np.allclose(np.moveaxis(curves.extract(f, r[[5, 63]], 128), 1, 2), f[[5, 63]], rtol=0, atol=1e-12)


def test_fewer_samples_keep_the_nyquist_wave():
    theta = 2 * np.pi * np.arange(64) / 64
    wave = np.cos(4 * theta)[None]
    assert np.allclose(curves._resample(wave, 8), [[1, -1] * 4], atol=1e-14)


@pytest.mark.parametrize("spacing", ["radius", "arc", "area"])
def test_radii_rise_to_the_rim(spacing):
    radii = curves.spread(surface(), 23, spacing)
    assert radii[-1] == 1
    assert np.all(np.diff(radii) > 0)
    assert radii[0] > 0


def test_equal_radii_are_the_papers():
    assert np.allclose(curves.spread(surface(), 4, "radius"), [0.25, 0.5, 0.75, 1])


def test_equal_areas_are_equal():
    f = surface(96, 192)
    radii = curves.spread(f, 5, "area")
    cumulative = np.concatenate([[0], np.cumsum(normalise.area_elements(f).sum(axis=1))])
    edges = np.append(np.arange(96) / 95.5, 1.0)
    shares = np.interp(radii, edges, cumulative / cumulative[-1])
    assert np.allclose(shares, np.arange(1, 6) / 5, atol=3e-3)


def test_equal_steps_of_arc_are_equal_on_a_cone():
    """A cone stretched towards its rim: length along a radius is proportional to r + r^2."""
    theta = 2 * np.pi * np.arange(64) / 64
    r = polar.radii(96)[:, None]
    length = r + r**2
    cone = np.stack([length * np.cos(theta), length * np.sin(theta), -length + 0 * theta], axis=-1)
    radii = curves.spread(cone, 8, "arc")
    assert np.allclose(radii + radii**2, 2 * np.arange(1, 9) / 8, atol=2e-3)
