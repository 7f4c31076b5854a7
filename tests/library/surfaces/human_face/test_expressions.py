"""Expressions are fitted where they move a face, and taken off: faces of the public model itself, drawn with them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from shapedp.base.errors import Rejected
from shapedp.surfaces import polar, table
from shapedp.surfaces.human_face import expressions, likeness, placement, public_fit, real_faces, template_forms
from shapedp.surfaces.registration import alignment, disk_transfer
from shapedp.surfaces.registration.template import Options

SHAPE = (96, 256, 3)
CHIN_MM = 15.0
NAMES = real_faces.expression_names()


def weights_of(**named):
    """(m,) weights of expressions by name; `mouthSmile` stands for both of its sides."""
    weights = np.zeros(len(NAMES))
    for name, value in named.items():
        weights[[k for k, one in enumerate(NAMES) if one in (name, f"{name}_L", f"{name}_R")]] = value
    return weights


def person(seed, expression):
    """(n, 3) in mm, a person of the public model with an expression."""
    identity = real_faces.face(np.random.default_rng(seed).standard_normal(real_faces.count()))
    return identity + np.tensordot(expression, real_faces.expressions().astype(float), axes=1)


def face_of(vertices):
    return alignment.map_face(vertices, real_faces.triangles(), real_faces.nose_tip(), SHAPE, True)


@pytest.fixture(scope="module")
def whole():
    return alignment.map_face(*template_forms.built_in_template("built_in"), SHAPE, True)


@pytest.fixture(scope="module")
def forms(whole):
    people = placement.find_people(whole, own=True)
    where = disk_transfer.find_places(whole, whole)
    return template_forms.TemplateForms(whole.f, whole.f, where, people, people, Options(basis=150))


@pytest.fixture(scope="module")
def at_vertices(whole):
    """(which of the model's vertices lie on the template, where in its disk)."""
    away = np.linalg.norm(real_faces.template() - real_faces.template()[real_faces.nose_tip()], axis=1)
    inside = np.flatnonzero(away < 0.9 * template_forms.REACH_MM)
    z = disk_transfer.find_nearest(real_faces.template()[inside], whole)
    return inside, np.stack([z.real, z.imag], axis=-1)


def errors(aligned, vertices, at_vertices):
    """(m,) mm from the registered vertices to the true ones."""
    inside, places = at_vertices
    f = aligned.registered.surface
    found = table.lookup(table.coefficients(f, polar.polar_grid(*SHAPE[:2])), places[None])[0]
    found = found @ aligned.registered.rotation * aligned.scale + aligned.centroid
    return np.linalg.norm(found - vertices[inside], axis=1)


def about_chin(at_vertices):
    """(m,) which of the vertices lie about the chin, the lowest point of the middle that the jaw moves farthest."""
    jaw = real_faces.expressions()[NAMES.index("jawOpen")]
    chin = real_faces.template()[np.argmax(np.linalg.norm(jaw, axis=1))]
    return np.linalg.norm(real_faces.template()[at_vertices[0]] - chin, axis=1) < CHIN_MM


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "jaw"), [(1, 0.45), (2, 0.9)])
def test_an_open_mouth_keeps_its_chin(forms, at_vertices, seed, jaw):
    """Cut to the neutral template's outline, the lower lip is drawn onto the chin: 20 to 40 mm."""
    vertices = person(seed, weights_of(jawOpen=jaw))
    aligned = forms.align(face_of(vertices))
    off = errors(aligned, vertices, at_vertices)
    assert off[about_chin(at_vertices)].mean() < 3
    assert np.quantile(off, 0.95) < 4
    assert expressions.describe(aligned.expression, forms.people)["jaw_mm"] == pytest.approx(44 * jaw, rel=0.4)


