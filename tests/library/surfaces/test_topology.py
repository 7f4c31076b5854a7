"""What is a disk and what is not, on meshes small enough to check by eye."""

import numpy as np
import pytest

from library.limits import processor_time
from library.surfaces import analytic
from shapedp.surfaces import topology
from shapedp.surfaces.meshing import clipping
from shapedp.surfaces.topology import remember_last_call


def test_the_same_question_is_answered_once_and_another_afresh():
    asked = []

    @remember_last_call
    def double(array, flag=False):
        asked.append(flag)
        return 2 * array

    one = np.arange(3)
    first = double(one)
    first[0] = 99  # the caller's own copy
    assert double(one.astype(np.int32)).tolist() == [0, 2, 4]
    assert asked == [False]
    one[0] = 5  # the array that was asked of has changed
    assert double(one).tolist() == [10, 2, 4]
    assert double(one, True).tolist() == [10, 2, 4]
    assert double(one[:2], True).tolist() == [10, 2]
    assert asked == [False, False, True, True]


def twins_by_dictionary(triangles):
    at = {}
    for h in range(3 * len(triangles)):
        at[triangles[h // 3, (h + 1) % 3], triangles[h // 3, (h + 2) % 3]] = h
    return [at.get((end, start), -1) for start, end in at]


def test_twins_are_those_of_a_dictionary():
    _, triangles = analytic.disk_mesh(6)
    assert topology.twins(triangles).tolist() == twins_by_dictionary(triangles)


def test_a_hub_of_many_triangles_is_looked_through_once():
    """A fan, as it closes a hole: looking round the hub for each spoke would take 2e10 steps, minutes."""
    ring = np.arange(1, 200_001)
    fan = np.column_stack([np.zeros_like(ring), ring, np.roll(ring, -1)])
    across = topology.neighbours(fan)
    t = np.arange(len(fan))
    assert np.array_equal(across, np.column_stack([np.full_like(t, -1), np.roll(t, -1), np.roll(t, 1)]))


def test_lengths_lie_opposite_to_their_corners():
    points = np.array([[0.0, 0, 0], [3, 0, 0], [0, 4, 0]])
    assert np.allclose(topology.lengths(points, np.array([[0, 1, 2], [1, 2, 0]])), [[5, 4, 3], [4, 3, 5]])


def test_patches_are_connected_across_edges_only():
    strip = np.array([[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]])
    across = topology.neighbours(strip)
    first, second, left_out, fourth = clipping.patches(across, np.array([True, True, False, True]))
    assert left_out == -1 < first == second != fourth > -1
    assert clipping.patches(across, np.zeros(4, dtype=bool)).tolist() == [-1] * 4


SQUARE = np.array([[0, 1, 2], [0, 2, 3]])
RING = np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]])  # triangle 012 outside, 345 inside


def test_a_square_is_a_disk():
    assert topology.fault(SQUARE, 4) == ""


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


def test_angles_are_those_of_arctan2():
    sine, cosine = np.random.default_rng(0).normal(size=(2, 5000)) * 10.0 ** np.arange(-5, 5).repeat(500)
    edges = [(0.0, 0.0), (0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (1.0, 1.0), (1.0, -1.0), (1e-9, -1.0), (-1.0, -1e-9)]
    for y, x in [*zip(sine, cosine, strict=True), *zip(sine, cosine[::-1], strict=True), *edges]:
        assert topology.find_angle(y, x) == pytest.approx(np.arctan2(y, x), rel=4e-16, abs=1e-300)


def test_a_part_keeps_who_lies_across():
    triangles = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4]])
    kept, across = topology.part(triangles, topology.neighbours(triangles), np.array([False, True, True]))
    assert np.array_equal(kept, triangles[1:]) and np.array_equal(across, topology.neighbours(kept))


def test_many_holes_are_followed_in_a_time_that_grows_as_they_do():
    """40,000 loops, each of three edges; the least vertex of all that are left was looked for anew for each."""
    triangles = np.arange(120_000).reshape(-1, 3)
    with processor_time(20):
        loops = topology._join_loops(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]))
    assert np.array_equal(np.array(loops), triangles)
