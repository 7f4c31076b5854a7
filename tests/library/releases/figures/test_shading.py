""""""

import numpy as np
import trimesh
from numpy.testing import assert_allclose, assert_array_equal

from shapedp.releases.figures import shading


def test_normals_are_exact_for_any_triangles_inscribed_in_a_sphere():
    """Max, Weights for computing vertex normals from facet normals (1999)."""
    points = np.random.default_rng(3).standard_normal((200, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    hull = trimesh.convex.convex_hull(points)
    assert_allclose(shading.find_vertex_normals(hull.vertices, hull.faces), hull.vertices, atol=1e-9)


def test_a_plane_sees_the_whole_sky_and_a_pit_less():
    depth = np.zeros((40, 40), dtype=np.float32)
    assert_allclose(shading.openness(depth, 12, 8, 10.0), 1)
    depth[15:25, 15:25] = -20
    share = shading.openness(depth, 12, 8, 10.0)
    assert share[20, 20] < 0.3
    assert share[2, 2] == 1


def cover(points, triangles, height=4, width=4):
    column, row, depth = np.array(points, dtype=float).T
    return shading.cover(column, row, depth, np.array(triangles), height, width)


def test_pixels_of_a_triangle_by_hand():
    """Corners (0, 0), (4, 0), (0, 4): the pixel centers with column + row <= 4."""
    nearest, _, _ = cover([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]])
    assert_array_equal(nearest, [[0, 0, 0, 0], [0, 0, 0, -1], [0, 0, -1, -1], [0, -1, -1, -1]])


def test_depth_and_weights_by_hand():
    """On the plane z = 2 column + 3 row + 1."""
    _, depth, weights = cover([[0, 0, 1], [4, 0, 9], [0, 4, 13]], [[0, 1, 2]])
    assert_allclose(depth[0, :3], [2 * 0.5 + 3 * 0.5 + 1, 2 * 1.5 + 3 * 0.5 + 1, 2 * 2.5 + 3 * 0.5 + 1])
    assert_allclose(weights[0, 0], [0.75, 0.125])
    assert depth[3, 3] == -np.inf


def test_the_higher_of_two_crossing_triangles_wins_pixel_by_pixel():
    flat = [[-8, -8, 0], [12, -8, 0], [-8, 12, 0]]
    slope = [[-8, -8, -10], [12, -8, 10], [-8, 12, -10]]  # z = column - 2
    nearest, _, _ = cover(flat + slope, [[0, 1, 2], [3, 4, 5]], height=1)
    assert_array_equal(nearest, [[0, 0, 1, 1]])


def test_winding_does_not_matter_and_slivers_are_skipped():
    corners = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [2, 0, 0]]
    one, other = cover(corners, [[0, 1, 2]])[0], cover(corners, [[2, 1, 0]])[0]
    assert_array_equal(one, other)
    assert np.all(cover(corners, [[0, 3, 1]])[0] == -1)


def test_triangles_partly_outside_the_picture_are_cut_at_its_edge():
    nearest, _, _ = cover([[-100, -100, 0], [100, -100, 0], [0, 100, 0]], [[0, 1, 2]])
    assert np.all(nearest == 0)


def test_a_line_by_hand():
    """Along row center 1.5 from column 1 to 3, radius 0.6: pixels within 0.6 of it."""
    depth = np.full((4, 4), -np.inf, dtype=np.float32)
    column, row, z = np.array([1.0, 3.0]), np.array([1.5, 1.5]), np.zeros(2)
    seen = shading.cover_lines(column, row, z, np.array([0, 2]), 0.6, 0.0, depth)
    assert_array_equal(np.argwhere(seen), [[1, 0], [1, 1], [1, 2], [1, 3]])
    depth[1, 2] = 1.0  # something in front of one of them
    hidden = shading.cover_lines(column, row, z, np.array([0, 2]), 0.6, 0.5, depth)
    assert_array_equal(np.argwhere(hidden), [[1, 0], [1, 1], [1, 3]])
    assert shading.cover_lines(column, row, z, np.array([0, 2]), 0.6, 1.0, depth)[1, 2]
