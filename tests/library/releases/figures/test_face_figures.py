import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from shapedp.releases.figures import face_chain, face_means, render
from shapedp.surfaces import polar
from tolerances import UNIT_FACE

RINGS, ANGLES = 24, 64
THETA = 2 * np.pi * np.arange(ANGLES) / ANGLES
R = polar.radii(RINGS)[:, None]
DOME = np.stack([R * np.cos(THETA), R * np.sin(THETA), (1 - R**2) * np.ones(ANGLES)], axis=-1)


@pytest.mark.parametrize("a", [0.0, 0.7, -2.0])
def test_a_surface_is_turned_as_gamma_says(a):
    gamma = np.stack([R * np.cos(THETA + a), R * np.sin(THETA + a)], axis=-1)
    expected = np.stack([R * np.cos(THETA + a), R * np.sin(THETA + a), (1 - R**2) * np.ones(ANGLES)], axis=-1)
    assert_allclose(face_chain.turn_disk(DOME, gamma), expected, atol=UNIT_FACE)


def test_each_side_of_a_mesh_is_drawn_once():
    square = np.array([[0, 1, 2], [0, 2, 3]])
    assert sorted(map(tuple, face_chain.find_edges(square))) == [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]


@pytest.mark.slow
def test_the_figure_of_a_registration_tells_energies_and_distances():
    moved = DOME + np.array([0.0, 0.003, 0.004])  # everywhere 5 mm away at a scale of 1,000; normals see no translation
    energies = np.array([[0.05, 0.02], [0.04, 0.01]])
    made = face_chain.draw_registration(DOME, moved, DOME, 1000.0, energies, "Words.")
    titles = [axes.get_title() for axes in made.axes]
    assert titles[:3] == ["template", "before: energy 0.000", "after: energy 0.000"]
    assert titles[3:6] == ["energies of 2 faces", "before: 5.0 mm apart", "after: 0.0 mm apart"]


def test_a_profile_goes_from_the_forehead_over_the_nose_to_the_chin():
    curves = np.moveaxis(DOME, 1, 2)
    z, y = face_means._find_profile(curves)
    assert np.all(np.diff(y) < 0)
    assert np.argmax(z) in (RINGS - 1, RINGS)
    assert_allclose([y[0], y[-1]], [1, -1], atol=UNIT_FACE)


def test_the_frame_of_an_overlay_is_that_of_the_first_face_whatever_the_other_does():
    curves = 50 * np.moveaxis(DOME, 1, 2)
    made = face_means.draw_overlays(("mean", curves), {"wild": 100 * curves}, "Words.")
    assert made.axes[0].get_xlim()[1] < 60
    assert [axes.get_xlabel() for axes in made.axes] == ["x (mm)", "z (mm)"]


def test_curves_at_a_glance_run_round_a_dome_at_their_radii(monkeypatch):
    """A curve that takes its points from a mesh of other rings would jump from one radius to the next."""
    r = polar.radii(16)[:, None]
    theta = 2 * np.pi * np.arange(32) / 32
    f = np.stack([r * np.cos(theta), r * np.sin(theta), (1 - r**2) * np.ones(32)], axis=-1)
    drawn = []
    monkeypatch.setattr(render, "render", lambda *_, lines, width: drawn.extend(lines) or np.zeros((2, 2, 3)))
    axes = Figure().subplots()
    face_chain._draw_surface_curves(axes, f, np.array([0.25, 0.6, 1.0]), "dome")
    for line, radius in zip(drawn, (0.25, 0.6, 1.0), strict=True):
        np.testing.assert_allclose(np.hypot(line[:, 0], line[:, 1]), radius, atol=2e-3)
