"""Who lies across each edge, against a dictionary of all edges; patches of triangles by hand."""

import numpy as np

from library.surfaces import analytic
from shapedp.surfaces import edges, rim


def twins_by_dictionary(triangles):
    at = {}
    for h in range(3 * len(triangles)):
        at[triangles[h // 3, (h + 1) % 3], triangles[h // 3, (h + 2) % 3]] = h
    return [at.get((end, start), -1) for start, end in at]


def test_twins_are_those_of_a_dictionary():
    _, triangles = analytic.disk_mesh(6)
    assert edges.twins(triangles).tolist() == twins_by_dictionary(triangles)


def test_a_hub_of_many_triangles_is_looked_through_once():
    """A fan, as it closes a hole: looking round the hub for each spoke would take 2e10 steps, minutes."""
    ring = np.arange(1, 200_001)
    fan = np.column_stack([np.zeros_like(ring), ring, np.roll(ring, -1)])
    across = edges.neighbours(fan)
    t = np.arange(len(fan))
    assert np.array_equal(across, np.column_stack([np.full_like(t, -1), np.roll(t, -1), np.roll(t, 1)]))


def test_lengths_lie_opposite_to_their_corners():
    points = np.array([[0.0, 0, 0], [3, 0, 0], [0, 4, 0]])
    assert np.allclose(edges.lengths(points, np.array([[0, 1, 2], [1, 2, 0]])), [[5, 4, 3], [4, 3, 5]])


def test_patches_are_connected_across_edges_only():
    strip = np.array([[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]])
    across = edges.neighbours(strip)
    assert rim.patches(across, np.array([True, True, False, True])).tolist() == [0, 0, -1, 1]
    assert rim.patches(across, np.zeros(4, dtype=bool)).tolist() == [-1] * 4
