"""Figures 1 and 2 of the Laplace paper (2021), simulated again, with what it does not have: the proved bounds."""

import numpy as np

from shapedp.figures import style
from shapedp.figures.simulation_lines import COLOURS, NAMES, band, bars, name, sample_sizes
from shapedp.manifolds.sphere import Sphere
from shapedp.mechanisms import sensitivity
from shapedp.simulation import spaces
from shapedp.simulation.results import saved

SHOWN = 100  # dots a sample size
FIGURE_1 = (
    "Bands and bars: mean ± 2 SE; epsilon = 1. Left: P(2), r = 1.5; right: S², r = π/8. Published panels: (a, c) "
    "distances between means of neighbouring data sets (dots), their average and the bound; (b, d) flat distance "
    "between the mean and its release, manifold Laplace below Euclidean Laplace. (e, f): the text's numbers. The "
    "published Euclidean noise has the scale of the arithmetic mean but lies on the Fréchet mean: not private."
)
FIGURE_2 = (
    "How far log_x y and log_x z can lie apart for x, y, z in a ball of radius r of S². Published panel: the lines 2r "
    "and 2r (2 - h), and between them the largest value found on a grid. New: the proved bound 2r s / sin s, s = 2r, "
    "and a search of the whole ball. Dotted: the r used."
)


def figure_1(results):
    """Sensitivity and utility on P(2) and S², and the shares that the text states."""
    with style.applied():
        made = style.figure("page", 7.6, FIGURE_1)
        rows = made.subplots(3, 2)
        for column, space in enumerate(("P2", "S2")):
            _sensitivity(rows[0, column], results, space, "ac"[column])
            _utility(rows[1, column], results, space, "bd"[column])
        _outside(rows[2, 0], results)
        _saved(rows[2, 1], results)
        for axes in rows.ravel():
            sample_sizes(axes)
            axes.legend(fontsize=6.5, handlelength=2.6)
    return made


def _sensitivity(axes, results, space, letter):
    where = spaces.published(space)
    n, mean, _ = results.series("neighbours", "distance", "n", space=space)
    for size in n:
        dots = results.values("neighbours", "distance", space=space, n=int(size))[:SHOWN]
        axes.plot(np.full(len(dots), size), dots, ".", color=style.COLOURS["sky"], markersize=2, alpha=0.5)
    axes.plot(n, mean, color=style.COLOURS["blue"], label="average of random neighbours")
    bounds = ("papers", "-"), ("rauch", "--")
    for kind, line in bounds if space == "S2" else bounds[:1]:
        bound = [sensitivity.mean_sensitivity(where.manifold, where.r, int(size), kind) for size in n]
        label = {"papers": "bound, as published", "rauch": "bound, proved (Rauch)"}[kind]
        axes.plot(n, bound, line, color=style.COLOURS["vermilion"], label=label)
    worst = results.values("worst_pair", "geodesic", **results.settings("worst_pair", space=space)[0])[0]
    axes.plot(n, worst / n, ":", color=style.COLOURS["black"], label="worst neighbours found")
    axes.set_yscale("log")
    axes.set_ylim(top=30 * worst / n[0])  # room for the legend
    axes.set_ylabel("distance of means (radian)" if space == "S2" else "distance of means (1)")
    name(axes, letter, f"{NAMES[space]}: sensitivity")


def _utility(axes, results, space, letter):
    published = "laplace_empirical" if space == "S2" else "laplace"
    lines = {
        published: ("manifold Laplace, as published", "-"),
        "laplace": ("manifold Laplace, proved bound", "--"),
        "euclidean_published": ("Euclidean, as published", "-"),
        "euclidean": ("Euclidean, private for this mean", "--"),
    }
    if space == "P2":
        lines["laplace"] = ("manifold Laplace (as published, proved)", "-")
    for method, (label, line) in lines.items():
        colour = COLOURS[method.split("_")[0]]
        band(axes, *results.series("accuracy", method, "n", space=space), label, colour, linestyle=line)
    axes.set_yscale("log")
    axes.set_ylim(top=20 * axes.get_ylim()[1])  # room for the legend
    axes.set_ylabel("flat distance to the mean (1)")
    name(axes, letter, f"{NAMES[space]}: utility")


def _outside(axes, results):
    for method, label in (("outside_published", "as published"), ("outside", "private for this mean")):
        n, share, error = results.series("accuracy", method, "n", space="P2")
        line = "-" if method == "outside_published" else "--"
        band(axes, n, 100 * share, 100 * error, label, COLOURS["euclidean"], linestyle=line)
    axes.axhline(25, color=style.FAINT, linestyle=":", label="text: about 25 % at n = 20 to 40")
    axes.set_ylabel("results outside P(2) (%)")
    name(axes, "e", "P(2): Euclidean results that are no covariance")


def _saved(axes, results):
    pairs = (
        ("laplace_empirical", "euclidean_published", "as published (empirical bound)", "o", COLOURS["laplace"]),
        ("laplace", "euclidean_published", "proved bound, published baseline", "s", style.COLOURS["blue"]),
        ("laplace", "euclidean", "proved bound, private baseline", "^", COLOURS["euclidean"]),
    )
    for ours, theirs, label, marker, colour in pairs:
        n, share, error = _shares(results, ours, theirs)
        bars(axes, n, 100 * share, 100 * error, label, colour, marker=marker)
    axes.axhspan(12, 17, color=style.FAINT, alpha=0.3, linewidth=0, label="text: 12 to 17 %")
    axes.set_ylabel("noise saved (%)")
    axes.set_ylim(-10, 80)
    name(axes, "f", "S²: noise saved by the manifold Laplace")


def _shares(results, ours, theirs):
    sizes = sorted(one["n"] for one in results.settings("accuracy", space="S2"))
    values = [[results.values("accuracy", one, space="S2", n=n) for one in (ours, theirs)] for n in sizes]
    return np.array(sizes), *np.array([saved(*pair) for pair in values]).T


def figure_2(results):
    """sup |log_x y - log_x z| over the ball against r."""
    with style.applied():
        made = style.figure("page", 3.6, FIGURE_2)
        axes = made.subplots()
        r, grid, _ = results.series("expansion", "boundary", "r")
        _, ball, _ = results.series("expansion", "ball", "r")
        fine = np.linspace(0.01, r.max(), 100)
        bound = {k: [2 * a * sensitivity.expansion(Sphere(2), a, k) for a in fine] for k in ("papers", "rauch")}
        axes.plot(fine, 2 * fine, color=style.COLOURS["blue"], label="2r (flat space)")
        axes.plot(fine, bound["papers"], color=style.COLOURS["orange"], label="bound, as published")
        axes.plot(fine, bound["rauch"], "--", color=style.COLOURS["green"], label="bound, proved (Rauch)")
        axes.plot(r, grid, "o", color=style.COLOURS["vermilion"], label="largest on a grid of the boundary")
        axes.plot(r, ball, "x", color=style.COLOURS["black"], label="largest found in the ball")
        axes.axvline(np.pi / 8, color=style.FAINT, linestyle=":")
        axes.set_xlabel("radius r of the ball (radian)")
        axes.set_ylabel("sup |log_x y - log_x z| (radian)")
        axes.legend()
    return made
