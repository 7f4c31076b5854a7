import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.figures import panels
from shapedp.surfaces import curve_mesh, polar
from tolerances import UNIT_FACE

RINGS, ANGLES = 24, 64
THETA = 2 * np.pi * np.arange(ANGLES) / ANGLES
R = polar.radii(RINGS)[:, None]
FLAT = np.stack([R * np.cos(THETA), R * np.sin(THETA), np.zeros((RINGS, ANGLES))], axis=-1)  # the disk itself


def test_rings_are_closed_circles_of_their_radius():
    for ring, radius in zip(panels.rings(FLAT, np.array([0.3, 1.0])), (0.3, 1.0), strict=True):
        assert_allclose(ring[0], ring[-1], atol=0)
        assert_allclose(np.linalg.norm(ring, axis=1), radius, rtol=UNIT_FACE)


def test_spokes_go_outwards_at_equal_angles():
    found = panels.spokes(FLAT, 4)
    assert_allclose([np.arctan2(*one[-1, 1::-1]) for one in found], [0, np.pi / 2, np.pi, -np.pi / 2], atol=UNIT_FACE)
    assert np.all(np.diff(np.linalg.norm(found[1], axis=1)) > 0)


def test_the_whole_surface_reaches_the_rim_and_faces_the_viewer():
    vertices, triangles = panels.whole(FLAT)
    assert len(vertices) == 1 + sum(curve_mesh.rings(RINGS, ANGLES))
    assert_allclose(np.linalg.norm(vertices[-ANGLES:], axis=1), 1, rtol=UNIT_FACE)
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    assert np.all(np.cross(b - a, c - a)[:, 2] > 0)


def test_more_is_darker_and_what_is_beyond_the_scale_has_its_last_colour():
    colours = panels.heat(np.array([0.0, 1.0, 2.0, 4.0, 9.0]), most=4.0)
    assert np.all(np.diff(colours[:4].mean(axis=1)) < 0)
    assert_allclose(colours[4], colours[3])


@pytest.mark.parametrize("count", [1, 16])
def test_as_many_spokes_as_asked_for(count):
    assert len(panels.spokes(FLAT, count)) == count
