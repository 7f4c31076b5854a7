"""A disk cut along a level: known areas, rims where they were meant, and what sticks out without reaching the rim."""

import numpy as np
import pytest

from library.surfaces import analytic
from shapedp.surfaces import topology
from shapedp.surfaces.meshing import clipping, mending


def disk():
    """(vertices, triangles) of a flat disk."""
    z, triangles = analytic.disk_mesh(30)
    return np.column_stack([z.real, z.imag, 0 * z.real]), triangles


def away(vertices):
    return np.linalg.norm(vertices, axis=1)


def test_a_disk_is_cut_to_a_disk_of_the_known_area_with_its_rim_on_the_level():
    vertices, triangles = disk()
    points, kept = clipping.clip_level(vertices, triangles, away(vertices) - 0.6, 0)
    assert not topology.fault(kept.astype(np.int64), len(points))
    assert topology.areas(points, kept).sum() == pytest.approx(np.pi * 0.36, rel=0.003)
    rim = points[topology.boundary_loops(kept)[0]]
    assert away(rim) == pytest.approx(0.6, abs=0.002)
    steps = np.linalg.norm(rim - np.roll(rim, 1, axis=0), axis=1)
    assert steps.min() > 0.1 * np.median(steps), "no slivers"
    a, b, c = (points[kept[:, k]] for k in range(3))
    assert np.cross(b - a, c - a)[:, 2].min() > 0, "turned as before"


def test_nothing_is_cut_off_what_lies_within():
    vertices, triangles = disk()
    points, kept = clipping.clip_level(vertices, triangles, away(vertices) - 1.1, 0)
    assert kept is triangles
    assert np.array_equal(points, vertices)


def test_a_part_that_sticks_out_inside_stays():
    """A spike in the middle reaches beyond the level and not to the rim: cutting it off would leave a hole."""
    vertices, triangles = disk()
    height = away(vertices) - 0.6
    height[away(vertices - [0.3, 0, 0]) < 0.05] = 3
    points, kept = clipping.clip_level(vertices, triangles, height, 0)
    assert not topology.fault(kept.astype(np.int64), len(points))
    assert topology.areas(points, kept).sum() == pytest.approx(np.pi * 0.36, rel=0.003)


def test_only_the_piece_round_the_vertex_is_left():
    vertices, triangles = disk()
    height = 0.3 - np.abs(vertices[:, 0] - 0.2)  # a band about x = .2 goes
    left, right = (np.argmin(away(vertices - [x, 0, 0])) for x in (-0.6, 0.8))
    for vertex, side in ((left, -1), (right, 1)):
        points, kept = clipping.clip_level(vertices, triangles, height, vertex)
        assert not topology.fault(kept.astype(np.int64), len(points))
        assert (side * (points[:, 0] - 0.2)).min() > 0.25


@pytest.mark.parametrize("seed", range(6))
def test_any_smooth_level_leaves_a_disk(seed):
    vertices, triangles = disk()
    rng = np.random.default_rng(seed)
    turn = np.arctan2(vertices[:, 1], vertices[:, 0])
    reach = 0.7 + sum(0.12 * rng.standard_normal() * np.cos(k * turn + rng.uniform(0, 6)) for k in (1, 2, 3, 7))
    points, kept = clipping.clip_level(vertices, triangles, away(vertices) - reach, 0)
    assert not topology.fault(kept.astype(np.int64), len(points))


def test_a_level_that_leaves_nothing_gives_none():
    vertices, triangles = disk()
    assert clipping.clip_level(vertices, triangles, np.ones(len(vertices)), 0) is None


def test_a_rim_of_bridges_alone_leaves_nothing():
    """Five points far apart in scale: all that is not peeled off spans a gap."""
    rng = np.random.default_rng(36)
    count = int(rng.integers(4, 8))
    flat = rng.standard_normal((count, 2)) * np.exp(2 * rng.standard_normal((count, 1)))
    triangles, _ = mending.triangulate_plane(flat)
    points = np.column_stack([flat, np.zeros(count)])
    assert not clipping.trim_rim(points, triangles, topology.neighbours(triangles)).any()
    triangles, kept = mending.triangulate_cloud(points, flat, np.zeros(count))
    assert topology.fault(triangles, len(kept)) == "it has no triangles"
