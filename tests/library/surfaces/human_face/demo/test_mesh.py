import numpy as np
import trimesh
from numpy.testing import assert_allclose, assert_array_equal

from shapedp.surfaces.human_face.demo import faces
from tolerances import FACE_ASYMMETRY_MM

OUTERMOST = 6 * faces.RINGS  # vertices of the last ring


def test_mesh_is_a_disk():
    body = trimesh.Trimesh(faces.template(), faces.mesh_triangles(), process=False)
    assert body.euler_number == 1
    assert body.is_winding_consistent
    assert body.body_count == 1
    assert 7000 <= len(body.vertices) <= 7400
    assert_array_equal(np.unique(body.faces), np.arange(len(body.vertices)))
    uses = np.bincount(body.edges_unique_inverse)
    border = body.edges_unique[uses == 1]
    assert uses.max() == 2
    assert len(border) == OUTERMOST  # the last ring, and no other loop
    assert border.min() == len(body.vertices) - OUTERMOST


def test_no_triangle_flips_in_the_plane_of_the_mask():
    a, b, c = (faces.coordinates()[faces.mesh_triangles()[:, k]] for k in range(3))
    doubled = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    assert doubled.min() > 0


def test_center_is_the_nose_tip_and_each_ring_begins_above_it():
    p = faces.coordinates()
    assert_allclose(p[0], 0, atol=FACE_ASYMMETRY_MM)
    first = [1 + 3 * k * (k - 1) for k in range(1, faces.RINGS + 1)]
    assert_allclose(p[first, 0], 0, atol=FACE_ASYMMETRY_MM)
    assert np.all(np.diff(p[first, 1], prepend=0) > 0)


def test_the_mean_face_is_covered_more_evenly_than_by_the_bare_egg():
    def spread(p):
        at = faces.formula_face(*p.T)
        body = trimesh.Trimesh(at, faces.mesh_triangles(), process=False)
        length = body.edges_unique_length * faces.resolution(p[body.edges_unique].mean(axis=1))
        return np.log(length).std()

    relaxed, bare = spread(faces.coordinates()), spread(faces.egg(faces.disk()))
    assert relaxed < 0.8 * bare
