"""What is a disk and what is not, on meshes small enough to check by eye."""

import numpy as np
import pytest

from shapedp.surfaces import topology

SQUARE = np.array([[0, 1, 2], [0, 2, 3]])
RING = np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]])  # triangle 012 outside, 345 inside


def test_a_square_is_a_disk():
    assert topology.fault(SQUARE, 4) == ""
    assert topology.euler_characteristic(SQUARE) == 1


def test_the_boundary_runs_with_the_surface_on_its_left():
    (loop,) = topology.boundary_loops(SQUARE)
    assert loop.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("triangles", "n", "words"),
    [
        (np.zeros((0, 3), dtype=int), 0, "no triangles"),
        (SQUARE, 5, "1 vertices belong to no triangle"),
        (np.array([[0, 1, 2], [3, 4, 5]]), 6, "falls into 2 parts"),
        (np.array([[0, 1, 2], [2, 3, 4]]), 5, "touches itself"),
        (np.array([[0, 1, 2], [0, 1, 3]]), 4, "neighbours are turned differently"),
        (np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]), 4, "closed"),
        (np.array([[0, 0, 1]]), 2, "twice"),
        (np.array([[0, 1, 9]]), 3, "names vertex 9 of 3"),
        (RING, 6, "2 boundary loops"),
    ],
)
def test_each_fault_is_named(triangles, n, words):
    assert words in topology.fault(triangles, n)
