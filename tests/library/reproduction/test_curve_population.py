"""Demo faces in correspondence: of unit area, centered, turned onto the template, the same whoever else is drawn."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tolerances
from shapedp.reproduction import curve_population
from shapedp.surfaces import curve_mesh, polar
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.human_face.demo import faces as demo

COUNT = 5


def areas(vertices):
    """Heron's formula, another way than the module's."""
    corners = vertices[demo.triangles()]
    a, b, c = (np.linalg.norm(corners[:, i] - corners[:, (i + 1) % 3], axis=1) for i in range(3))
    s = (a + b + c) / 2
    return np.sqrt(s * (s - a) * (s - b) * (s - c))


@pytest.fixture(scope="module")
def one():
    """The only member of a population of one: its mean vertices are its own."""
    return curve_population.population(1)


def test_a_face_has_unit_area_and_its_centroid_at_the_origin(one):
    cells = areas(one.mean)
    middles = one.mean[demo.triangles()].mean(axis=1)
    assert cells.sum() == pytest.approx(1, abs=tolerances.UNIT_FACE)
    assert np.abs(cells @ middles).max() < tolerances.UNIT_FACE


def test_no_rotation_brings_a_face_nearer_to_the_template(one):
    left, _ = Rotation.align_vectors(curve_population.template()[0], one.mean, weights=curve_population.model().weights)
    assert left.magnitude() < tolerances.UNIT_FACE


def test_curves_are_those_of_the_face_on_the_templates_disk(one):
    template = demo.template()
    z = conformal.move_to_center(conformal.disk_map(template, demo.triangles()), demo.triangles(), demo.NOSE_TIP)
    f = polar.sample(one.mean, demo.triangles(), z, curve_population.RINGS, curve_population.ANGLES)
    expected = curve_mesh.extract(
        f, np.arange(1, curve_population.CURVES + 1) / curve_population.CURVES, curve_population.SAMPLES
    )
    np.testing.assert_allclose(one.curves[0], expected, rtol=0, atol=tolerances.UNIT_FACE)


def test_curves_start_at_the_forehead_and_turn_anticlockwise_seen_from_outside():
    _, curve = curve_population.template()
    top, quarter = curve[-1, :, 0], curve[-1, :, curve_population.SAMPLES // 4]
    assert top[1] > 0.4 and quarter[0] < -0.3  # up, then to the viewer's left: x is towards the face's own left
    assert curve[0, 2].mean() > curve[-1, 2].mean()  # the first curve is round the nose


def test_a_person_does_not_depend_on_who_else_is_drawn():
    np.testing.assert_array_equal(curve_population.population(2).curves, curve_population.population(COUNT).curves[:2])


def test_the_reference_set_is_of_other_people():
    ours, others = (
        curve_population.population(COUNT).curves,
        curve_population.population(*curve_population.REFERENCE).curves,
    )
    assert min(np.abs(others - one).max() for one in ours) > 1e-3


def test_published_bounds_are_the_largest_norms_and_corrected_ones_do_not_see_the_data():
    largest, none = curve_population.learn_bounds("published", COUNT)
    norms = np.sqrt(np.mean(curve_population.population(COUNT).curves ** 2, axis=-1))
    np.testing.assert_allclose(largest.tau, norms.max(axis=0))
    assert none is None and not largest.public
    first, center = curve_population.learn_bounds("corrected", COUNT)
    np.testing.assert_array_equal(first.tau, curve_population.learn_bounds("corrected", 2)[0].tau)
    np.testing.assert_array_equal(center, curve_population.template()[1])


def test_clamping_to_the_reference_sets_range_keeps_within_it():
    found = curve_population.population(COUNT, limits=curve_population.REFERENCE)
    lower, upper = curve_population.widen_range(curve_population.population(*curve_population.REFERENCE))
    assert np.all((found.clamped_mean >= lower) & (found.clamped_mean <= upper))
    np.testing.assert_array_equal(curve_population.population(COUNT).mean, found.mean)
