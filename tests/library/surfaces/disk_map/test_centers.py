"""What lies at the center of the disk: given, highest, or in the middle of the boundary."""

import numpy as np
import pytest

from shapedp.base.errors import Rejected
from shapedp.surfaces.disk_map import centers
from shapedp.surfaces.human_face.demo import scans as demo
from shapedp.surfaces.meshing import mending, scan_mesh


@pytest.fixture(scope="module")
def mesh():
    made = scan_mesh.mesh_scan(demo.scan(2024, 3))
    return made.vertices, made.triangles


def test_a_given_point_lies_at_the_center(mesh):
    vertices = mesh[0]
    point = vertices[np.argmin(np.linalg.norm(vertices - vertices.mean(axis=0), axis=1))]
    found = centers.find(*mesh, tuple(point + np.array([0.5, 0, 0])))
    assert found.method == "given"
    assert np.linalg.norm(vertices[found.vertex] - point) < 3
    with pytest.raises(Rejected, match=r"\(0, 0, 10000.0\).*faces.center") as caught:
        centers.find(*mesh, (0, 0, 1e4))
    assert caught.value.code == "center_far"


@pytest.mark.parametrize(("center", "x"), [("highest", 0.3), ("boundary", 0.0)])
def test_any_disk_like_surface_has_a_center(center, x):
    """A terrain: a hill on a plain, far too flat for a face."""
    xy = np.random.default_rng(0).uniform(-1, 1, (4000, 2))
    xy = xy[np.linalg.norm(xy, axis=1) < 1]
    hill = np.column_stack([xy, 0.02 * np.exp(-20 * ((xy[:, 0] - 0.3) ** 2 + xy[:, 1] ** 2))])
    triangles, _ = mending.triangulate_plane(xy)
    assert abs(hill[centers.find(hill, triangles, center).vertex, 0] - x) < 0.1
