"""Landmarks are shown whole, and joined up only where they follow a contour."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from shapedp.accuracy.shape_comparison import CENTER, SAMPLING
from shapedp.figures import outlines, shape_comparisons, shape_samples
from shapedp.figures.outlines import Look

TALL = np.array([[0, -3], [1, 0], [0, 3], [-1, 0]]) / 10


@pytest.mark.parametrize("closed", [True, False])
def test_unordered_landmarks_are_not_joined(closed):
    axes = Figure().subplots()
    outlines.draw(axes, TALL, Look(closed, []), linewidth=0.6, marker="o")
    (line,) = axes.lines
    assert line.get_linestyle() == ("-" if closed else "None")
    assert len(line.get_xdata()) == len(TALL) + closed


@pytest.mark.parametrize("points", [TALL, TALL[:, ::-1], np.stack([TALL, 2 * TALL])])
def test_tall_and_wide_outlines_are_shown_whole(points):
    axes = Figure().subplots()
    outlines.draw(axes, TALL, Look(True, []))
    outlines.frame(axes, points, 1.1)
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
    made = shape_comparisons.releases(panels, drawn.mean(axis=0), "Words.", Look(True, []))
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
    compared = shape_comparisons.releases({("all landmarks", "shaped"): drawn}, mean, "Words.", look)
    shown = [axes for axes in compared.axes if axes.get_visible()]
    assert len(shown) == views
    for axes, across in zip(shown, (0, 2), strict=False):
        assert len(axes.collections) == 5, "four releases and the mean"
        ends = axes.collections[-1].get_segments()
        np.testing.assert_allclose(ends[1], mean[[1, 5]][:, [across, 1]])
        assert axes.get_xlabel().startswith("xyz"[across])
    samples = shape_samples.sample(drawn, mean, np.arange(4.0), look)
    assert [axes.get_title() for axes in samples.axes if "mean" in axes.get_title()] == (
        ["mean"] if views == 1 else ["mean, in front", "mean, from the side"]
    )
