"""Landmarks are shown whole, and joined up only where they follow a contour."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from shapedp.figures import outlines

TALL = np.array([[0, -3], [1, 0], [0, 3], [-1, 0]]) / 10


@pytest.mark.parametrize("closed", [True, False])
def test_unordered_landmarks_are_not_joined(closed):
    axes = Figure().subplots()
    outlines.draw(axes, TALL, closed, linewidth=0.6, marker="o")
    (line,) = axes.lines
    assert line.get_linestyle() == ("-" if closed else "None")
    assert len(line.get_xdata()) == len(TALL) + closed


@pytest.mark.parametrize("points", [TALL, TALL[:, ::-1], np.stack([TALL, 2 * TALL])])
def test_tall_and_wide_outlines_are_shown_whole(points):
    axes = Figure().subplots()
    outlines.draw(axes, TALL)
    outlines.frame(axes, points, 1.1)
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    flat = points.reshape(-1, 2)
    assert left < flat[:, 0].min() and right > flat[:, 0].max()
    assert low < flat[:, 1].min() and high > flat[:, 1].max()
