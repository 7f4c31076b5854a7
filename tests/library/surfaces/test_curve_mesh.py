"""The surface through radial curves: a disk, oriented outwards, with the right center and area."""

import numpy as np
import pytest
import trimesh

from shapedp.surfaces import curve_mesh

RADII = np.linspace(0.05, 1, 23)


def curves_of(f, samples=80):
    """Curves (J, 3, m) of a surface given as a function of x and y on the disk."""
    theta = 2 * np.pi * np.arange(samples) / samples
    x, y = RADII[:, None] * np.cos(theta), RADII[:, None] * np.sin(theta)
    return np.stack(np.broadcast_arrays(*f(x, y)), axis=1)


def test_the_surface_is_a_disk():
    surface = trimesh.Trimesh(*curve_mesh.mesh(curves_of(lambda x, y: (x, y, 0 * x)), RADII), process=False)
    assert surface.euler_number == 1
    assert surface.is_winding_consistent
    assert len(surface.faces) == 80 + 2 * 22 * 80


def test_a_flat_disk_faces_up_and_has_the_area_of_the_polygon():
    surface = trimesh.Trimesh(*curve_mesh.mesh(curves_of(lambda x, y: (x, y, 0 * x)), RADII), process=False)
    assert np.all(surface.face_normals[:, 2] > 0), "counter-clockwise angles, seen from +z, are outside"
    assert surface.area == pytest.approx(40 * np.sin(2 * np.pi / 80), rel=1e-12)


def test_the_center_is_exact_for_surfaces_of_second_order():
    curves = curves_of(lambda x, y: (x + 1, y - 2, 3 - x**2 - 2 * y**2 + x * y))
    assert np.allclose(curve_mesh.center(curves, RADII), [1, -2, 3], rtol=0, atol=1e-13)
