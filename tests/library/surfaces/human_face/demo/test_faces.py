import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial import cKDTree

from shapedp.surfaces.human_face.demo import faces
from tolerances import FACE_ASYMMETRY_MM

COUNT = len(faces.names())


def one(name, weight=3.0):
    weights = np.zeros(COUNT)
    weights[faces.names().index(name)] = weight
    return faces.face(weights)


def normals(vertices):
    a, b, c = (vertices[faces.triangles()[:, k]] for k in range(3))
    found = np.cross(b - a, c - a)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def crossings(pymeshlab, vertices):
    meshes = pymeshlab.MeshSet()
    meshes.add_mesh(pymeshlab.Mesh(vertices, faces.triangles()))
    meshes.compute_selection_by_self_intersections_per_face()
    return meshes.current_mesh().selected_face_number()


def test_triangles_face_outwards_and_the_nose_is_in_front():
    mean = faces.template()
    assert normals(mean)[:, 2].min() > 0
    assert_allclose(mean[faces.NOSE_TIP, :2], 0, atol=1e-9)
    assert mean[faces.NOSE_TIP, 2] > mean[:, 2].max() - 0.3  # mm; the tip is a round thing
    front = mean[mean[:, 2] > mean[faces.NOSE_TIP, 2] - 5]
    assert np.abs(front).max(axis=0)[0] < 12


def test_the_mean_face_is_symmetric():
    mean = faces.template()
    distance, _ = cKDTree(mean).query(mean * [-1, 1, 1])
    assert distance.max() < FACE_ASYMMETRY_MM


@pytest.mark.parametrize(
    ("name", "vertex", "axis", "sign"),
    [
        ("nose length", (0, 0), 1, -1),
        ("jaw to one side", (0, -70), 0, 1),  # towards the face's left
        ("chin protrusion", (0, -68), 2, 1),
        ("one eye higher", (31, 40), 1, 1),
        ("mouth width", (25, -35), 0, 1),
        ("mouth width", (-25, -35), 0, -1),
    ],
)
def test_weights_mean_what_they_are_called(name, vertex, axis, sign):
    mean = faces.template()
    at = np.argmin(np.linalg.norm(mean[:, :2] - vertex, axis=1))
    assert sign * (one(name) - mean)[at, axis] > 1


def test_faces_are_the_mean_plus_weighted_fields():
    a, b = np.random.default_rng(5).standard_normal((2, COUNT))
    assert_array_equal(faces.face(np.zeros(COUNT)), faces.template())
    total = faces.face(a) + faces.face(b) - faces.template()
    assert_allclose(faces.face(a + b), total, rtol=0, atol=1e-10)


def test_people_differ_by_a_few_millimetres_about_the_mean():
    rng, count = np.random.default_rng(0), 300
    moved = np.array([faces.face(faces.random_weights(rng)) for _ in range(count)]) - faces.template()
    sd = moved.std(axis=0)
    assert 2 < np.sqrt(np.mean(np.sum(moved**2, axis=2))) < 6
    assert np.all(np.abs(moved.mean(axis=0)) <= 5 * sd / np.sqrt(count) + 1e-12)
    width, height, _ = np.ptp(faces.template(), axis=0)
    assert 125 < width < 160
    assert 160 < height < 210


@pytest.mark.slow
def test_no_face_folds_or_crosses_itself_within_three_deviations(pymeshlab):
    rng, ahead = np.random.default_rng(1), normals(faces.template())
    each = [faces.face(3.0 * sign * row) for row in np.eye(COUNT) for sign in (-1, 1)]
    drawn = [faces.face(faces.random_weights(rng)) for _ in range(20)]
    corners = [faces.face(rng.choice([-3.0, 3.0], COUNT)) for _ in range(60)]
    for vertices in each + drawn + corners:
        assert np.sum(normals(vertices) * ahead, axis=1).min() > 0
    for vertices in drawn + corners[:20]:
        assert crossings(pymeshlab, vertices) == 0


def test_the_oracle_of_crossings_sees_one(pymeshlab):
    folded = faces.template()
    folded[faces.NOSE_TIP] -= [0, 0, 60]
    folded[1] += [0, -30, -30]
    assert crossings(pymeshlab, folded) > 0


def test_random_weights_are_standard_normal_within_three():
    rng = np.random.default_rng(2)
    weights = np.array([faces.random_weights(rng) for _ in range(400)])
    assert np.abs(weights).max() <= 3
    assert abs(weights.mean()) < 5 / np.sqrt(weights.size)
    assert_allclose(weights.std(), 0.9866, atol=5 / np.sqrt(2 * weights.size))  # a normal cut off at 3
    assert_array_equal(faces.random_weights(np.random.default_rng(7)), faces.random_weights(np.random.default_rng(7)))


def test_wrong_number_of_weights_is_refused():
    with pytest.raises(ValueError, match=f"{COUNT} weights"):
        faces.face(np.zeros(COUNT + 1))


def test_callers_cannot_change_the_model():
    faces.template()[:] = 0
    faces.triangles()[:] = 0
    assert np.ptp(faces.template()) > 100
    assert faces.triangles().max() == len(faces.template()) - 1
