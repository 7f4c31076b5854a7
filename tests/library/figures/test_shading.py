import numpy as np
import trimesh
from numpy.testing import assert_allclose

from shapedp.figures import shading


def test_normals_are_exact_for_any_triangles_inscribed_in_a_sphere():
    """Max, Weights for computing vertex normals from facet normals (1999)."""
    points = np.random.default_rng(3).standard_normal((200, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    hull = trimesh.convex.convex_hull(points)
    assert_allclose(shading.vertex_normals(hull.vertices, hull.faces), hull.vertices, atol=1e-9)


def test_a_plane_sees_the_whole_sky_and_a_pit_less():
    depth = np.zeros((40, 40), dtype=np.float32)
    assert_allclose(shading.openness(depth, 12, 8, 10.0), 1)
    depth[15:25, 15:25] = -20
    share = shading.openness(depth, 12, 8, 10.0)
    assert share[20, 20] < 0.3
    assert share[2, 2] == 1
