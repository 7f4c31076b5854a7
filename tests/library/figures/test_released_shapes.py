"""The picture of a released shape: ellipses, the thin-plate grid, links, and landmarks in space."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.figures import released_shapes
from shapedp.figures.outlines import Look
from shapedp.landmarks.ellipses import ellipse

RNG = np.random.default_rng(4)


def release(d, noise=True, center=True):
    landmarks, k = RNG.normal(size=(7, d)) / 4, 7
    covariance = np.tile(np.diag([4e-4, 1e-4, 1e-4][:d]), (k, 1, 1))
    return {
        "landmarks": landmarks,
        "center": landmarks + 0.01 if center else np.full_like(landmarks, np.nan),
        "noise_radius": 0.01 if noise else np.nan,
        "noise_covariance": covariance if noise else covariance * np.nan,
    }


def test_an_ellipse_lies_along_the_larger_standard_deviation():
    assert_allclose(ellipse(np.diag([9.0, 4.0])), [3, 2, 0], atol=1e-9)
    wide, tall, angle = ellipse(np.array([[5.0, 4.0], [4.0, 5.0]]))
    assert (wide, tall) == (pytest.approx(3), pytest.approx(1)) and angle % 180 == pytest.approx(45)


def test_the_thin_plate_spline_takes_landmarks_to_landmarks_and_keeps_affine_maps():
    start = RNG.normal(size=(9, 2))
    stop = start + 0.1 * RNG.normal(size=(9, 2))
    assert_allclose(released_shapes.thin_plate(start, stop)(start), stop, atol=1e-9)
    turn, points = np.array([[0.8, -0.6], [0.7, 0.9]]), RNG.normal(size=(20, 2))
    assert_allclose(released_shapes.thin_plate(start, start @ turn + 2)(points), points @ turn + 2, atol=1e-9)


def test_small_noise_is_shown_so_many_times_as_large_as_the_caption_says():
    found = release(2)
    found["noise_covariance"] = found["noise_covariance"] / 400
    made = released_shapes.released(found, Look(False, []))
    assert made.axes[0].patches[0].width == pytest.approx(2 * 10 * 0.001)
    assert any("Ellipses: 10 standard deviations" in one.get_text().replace("\n", " ") for one in made.texts)


@pytest.mark.parametrize(
    ("given", "panels"), [((2, True, True), 2), ((2, True, False), 1), ((3, True, True), 2), ((2, False, True), 2)]
)
def test_panels_and_what_they_show(given, panels):
    found = release(*given)
    made = released_shapes.released(found, Look(False, [[1, 2], [2, 5]]))
    axes = made.axes
    assert len(axes) == panels
    assert len(axes[0].patches) == (7 if given[1] else 0)
    if given[1]:
        assert axes[0].patches[0].width == pytest.approx(2 * 0.02)  # one standard deviation: ten would be too wide
    (links,) = axes[0].collections
    assert_allclose(links.get_segments()[1], found["landmarks"][[1, 4]][:, :2])
    assert axes[0].lines[0].get_linestyle() == "None"  # landmarks are no path
    (left, right), (low, high) = axes[0].get_xlim(), axes[0].get_ylim()
    shown = found["landmarks"]
    assert left < shown[:, 0].min() and shown[:, 0].max() < right
    assert low < shown[:, 1].min() and shown[:, 1].max() < high
