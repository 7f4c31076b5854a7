"""The automorphisms of the disk: the center goes to 0, the circle to itself, and they undo each other."""

import numpy as np
import pytest

from library.surfaces import analytic
from shapedp.errors import Rejected
from shapedp.surfaces.mobius import centered, recenter

DISK = np.sqrt(np.random.default_rng(0).random(200)) * np.exp(2j * np.pi * np.random.default_rng(1).random(200))


def test_the_center_goes_to_the_origin():
    assert recenter(DISK, DISK[3])[3] == 0


@pytest.mark.parametrize("a", [0, 0.3 - 0.4j, 0.999j])
def test_the_inverse_is_the_map_of_minus_a(a):
    assert np.allclose(recenter(recenter(DISK, a), -a), DISK, rtol=0, atol=1e-10)


@pytest.mark.parametrize("a", [0.5, -0.2 + 0.7j])
def test_the_circle_stays_on_the_circle(a):
    circle = np.exp(2j * np.pi * np.arange(64) / 64)
    assert np.max(np.abs(np.abs(recenter(circle, a)) - 1)) < 1e-14


def test_a_hand_case():
    assert recenter(np.array([0.5j]), 0.5)[0] == pytest.approx((0.5j - 0.5) / (1 - 0.25j))


@pytest.mark.parametrize("a", [1, 1 + 1j, np.nan])
def test_a_center_outside_is_refused(a):
    with pytest.raises(ValueError, match="inside the unit disk"):
        recenter(DISK, a)


def test_a_vertex_of_a_disk_is_centered():
    z, triangles = analytic.disk_mesh(8)
    assert np.array_equal(centered(z, triangles, 20), recenter(z, z[20]))
    assert centered(z, triangles, 20)[20] == 0


def test_a_center_that_would_turn_triangles_over_is_refused():
    """Ten points of the circle and six inside: the triangle between circle and center cannot follow."""
    rng = np.random.default_rng(0)
    rim = np.exp(1j * np.sort(rng.uniform(0, 2 * np.pi, 10)))
    z = np.concatenate([rim, 0.95 * np.sqrt(rng.random(6)) * np.exp(2j * np.pi * rng.random(6))])
    triangles = analytic.triangulated(z)
    assert centered(z, triangles, 11)[11] == 0
    with pytest.raises(Rejected, match=r"from 0.858 of the disk's radius to 0 would turn 1 triangle") as caught:
        centered(z, triangles, 10)
    assert caught.value.code == "center_far_out"
    with pytest.raises(Rejected, match="lies on the mesh's boundary"):
        centered(z, triangles, 0)
