"""Landmarks are shown whole, and joined up only where they follow a contour."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from shapedp.app.forecast.comparison import CENTER, SAMPLING
from shapedp.privacy.manifolds.landmark_shapes import find_noise_ellipse
from shapedp.releases.figures import shapes
from shapedp.releases.figures.shapes import Look

TALL = np.array([[0, -3], [1, 0], [0, 3], [-1, 0]]) / 10


@pytest.mark.parametrize("closed", [True, False])
def test_unordered_landmarks_are_not_joined(closed):
    axes = Figure().subplots()
    shapes.draw(axes, TALL, Look(closed, []), linewidth=0.6, marker="o")
    (line,) = axes.lines
    assert line.get_linestyle() == ("-" if closed else "None")
    assert len(line.get_xdata()) == len(TALL) + closed


@pytest.mark.parametrize("points", [TALL, TALL[:, ::-1], np.stack([TALL, 2 * TALL])])
def test_tall_and_wide_outlines_are_shown_whole(points):
    axes = Figure().subplots()
    shapes.draw(axes, TALL, Look(True, []))
    shapes.set_frame(axes, points, 1.1)
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    flat = points.reshape(-1, 2)
    assert left < flat[:, 0].min() and right > flat[:, 0].max()
    assert low < flat[:, 1].min() and high > flat[:, 1].max()


def test_releases_stand_beside_the_center_and_the_sampling_error():
    drawn = np.random.default_rng(3).normal(size=(4, 6, 2))
    panels = {
        ("all landmarks", "shaped"): drawn,
        ("public", CENTER): drawn[:1],
        ("records drawn again", SAMPLING): drawn,
    }
    made = shapes.draw_releases(panels, drawn.mean(axis=0), "Words.", Look(True, []))
    titles = [axes.get_title() for axes in made.axes if axes.get_visible()]
    assert titles == [
        "shaped Gaussian\nall landmarks",
        "public center, no data\npublic",
        "sampling error\nrecords drawn again",
    ]


@pytest.mark.parametrize(("dimensions", "views"), [(2, 1), (3, 2)])
def test_private_pictures_join_landmarks_by_links_and_show_space_from_two_sides(dimensions, views):
    drawn = np.random.default_rng(3).normal(size=(4, 6, dimensions))
    mean, look = drawn.mean(axis=0), Look(False, [[1, 2], [2, 6]])
    compared = shapes.draw_releases({("all landmarks", "shaped"): drawn}, mean, "Words.", look)
    shown = [axes for axes in compared.axes if axes.get_visible()]
    assert len(shown) == views
    for axes, across in zip(shown, (0, 2), strict=False):
        assert len(axes.collections) == 5, "four releases and the mean"
        ends = axes.collections[-1].get_segments()
        np.testing.assert_allclose(ends[1], mean[[1, 5]][:, [across, 1]])
        assert axes.get_xlabel().startswith("xyz"[across])
    samples = shapes.draw_sample(drawn, mean, np.arange(4.0), look)
    assert [axes.get_title() for axes in samples.axes if "mean" in axes.get_title()] == (
        ["mean"] if views == 1 else ["mean, x and y", "mean, z and y"]
    )


RNG = np.random.default_rng(4)


def release(d, noise=True, center=True):
    landmarks, k = RNG.normal(size=(7, d)) / 4, 7
    covariance = np.tile(np.diag([4e-4, 1e-4, 1e-4][:d]), (k, 1, 1))
    return {
        "landmarks": landmarks,
        "center": landmarks + 0.01 if center else np.full_like(landmarks, np.nan),
        "size": np.nan,
        "noise_radius": 0.01 if noise else np.nan,
        "noise_covariance": covariance if noise else covariance * np.nan,
    }


def test_an_ellipse_lies_along_the_larger_standard_deviation():
    assert_allclose(find_noise_ellipse(np.diag([9.0, 4.0])), [3, 2, 0], atol=1e-9)
    wide, tall, angle = find_noise_ellipse(np.array([[5.0, 4.0], [4.0, 5.0]]))
    assert (wide, tall) == (pytest.approx(3), pytest.approx(1)) and angle % 180 == pytest.approx(45)


def test_the_thin_plate_spline_takes_landmarks_to_landmarks_and_keeps_affine_maps():
    start = RNG.normal(size=(9, 2))
    stop = start + 0.1 * RNG.normal(size=(9, 2))
    assert_allclose(shapes.fit_thin_plate(start, stop)(start), stop, atol=1e-9)
    turn, points = np.array([[0.8, -0.6], [0.7, 0.9]]), RNG.normal(size=(20, 2))
    assert_allclose(shapes.fit_thin_plate(start, start @ turn + 2)(points), points @ turn + 2, atol=1e-9)


def test_small_noise_is_shown_so_many_times_as_large_as_the_caption_says():
    found = release(2)
    found["noise_covariance"] = found["noise_covariance"] / 400
    made = shapes.draw_released(found, Look(False, []))
    assert made.axes[0].patches[0].width == pytest.approx(2 * 10 * 0.001)
    assert any("Ellipses: 10 standard deviations" in one.get_text().replace("\n", " ") for one in made.texts)


def test_ellipses_that_are_larger_than_the_shape_are_shown_whole_and_the_shortest_way_is_dotted():
    found = release(2)
    found["noise_covariance"] = found["noise_covariance"] * 1e3
    axes = shapes.draw_released(found, shapes.choose_look({}, found["landmarks"])).axes[0]
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    for one in axes.patches:
        box = one.get_extents().transformed(axes.transData.inverted())
        assert left < box.x0 and box.x1 < right and low < box.y0 and box.y1 < high
    assert axes.collections[0].get_linestyle()[0][1], "dotted"
    solid = shapes.draw_released(found, Look(False, [[1, 2]])).axes[0].collections[0]
    assert solid.get_linestyle()[0][1] is None


@pytest.mark.parametrize(
    ("given", "panels"), [((2, True, True), 2), ((2, True, False), 1), ((3, True, True), 2), ((2, False, True), 2)]
)
def test_panels_and_what_they_show(given, panels):
    found = release(*given)
    made = shapes.draw_released(found, Look(False, [[1, 2], [2, 5]]))
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
