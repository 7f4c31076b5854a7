"""Where a face's nose tip is found, and what is refused."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from shapedp.base.errors import Rejected
from shapedp.surfaces import frame
from shapedp.surfaces.human_face import nose
from shapedp.surfaces.human_face.demo import faces
from shapedp.surfaces.human_face.demo import scans as demo
from shapedp.surfaces.meshing import mending, scan_mesh


@pytest.fixture(scope="module")
def mesh():
    made = scan_mesh.mesh_scan(demo.scan(2024, 3))
    return made.vertices, made.triangles


def test_the_nose_of_the_template_is_found():
    found = nose.find_center(faces.template(), faces.triangles())
    assert (found.vertex, found.method, found.notice) == (faces.NOSE_TIP, "found", "")
    assert 0 < found.confidence < 1


def test_a_marked_nose_is_taken(mesh):
    marked = demo.truth(2024, 3).nose_tip + np.array([3, 0, 0])
    found = nose.find_center(*mesh, marked)
    assert found.method == "marked"
    assert np.linalg.norm(mesh[0][found.vertex] - marked) < 3


def test_a_nose_marked_elsewhere_is_refused(mesh):
    with pytest.raises(Rejected, match="check the units and the columns nose_x") as caught:
        nose.find_center(*mesh, (1e4, 0, 0))
    assert caught.value.code == "marked_nose_far"


def test_a_surface_too_flat_for_a_face_is_refused():
    xy = np.random.default_rng(0).uniform(-1, 1, (4000, 2))
    xy = xy[np.linalg.norm(xy, axis=1) < 1]
    hill = np.column_stack([xy, 0.02 * np.exp(-20 * ((xy[:, 0] - 0.3) ** 2 + xy[:, 1] ** 2))])
    triangles, _ = mending.triangulate_plane(xy)
    with pytest.raises(Rejected, match="a face has depth"):
        nose.find_center(hill, triangles)


SIZE = 200.0  # mm, square root of the area
NOSE, CHIN = np.array([0.0, 10.0]), np.array([5.0, -55.0])


def face(ridge):
    """A bowl of 200 mm with a nose 20 mm high, and a chin: a ridge of that height which runs on upwards to a lip."""
    axis = np.arange(-100, 100, 3.0)
    xy = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    xy = xy[np.hypot(*xy.T) < 100]
    bowl = 40 - 40 * (xy**2).sum(axis=1) / 100**2
    bump = 20 * np.exp(-((xy - NOSE) ** 2).sum(axis=1) / 150)
    x, y = (xy - CHIN).T
    chin = ridge * np.exp(-(x**2) / 150) * np.where(y < 0, np.exp(-(y**2) / 150), np.exp(-(y**2) / 1500))
    points = np.column_stack([xy, bowl + np.maximum(bump, chin)])
    return points, np.flatnonzero(np.hypot(*xy.T) > 96)


def found(points, rim):
    tip, confidence = nose.find_nose(points, frame.fit(points), SIZE, rim)
    return points[tip], confidence


@pytest.mark.parametrize("ridge", [0, 15, 24])
def test_a_nose_beats_a_ridge_that_is_as_high(ridge):
    points, rim = face(ridge)
    tip, confidence = found(points, rim)
    assert np.linalg.norm(tip[:2] - NOSE) < 6
    assert 0 < confidence <= 1


def test_a_rival_takes_confidence_away():
    assert found(*face(0))[1] > found(*face(24))[1] + 0.1


def test_the_tip_is_the_same_point_from_every_pose():
    points, rim = face(15)
    turned = Rotation.from_rotvec([0.4, 2.0, -1.1]).apply(points) + np.array([10, 20, 30])
    seen, moved = frame.fit(points), frame.fit(turned)
    assert nose.find_nose(points, seen, SIZE, rim)[0] == nose.find_nose(turned, moved, SIZE, rim)[0]


def test_a_nose_that_is_sought_where_no_points_lie_is_refused():
    points, rim = face(15)
    with pytest.raises(Rejected, match="shows only part of a face"):
        nose.find_nose(points, frame.fit(points), SIZE, rim, np.array([0.0, 0.0, 10 * SIZE]))
