"""Hand cases on planar shapes, their invariances, and what is not a shape."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tolerances
from shapedp.base.errors import Rejected
from shapedp.privacy.manifolds.projective import Kendall, shape_of, to_shapes

TRIANGLE = np.exp(2j * np.pi * np.arange(3) / 3) / np.sqrt(3)


def test_a_triangle_and_its_mirror_image_are_as_far_apart_as_shapes_can_be():
    assert_allclose(Kendall(3).dist(TRIANGLE, TRIANGLE.conj()), np.pi / 2, rtol=0, atol=tolerances.DISTANCE)


def test_flat_isosceles_triangles_lie_on_one_geodesic():
    """cos t (1, -1, 0)/√2 + i sin t (-1, -1, 2)/√6: height grows with t; t = π/4 is equilateral, landmark 2 on top."""
    base, rise = np.array([1, -1, 0]) / np.sqrt(2), 1j * np.array([-1, -1, 2]) / np.sqrt(6)
    shape = Kendall(3).exp(base + 0j, np.pi / 4 * rise)
    assert shape[2].imag > 0
    assert_allclose(np.abs(shape - np.roll(shape, 1)), 1.0, rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(Kendall(3).log(base + 0j, shape), np.pi / 4 * rise, rtol=0, atol=tolerances.ROUND_TRIP)


def test_position_size_and_rotation_do_not_matter():
    rng = np.random.default_rng(2)
    marks = rng.standard_normal((7, 2))
    angle = 2.0
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = 3 * marks @ rotation.T + [5, -2]
    assert Kendall(7).dist(shape_of(marks), shape_of(moved)) < tolerances.ROUND_TRIP


def test_log_turns_with_its_foot_point_and_ignores_the_turn_of_the_other():
    rng = np.random.default_rng(4)
    x, y = Kendall(6).random_point(rng, 2)
    phase = np.exp(1.3j)
    v = Kendall(6).log(x, y)
    assert_allclose(Kendall(6).log(x * phase, y), v * phase, rtol=0, atol=tolerances.ROUND_TRIP)
    assert_allclose(Kendall(6).log(x, y * phase), v, rtol=0, atol=tolerances.ROUND_TRIP)


def test_transport_turns_with_the_end_point():
    """A tangent vector belongs to its representative: turning y turns what arrives there, and log_y x with it."""
    rng = np.random.default_rng(9)
    x, y = Kendall(6).random_point(rng, 2)
    v = Kendall(6).log(x, y)
    arrived = Kendall(6).transport(x, y, v)
    assert_allclose(arrived, -Kendall(6).log(y, x), rtol=0, atol=tolerances.ROUND_TRIP)
    turned = Kendall(6).transport(x, y * np.exp(0.7j), v)
    assert_allclose(turned, arrived * np.exp(0.7j), rtol=0, atol=tolerances.ROUND_TRIP)


def test_curvature_is_four_in_a_complex_plane():
    """The shapes cos t x + e^(iφ) sin t u form a sphere of radius 1/2: dist(exp tu, exp tiu) on it in closed form."""
    x = shape_of(np.random.default_rng(1).standard_normal((6, 2)))
    u = Kendall(6).tangent_basis(x)[0]
    t = 0.4
    chord = np.cos(2 * t) ** 2  # spherical law of cosines, right angle at x
    d = Kendall(6).dist(Kendall(6).exp(x, t * u), Kendall(6).exp(x, t * 1j * u))
    assert_allclose(d, np.arccos(chord) / 2, rtol=0, atol=tolerances.ROUND_TRIP)


def test_single_precision_and_whole_numbers_are_taken_as_they_are():
    marks = np.random.default_rng(3).integers(0, 100, (5, 2))
    expected = shape_of(marks.astype(float))
    for kind in (np.float32, np.int16):
        assert_allclose(shape_of(marks.astype(kind)), expected, rtol=0, atol=tolerances.DISTANCE)


def test_records_keep_their_order():
    marks = np.random.default_rng(8).standard_normal((4, 5, 2))
    assert_allclose(to_shapes(list(marks))[2], shape_of(marks[2]), rtol=0, atol=0)


@pytest.mark.parametrize(
    ("marks", "code"),
    [
        (np.zeros((2, 2)), "too_few_landmarks"),
        (np.full((5, 2), 0.1), "coincident_landmarks"),
        (np.array([[0, 0], [1, 0], [np.nan, 1]]), "not_finite"),
        (np.zeros((5, 3)), "not_planar"),
    ],
)
def test_what_is_no_planar_shape_is_rejected(marks, code):
    with pytest.raises(Rejected) as caught:
        shape_of(marks)
    assert caught.value.code == code


def test_mixed_numbers_of_landmarks_are_rejected():
    rng = np.random.default_rng(0)
    with pytest.raises(Rejected, match="4, 5"):
        to_shapes([rng.standard_normal((5, 2)), rng.standard_normal((4, 2))])


def test_fewer_than_three_landmarks_have_no_space():
    with pytest.raises(Rejected, match="at least 3"):
        Kendall(2)
