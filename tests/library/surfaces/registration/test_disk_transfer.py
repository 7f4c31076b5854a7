"""The nearest place on a mesh: where it lies in several triangles, rounding does not choose among them."""

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose

from shapedp.surfaces.registration import disk_transfer


def mesh():
    """(vertices, triangles) of an uneven surface over 6 x 6 uneven places, in no order."""
    flat = np.stack(np.meshgrid(np.arange(6.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
    flat += 0.2 * np.random.default_rng(4).random(flat.shape)
    triangles = scipy.spatial.Delaunay(flat).simplices
    return np.column_stack([flat, np.sin(flat.sum(axis=1))]), np.random.default_rng(1).permutation(triangles)


@pytest.mark.parametrize("seed", range(4))
def test_of_triangles_that_are_equally_near_but_for_rounding_the_first_is_returned(seed):
    vertices, triangles = mesh()
    noise = 1e-14 * np.random.default_rng(seed).normal(size=(len(vertices), 3))
    found, weights = disk_transfer.find_closest(vertices + noise, vertices, triangles)
    assert np.array_equal(found, [np.flatnonzero((triangles == one).any(axis=1))[0] for one in range(len(vertices))])
    assert_allclose(np.einsum("nk,nkd->nd", weights, vertices[triangles[found]]), vertices, atol=1e-12)
    middles = vertices[triangles[:, :2]].mean(axis=1)
    beside = [np.isin(triangles, pair).sum(axis=1) == 2 for pair in triangles[:, :2]]
    again = disk_transfer.find_closest(middles + 1e-14, vertices, triangles)[0]
    assert np.array_equal(again, [np.flatnonzero(one)[0] for one in beside])


def test_a_place_beside_an_edge_lies_in_its_own_triangle():
    vertices, triangles = mesh()
    inside = 1e-6 * vertices[triangles[:, 2]] + (1 - 1e-6) * vertices[triangles[:, :2]].mean(axis=1)
    assert np.array_equal(disk_transfer.find_closest(inside, vertices, triangles)[0], np.arange(len(triangles)))
