"""Marks by hand: which are heeded, where they place a face, and that they pull the fit of the public model."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from shapedp.surfaces.human_face import face_marks, likeness, placement, public_fit, real_faces, template_forms
from shapedp.surfaces.human_face.face_marks import FaceMarks
from shapedp.surfaces.registration import alignment
from shapedp.surfaces.registration.template import Options

SHAPE = (48, 128, 3)


@pytest.fixture(scope="module")
def built_in():
    """(template, People) of the built-in face."""
    face = alignment.map_face(*template_forms.built_in_template("built_in"), SHAPE, True)
    people = placement.find_people(face, True)
    return alignment.Template(face.f, Options(), people.size), people


def on_mean(names, moved=0.0):
    """The FaceMarks of these names on the public mean, each moved by (3,) mm."""
    plain = FaceMarks(names, np.zeros((len(names), 3)))
    return FaceMarks(names, real_faces.template()[plain.vertices] + moved)


def test_a_mark_that_no_landmark_is_named_for_is_told_and_left_out():
    marks = FaceMarks.from_sheet((("chin", (1.0, 2.0, 3.0)), ("ear", (0.0, 0.0, 0.0))), (4.0, 5.0, 6.0))
    assert marks.names == ("chin", "nose") and marks.points.tolist() == [[1, 2, 3], [4, 5, 6]]
    (words,) = marks.words
    assert "'ear'" in words and "chin" in words


def test_a_nose_alone_is_no_mark():
    assert FaceMarks.from_sheet((), (4.0, 5.0, 6.0)).names == ()


def test_a_mark_far_from_the_scan_is_told_and_left_out():
    scan = real_faces.template() / 10  # centimetres
    marks = on_mean(("chin", "left_eye"), np.array([[0, 0, 5.0], [0, 0, 40.0]]))
    heeded = FaceMarks(marks.names, marks.points / 10).near_scan(scan, 10.0)
    assert heeded.names == ("chin",) and "'left_eye' lies 32 mm from the scan" in heeded.words[0]


def test_marks_say_where_a_face_lies_in_its_scan(built_in):
    template, people = built_in
    marks = on_mean(("left_eye", "right_eye", "chin", "nose"))
    turn, size, shift = Rotation.from_euler("xyz", [170, 20, 80], degrees=True).as_matrix(), 0.1, np.array([3.0, 2, 1])
    moved = FaceMarks(marks.names, size * marks.points @ turn.T + shift)
    place = moved.place(template, people)
    assert place.size == pytest.approx(size * people.size, rel=1e-9)
    _, wanted = people.landmarks(marks.vertices)
    np.testing.assert_allclose(moved.in_template(place, template), wanted, atol=1e-9)
    assert FaceMarks(marks.names[:2], marks.points[:2]).place(template, people) is None


def test_landmarks_have_the_models_own_basis(built_in):
    """At a vertex on the template's grid the basis is that of the grid; a face of weights has the vertex there."""
    _, people = built_in
    basis, mean = people.landmarks(FaceMarks(("chin",), np.zeros((1, 3))).vertices)
    weights = np.zeros(real_faces.count() + 7)
    weights[0], weights[-1] = 1.0, 0.01
    face = people.face(weights)
    there = mean[0] + basis[0, :, : len(weights)] @ weights
    assert np.linalg.norm(face.reshape(-1, 3) - there, axis=1).min() * people.size < 2.0  # the grid is that coarse
    off = np.linalg.norm(people.mean.reshape(-1, 3) - mean[0], axis=1)
    step = face.reshape(-1, 3)[off.argmin()] - people.mean.reshape(-1, 3)[off.argmin()]
    np.testing.assert_allclose((there - mean[0]) * people.size, step * people.size, atol=0.5)


def test_a_mark_pulls_the_fit_and_nothing_else_does(built_in):
    """Points of the mean face without its chin, the chin marked 12 mm lower: the fit's chin goes most of the way."""
    _, people = built_in
    mean, normals = people.fitting[1].reshape(-1, 3), public_fit.grid_normals(people.fitting[1])
    marks = on_mean(("chin",), np.array([[0.0, -12, 0]]))
    _, wanted = people.landmarks(marks.vertices)
    seen = np.linalg.norm(mean - wanted[0], axis=1) * people.size > 45
    areas = np.full(seen.sum(), 1.0)
    down = np.array([0.0, -12 / people.size, 0])
    count = real_faces.count() + 7
    basis, _ = people.landmarks(marks.vertices)
    held = face_marks.Constraint(basis, wanted, wanted + down, (face_marks.OFF_MM / people.size) ** -2.0)
    ends = []
    for constraint in (None, held):
        points = public_fit.fit_points(mean[seen], normals[seen], areas, people, constraint).points.reshape(-1, 3)
        near = np.linalg.norm(people.mean.reshape(-1, 3) - wanted[0], axis=1).argmin()
        ends.append((points[near] - people.mean.reshape(-1, 3)[near])[1] * people.size)
    assert basis.shape[-1] > count and abs(ends[0]) < 1.5 and -13 < ends[1] < -6


def test_a_mark_that_was_not_heeded_is_told():
    marks = on_mean(("chin", "left_mouth"))
    (words,) = marks.notices(np.array([9.2, 1.0]))
    assert "'chin' lies 9 mm" in words


def test_marks_hold_an_open_mouth_and_a_wrong_one_is_told(built_in):
    """The jaw is open, its chin and lips are marked: the chin lies where it is; a mark that slipped is told."""
    template, people = built_in
    jaw = real_faces.expressions()[real_faces.expression_names().index("jawOpen")]
    vertices = real_faces.template() + 0.8 * jaw
    scan = alignment.map_face(vertices, real_faces.triangles(), real_faces.nose_tip(), SHAPE, True)
    names = ("left_mouth", "right_mouth", "chin", "nose")
    vertex = FaceMarks(names, np.zeros((4, 3))).vertices
    marks = FaceMarks(names, vertices[vertex] + np.array([[1.0, -1, 0], [-1, 0, 1], [0, 1, 0], [1, 0, 0]]))
    found = likeness.align_likeliest(scan, template, people, marks=marks)
    at = np.linalg.norm(people.mean - people.landmarks(vertex[2:3])[1][0], axis=-1).ravel().argmin()
    assert np.linalg.norm(found.points.reshape(-1, 3)[at] - vertices[vertex[2]]) < 4.0  # the grid is that coarse
    assert found.notice == "" and found.expression is not None
    slipped = FaceMarks(names, marks.points + np.array([[0, 0, 0], [0, 0, 0], [35.0, 25, -12], [0, 0, 0]]))
    assert "'chin'" in likeness.align_likeliest(scan, template, people, marks=slipped).notice
