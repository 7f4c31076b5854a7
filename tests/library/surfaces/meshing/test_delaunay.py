"""The Delaunay triangulation: other libraries' where the points leave no doubt, and no answer where they do."""

import numpy as np
import pytest
from scipy.spatial import Delaunay

from shapedp.surfaces import topology
from shapedp.surfaces.meshing import delaunay, mending


def _sets(triangles):
    return {tuple(sorted(one)) for one in np.asarray(triangles).tolist()}


@pytest.mark.parametrize("count", [3, 4, 10, 100, 3000])
def test_it_is_that_of_qhull_up_to_the_convex_hull(count):
    places = np.random.default_rng(count).normal(size=(count, 2))
    triangles, across = delaunay.triangulate(places)
    assert _sets(triangles) == _sets(Delaunay(places).simplices)
    assert np.array_equal(across, topology.neighbours(triangles))


def test_triangles_turn_to_the_left():
    places = np.random.default_rng(1).random((500, 2))
    a, b, c = (places[corner] for corner in delaunay.triangulate(places)[0].T)
    assert ((b - a)[:, 0] * (c - a)[:, 1] > (b - a)[:, 1] * (c - a)[:, 0]).all()


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_points_that_crowd_in_places_are_joined_as_well(scale):
    rng = np.random.default_rng(2)
    places = scale * np.concatenate([rng.random((300, 2)), 0.5 + 1e-5 * rng.normal(size=(300, 2)), [[40.0, 3.0]]])
    assert _sets(delaunay.triangulate(places)[0]) == _sets(mending._triangulate_exactly(places))


@pytest.mark.parametrize("kind", ["few", "line", "grid", "circle", "twice"])
def test_what_rounding_may_have_decided_has_no_answer(kind):
    random = np.random.default_rng(3).random((50, 2))
    turn = 2 * np.pi * np.arange(12) / 12
    places = {
        "few": random[:2],
        "line": np.column_stack([np.arange(9.0), 2 * np.arange(9.0)]),
        "grid": np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), axis=-1).reshape(-1, 2),
        "circle": np.column_stack([np.cos(turn), np.sin(turn)]),
        "twice": np.concatenate([random, random[:1]]),
    }[kind]
    assert not len(delaunay.triangulate(places)[0])
