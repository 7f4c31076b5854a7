"""Triangulating the plane: the triangles of scipy's Qhull, whatever the points are like, and no hang on bad ones;
mending what a map turns over.
"""

import numpy as np
import pytest
from scipy.spatial import Delaunay

from shapedp.base.errors import Rejected
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.meshing import mending
from shapedp.surfaces.registration import extent


def as_sets(triangles):
    return {frozenset(triangle) for triangle in triangles.tolist()}


@pytest.mark.parametrize("thin", [1.0, 1e-3, 1e-6])
def test_triangles_are_those_of_qhull(thin):
    flat = np.random.default_rng(3).normal(size=(3000, 2)) * [1, thin]
    triangles, _ = mending.triangulate_plane(flat)
    assert as_sets(triangles) == as_sets(Delaunay(flat).simplices)
    a, b, c = (flat[triangles[:, corner]] for corner in range(3))
    assert (((b - a)[:, 0] * (c - a)[:, 1]) > ((b - a)[:, 1] * (c - a)[:, 0])).all(), "counter-clockwise"


def test_triangles_do_not_depend_on_the_order_of_the_points():
    rng = np.random.default_rng(4)
    flat = rng.normal(size=(500, 2))
    order = rng.permutation(500)
    triangles, found = mending.triangulate_plane(flat)[0], order[mending.triangulate_plane(flat[order])[0]]
    assert sorted(tuple(np.roll(one, -np.argmin(one))) for one in found) == list(map(tuple, triangles))


def test_of_points_at_one_place_the_first_is_used():
    flat = np.random.default_rng(5).normal(size=(100, 2))
    doubled = np.concatenate([flat, flat[20:60]])
    assert np.array_equal(mending.triangulate_plane(doubled), mending.triangulate_plane(flat))


@pytest.mark.parametrize("far", [np.inf, np.nan, 1e17])
def test_a_place_too_far_to_be_triangulated_is_refused(far):
    """At 1e17 the triangulation would not come to an end."""
    flat = np.random.default_rng(6).normal(size=(100, 2))
    flat[7, 1] = far
    with pytest.raises(Rejected, match="behind the surface"):
        mending.triangulate_plane(flat)


def make_crumpled_pocket(depth=20.0, angles=16, off=0.2):
    """(vertices, triangles) of a plane with a pocket, 2 wide and so deep, whose vertices lie off it by chance."""
    turn = 2 * np.pi * np.arange(angles) / angles
    around = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(angles)])
    down = np.array([0, 0, 1.0])
    wall = [around + height * down for height in np.arange(-depth, 0, 0.5)]
    plane = [(1 + 0.5 * ring) * around for ring in range(10)]
    vertices, triangles = extent.mesh_grid(np.array([*wall, *plane]), -depth * down)
    return vertices + off * np.random.default_rng(0).standard_normal(vertices.shape), triangles


def test_a_crumpled_pocket_is_mended_until_no_triangle_stays_turned_over(monkeypatch):
    vertices, triangles = make_crumpled_pocket()
    mended, kept = mending.mend(vertices, triangles)
    assert len(kept) > (1 - mending.MOST_DROPPED) * len(vertices)
    z = conformal.disk_map(vertices[kept], mended)
    assert not conformal.find_flipped(z, mended).any()
    monkeypatch.setattr(mending, "MORE_ROUNDS", 0)
    mended, kept = mending.mend(vertices, triangles)
    assert conformal.is_folded(vertices[kept], mended, conformal.disk_map(vertices[kept], mended, unfold=False))