def test_a_registration_that_slid_along_open_lips_is_told_from_one_that_did_not(forms):
    """By a twentieth of the face that lies 10 mm from the fit; by 2 mm all of it may."""
    people, nearest = forms.people, np.zeros(SHAPE[:2], dtype=bool)
    nearest[: SHAPE[0] // 4] = True
    far, near = (people.f + shift / people.size for shift in (10.0 * nearest[..., None], 2.0))
    for named, slid in (({"jawOpen": 0.5}, True), ({"mouthLowerDown": 0.8}, True), ({"mouthSmile": 0.3}, False)):
        weights = weights_of(**named)
        fitted = expressions.ExpressiveFit(public_fit.Fit(people.f, np.eye(7), 1.0), None, weights, 0.0)
        assert likeness._slides_along_lips(far, fitted, people) == slid
        assert not likeness._slides_along_lips(near, fitted, people)


@pytest.mark.slow
def test_a_face_at_rest_is_fitted_without_expressions(forms, at_vertices):
    vertices = person(3, weights_of())
    aligned = forms.align(face_of(vertices))
    assert aligned.expression is None
    assert forms.neutral(aligned, aligned.face) is aligned
    assert errors(aligned, vertices, at_vertices).mean() < 1.2


@pytest.mark.slow
def test_what_is_left_without_a_smile_is_the_person(forms):
    """Two faces of one person lie nearer together without their expressions; those of two people as far apart."""

    def made(seed, **expression):
        face = face_of(person(seed, weights_of(**expression)))
        aligned = forms.align(face)
        return aligned.registered.surface, forms.neutral(aligned, face).registered.surface

    def apart(one, other):
        return np.sqrt(((one - other) ** 2).sum(axis=-1).mean())

    (rest, rest_off), (smile, smile_off), (_, stranger_off) = made(4), made(4, mouthSmile=0.9), made(5, mouthSmile=0.9)
    assert apart(rest_off, smile_off) < 0.6 * apart(rest, smile)
    assert apart(stranger_off, smile_off) > 2 * apart(rest_off, smile_off)


def test_an_expression_is_added_as_the_model_has_it(forms):
    """The grid's points move as the model's vertices do there, in mm."""
    weights = weights_of(jawOpen=1.0)
    moved = np.linalg.norm(forms.people.expression(weights), axis=-1) * forms.people.size
    jaw = np.linalg.norm(real_faces.expressions()[NAMES.index("jawOpen")], axis=1).max()
    assert moved.max() == pytest.approx(jaw, rel=0.02)
    found = forms.people.face(np.zeros(real_faces.count() + 7), weights) - forms.people.mean
    assert np.allclose(found, forms.people.expression(weights), rtol=0, atol=1e-12)


def test_a_small_similarity_of_a_face_is_one_of_its_place(forms):
    """A scan stays where it is on the face when the place takes the similarity over, up to its square."""
    template, size = forms.mesh_template, 1e-4
    similarity = size * np.random.default_rng(0).standard_normal(7)
    place = alignment.Place(np.array([5.0, -3.0, 40.0]), 150.0, Rotation.from_rotvec([0.3, -0.2, 0.9]).as_matrix())
    x = np.random.default_rng(1).standard_normal((20, 3))
    shift, turn, growth = similarity[:3], similarity[3:6], similarity[6]
    moved = x + shift + np.cross(turn, x) + growth * x  # the face's points, as `People.basis` has it
    scan = (moved - template.extent.nose) @ place.rotation * place.size + place.nose
    taken = expressions._take_over(place, similarity, template)
    assert np.abs(taken.bring(scan) + template.extent.nose - x).max() < 30 * size**2


def test_a_face_keeps_a_size_above_0_whatever_a_step_asks_for(forms):
    place = alignment.Place(np.zeros(3), 150.0, np.eye(3))
    taken = expressions._take_over(place, np.array([0, 0, 0, 0, 0, 0, -1.5]), forms.mesh_template)
    assert taken.size == 150 * expressions.LEAST_GROWTH


def test_left_and_right_of_an_expression_go_together():
    covariance = np.linalg.inv(expressions._find_prior_of_expressions())
    left, right, jaw = (NAMES.index(name) for name in ("mouthSmile_L", "mouthSmile_R", "jawOpen"))
    assert covariance[left, right] == pytest.approx(expressions.TOGETHER * expressions.SPREAD**2)
    assert covariance[left, jaw] == pytest.approx(0, abs=1e-12)
    assert covariance[jaw, jaw] == pytest.approx(expressions.OF_JAW**2)


def test_an_expression_is_told_in_words_and_refused_beyond_a_limit(forms):
    none = expressions.describe(None, forms.people)
    assert none == {"jaw_mm": 0.0, "smile_mm": 0.0, "expression_mm": 0.0, "expression_notice": ""}
    expressions.refuse_beyond(none)
    mouth = expressions.describe(weights_of(jawOpen=0.5), forms.people)
    assert mouth["jaw_mm"] == pytest.approx(22, rel=0.1)
    assert "an open mouth (the jaw 2" in mouth["expression_notice"]
    smile = expressions.describe(weights_of(mouthSmile=0.8), forms.people)
    assert "a smile" in smile["expression_notice"]
    assert smile["jaw_mm"] == 0
    with pytest.raises(Rejected, match="scan the face at rest") as refusal:
        expressions.refuse_beyond(mouth)
    assert refusal.value.code == "expression"


@pytest.mark.parametrize("degrees", [0, 20, -35])
def test_a_tilt_is_that_against_the_nearest_axes_of_the_file(degrees):
    """A quarter turn of the file is none: scanners differ in which axis is up."""
    tilt = Rotation.from_euler("x", degrees, degrees=True).as_matrix()
    quarter = Rotation.from_euler("zx", [90, 180], degrees=True).as_matrix()
    for rotation in (tilt, tilt @ quarter):
        assert alignment.measure_tilt(rotation) == pytest.approx(abs(degrees), abs=1e-5)


@pytest.mark.parametrize(("identity", "is_taken"), [(100.0, True), (30.0, False)])
def test_of_several_starts_the_likeliest_is_taken_if_identity_alone_does_worse(forms, monkeypatch, identity, is_taken):
    made = {jaw: replace(_nothing(), cost=cost) for jaw, cost in zip(expressions.JAWS, (3.0, 1.0, 2.0), strict=True)}
    alone = replace(_nothing(), cost=identity)

    def fit_from_start(scan, place, template, people, jaw, marks=None, is_expressive=True):
        return made[jaw] if is_expressive else alone

    monkeypatch.setattr(expressions, "_fit", fit_from_start)
    found = expressions.fit_best(None, None, forms.mesh_template, forms.people)
    assert found is (made[expressions.JAWS[1]] if is_taken else None)


def _nothing():
    fit = public_fit.Fit(np.zeros(SHAPE), np.eye(7), 1.0)
    return expressions.ExpressiveFit(fit, alignment.Place(np.zeros(3), 1.0, np.eye(3)), np.zeros(len(NAMES)), 0.0)
