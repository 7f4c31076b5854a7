"""Faces of different extent come out alike; what is no face, or half of one, is rejected with the cause."""

import numpy as np
import pytest

from shapedp.demo import faces, scans
from shapedp.errors import Rejected
from shapedp.surfaces import alignment, carrying, centers, gates, meshing
from shapedp.surfaces.registration.options import Options

SHAPE = (48, 128, 3)
OPTIONS = Options(levels=2, basis=60)
LIMITS = gates.Gates(energy=0.17, jacobian=0.2, missing=0.2)


@pytest.fixture(scope="module")
def whole():
    return alignment.mapped(faces.template(), faces.triangles(), faces.NOSE_TIP, SHAPE)


@pytest.fixture(scope="module")
def template(whole):
    return alignment.prepared(whole.f, whole.f, None, np.inf, OPTIONS)


def face_of(points, triangles=None):
    mesh = meshing.mesh_scan(points, triangles)
    return alignment.mapped(
        mesh.vertices, mesh.triangles, centers.find(mesh.vertices, mesh.triangles, "nose").vertex, SHAPE
    )


def upright(index):
    """A demo scan in the model's own pose, the nose at 0."""
    truth = scans.truth(2024, index)
    return (scans.scan(2024, index) - truth.nose_tip) @ truth.rotation


@pytest.mark.slow
def test_a_scan_of_the_templates_kind_is_left_as_it_is(template):
    aligned = alignment.align(face_of(upright(3)), template)
    gates.judge(aligned, LIMITS)
    assert aligned.removed == 0
    assert aligned.missing < 0.1
    assert aligned.nose_distance < 0.03


@pytest.mark.slow
def test_scans_of_one_person_that_end_elsewhere_come_out_alike(whole):
    """Cut at 85 mm and at 95 mm from the nose: with a common extent of 80 mm they differ by a third or less."""
    radius = 80 / whole.scale
    common = alignment.common_of(whole, radius)
    assert common.scale < 0.95 * whole.scale
    points = upright(3)
    away = np.linalg.norm(points, axis=1)
    apart = []
    for template in (
        alignment.prepared(whole.f, whole.f, None, np.inf, OPTIONS),
        alignment.prepared(whole.f, common.f, carrying.places(common, whole), radius, OPTIONS),
    ):
        one, other = (alignment.align(face_of(points[away < end]), template).registered.surface for end in (85, 100))
        apart.append(np.sqrt(np.mean(np.sum((one - other) ** 2, axis=-1))))
    assert apart[1] < apart[0] / 2


@pytest.mark.slow
def test_a_wrong_nose_is_put_right_by_the_registration(template):
    face = face_of(upright(3))
    tip = np.argmin(np.linalg.norm(face.vertices, axis=1))
    beside = np.argmin(np.linalg.norm(face.vertices - face.vertices[tip] - [14, 0, -8], axis=1))
    wrong = alignment.mapped(face.vertices, face.triangles, beside, SHAPE)
    right = alignment.align(face, template).registered.surface
    found = alignment.align(wrong, template)
    assert found.nose_distance > alignment.FAR
    assert np.sqrt(np.mean(np.sum((found.registered.surface - right) ** 2, axis=-1))) < 0.005


@pytest.mark.slow
@pytest.mark.parametrize(
    "cut",
    [
        lambda p: p[p[:, 0] > -25],
        lambda p: p[p[:, 1] > -30],
        lambda p: p[p[:, 1] < 25],
    ],
    ids=["half", "no chin", "no forehead"],
)
def test_part_of_a_face_is_rejected(template, cut):
    with pytest.raises(Rejected) as caught:
        gates.judge(alignment.align(face_of(cut(upright(3))), template), LIMITS)
    assert caught.value.code in ("partial_extent", "unlike_template", "outside_extent")


def test_each_limit_says_what_it_found(template):
    aligned = alignment.align(face_of(upright(3)), template)
    for limits, words in (
        (gates.Gates(1, 0, -1), "lacks .* of the template's extent .*faces.extent.radius"),
        (gates.Gates(1e-9, 0, 1), r"energy .* \(at most 1e-09\)"),
        (gates.Gates(1, 2, 1), r"least Jacobian .* \(at least 2\)"),
    ):
        with pytest.raises(Rejected, match=words):
            gates.judge(aligned, limits)
