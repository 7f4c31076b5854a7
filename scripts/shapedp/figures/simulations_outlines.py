"""Figures 2 and 3 of the KNG paper (2022), on the demo outlines."""

import numpy as np
from matplotlib.collections import LineCollection

from shapedp.figures import style

FIGURE_2 = (
    "Published panel, on 409 corpora callosa: left, ten of them coloured by their parameter; middle, the mean; right, "
    "six releases each by KNG, point-wise Laplace and point-wise Laplace without rotational alignment. Here: 409 demo "
    "outlines of 50 landmarks, size 1, epsilon = 1. Rows 1 to 4 take ball, ranges or alignment from the data, as "
    "published: not private; KNG at both scales that the paper may have used. Row 5 is private: public ball, r = 0.2 "
    "rad, 16 Fourier modes of the contour. Grey: the mean."
)
FIGURE_3 = (
    "The same releases after first-order local linear regression along the contour (bandwidth 0.02 contour lengths). "
    "Published panel: six smoothed KNG releases on the left, six smoothed point-wise ones on the right; the unaligned "
    "ones were not smoothed. Grey: the mean."
)
ROWS = {
    "kng_once": "KNG, Δ/ε\n(as published)",
    "kng_twice": "KNG, 2Δ/ε\n(as published)",
    "pointwise": "point-wise\n(as published)",
    "unaligned": "point-wise, not\naligned (published)",
    "kng_proved": "KNG\n(private)",
}
RELEASES = 6


def figure_2(results):
    """Samples, mean, and six releases of each mechanism."""
    with style.applied():
        made = style.figure("page", 5.0, FIGURE_2)
        left, right = made.subfigures(1, 2, width_ratios=(1, 2.8))
        samples, mean = left.subplots(2, 1)
        count = sum(one.startswith("sample_") for one in results.methods("outlines"))
        for i in range(count):
            coloured = _coloured(samples, _outline(results, f"sample_{i}"))
        _plain(samples, 0.27)
        bar = left.colorbar(coloured, ax=samples, orientation="horizontal", shrink=0.8, ticks=[0, 0.5])
        bar.set_label("parameter (contour lengths)", fontsize=7)
        mean.plot(*_outline(results, "mean").T, color=style.COLOURS["black"], linewidth=1)
        _plain(mean, 0.27)
        samples.set_title("ten outlines", fontsize=8)
        mean.set_title("their Fréchet mean", fontsize=8)
        _rows(right, results, "", ROWS)
    return made


def figure_3(results):
    """The smoothed releases of the two aligned mechanisms, and of the private one."""
    with style.applied():
        made = style.figure("page", 3.3, FIGURE_3)
        _rows(made, results, "_smoothed", {key: words for key, words in ROWS.items() if key != "unaligned"})
    return made


def _rows(figure, results, suffix, rows):
    mean = _outline(results, "mean")
    for line, (method, label) in zip(figure.subplots(len(rows), RELEASES), rows.items(), strict=True):
        for i, axes in enumerate(line):
            axes.plot(*mean.T, color=style.FAINT, linewidth=0.7)
            axes.plot(*_outline(results, f"{method}{suffix}_{i}").T, color=style.COLOURS["blue"], linewidth=0.8)
            _plain(axes, 0.29)
        line[0].text(-0.08, 0.5, label, transform=line[0].transAxes, ha="right", va="center", fontsize=7)


def _outline(results, name):
    """Closed polygon (k + 1, 2)."""
    points = results.values("outlines", name).reshape(2, -1).T
    return np.vstack([points, points[:1]])


def _coloured(axes, outline):
    pieces = np.stack([outline[:-1], outline[1:]], axis=1)
    drawn = LineCollection(pieces, array=np.arange(len(pieces)) / len(pieces), cmap=style.SEQUENTIAL, linewidth=1)
    return axes.add_collection(drawn)


def _plain(axes, reach):
    axes.set_aspect("equal")
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-0.75 * reach, 0.6 * reach)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
