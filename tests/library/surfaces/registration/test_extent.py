"""The common extent: directions and reaches, the grid as a mesh, what is missing; by hand on domes."""

import numpy as np
import pytest

from shapedp.surfaces import polar, topology
from shapedp.surfaces.registration import extent

RINGS, ANGLES = 48, 96


def dome(width=1.0, height=0.3):
    """A paraboloid over the disk; the rim at distance sqrt(width^2 + height^2) from its top."""
    theta = 2 * np.pi * np.arange(ANGLES) / ANGLES
    r = polar.radii(RINGS)[:, None]
    x, y = width * r * np.cos(theta), width * r * np.sin(theta)
    return np.stack([x, y, height * (1 - r**2) + 0 * x], axis=-1)


def flat_extent(reach):
    return extent.Extent(np.zeros(3), np.eye(3), np.broadcast_to(reach, extent.DIRECTIONS).astype(float))


def test_the_extent_of_a_template_is_its_rim_or_the_radius():
    found = extent.find_extent(dome(), np.inf)
    assert found.nose == pytest.approx([0, 0, 0.3], abs=1e-12)
    assert found.axes[2] == pytest.approx([0, 0, 1], abs=1e-12)
    assert found.reach == pytest.approx(np.hypot(1, 0.3), abs=1e-3)
    assert np.linalg.det(found.axes) == pytest.approx(1)
    assert np.all(extent.find_extent(dome(), 0.5).reach == 0.5)


def test_reaches_follow_a_rim_that_is_no_circle():
    turn = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    rim = (1 + 0.3 * np.cos(turn))[:, None] * np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
    wanted = 1 + 0.3 * np.cos(2 * np.pi * np.arange(extent.DIRECTIONS) / extent.DIRECTIONS)
    for one in (rim, np.roll(rim, 133, axis=0), rim[::-1]):
        assert extent.reaches(one) == pytest.approx(wanted, abs=1e-3)


def test_what_lies_beyond_has_positive_distance():
    reach = flat_extent(0.6).reach
    assert extent.measure_beyond(np.array([[0.5, 0, 0], [0, 0.8, 0], [0.5, 0, 0.5]]), reach) == pytest.approx(
        [-0.1, 0.2, np.hypot(0.5, 0.5) - 0.6]
    )


def test_a_scan_of_half_the_extent_lacks_half():
    template = dome(height=1e-6)
    turn = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    rim = np.column_stack([np.maximum(np.cos(turn), -0.02), np.sin(turn), 0 * turn])
    found = extent.find_extent(template, np.inf)
    within = extent.find_within(template, found)
    assert extent.measure_missing(extent.reaches(rim @ found.axes.T), *within) == pytest.approx(0.5, abs=0.05)
    whole = np.column_stack([np.cos(turn), np.sin(turn), 0 * turn]) * 1.01
    assert extent.measure_missing(extent.reaches(whole @ found.axes.T), *within) == 0


def test_the_size_ratio_is_that_of_a_similar_surface():
    turned = dome() @ np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]).T + [1, 2, 3]
    assert extent.measure_size_ratio(1.25 * turned, dome()) == pytest.approx(1.25, rel=1e-12)


def test_the_center_is_where_the_rings_shrink_to():
    assert extent.center(dome()) == pytest.approx([0, 0, 0.3], abs=1e-12)


def test_a_grid_is_a_disk_whose_first_vertex_is_its_center():
    vertices, triangles = extent.mesh_grid(dome(), extent.center(dome()))
    assert not topology.fault(triangles.astype(np.int64), len(vertices))
    assert vertices[0] == pytest.approx([0, 0, 0.3], abs=1e-12)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    assert np.cross(b - a, c - a)[:, 2].min() > 0, "turned as the grid is"
    assert topology.areas(vertices, triangles).sum() == pytest.approx(3.3, abs=0.2)
