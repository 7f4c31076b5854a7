"""The papers' figures on manifolds, drawn again, and others past them.

The Laplace paper's Figures 1 and 2 (2021) and the KNG paper's Figure 1 (2022) have what is proved beside what was
published; the others show the error over dimension, budget and sample size, and how far chains are from their law.
"""

from functools import partial

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.ticker import NullLocator

from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.releases.figures import style
from shapedp.reproduction import cells, spaces
from shapedp.reproduction.cells import fit_rate

NAMES = cells.NAMES | cells.FAMILIES
SHADES = {"kng": "blue", "laplace": "vermilion", "euclidean": "green", "projected": "purple", "gaussian": "orange"}
COLOURS = {name: style.COLOURS[shade] for name, shade in SHADES.items()}
SHOWN = 100  # dots a sample size
LAPLACE_FIGURE_1 = (
    "Bands and bars: mean ± 2 SE; epsilon = 1. Left: P(2), r = 1.5; right: S², r = π/8. Published panels: (a, c) "
    "distances between means of neighbouring data sets (dots), their average and the bound; (b, d) flat distance "
    "between the mean and its release, manifold Laplace below Euclidean Laplace. (e, f): the text's numbers. The "
    "published Euclidean noise has the scale of the arithmetic mean but lies on the Fréchet mean: not private."
)
LAPLACE_FIGURE_2 = (
    "How far log_x y and log_x z can lie apart for x, y, z in a ball of radius r of S². Published panel: the lines 2r "
    "and 2r (2 - h), and between them the largest value found on a grid. New: the proved bound 2r s / sin s, s = 2r, "
    "and a search of the whole ball. Dotted: the r used."
)
KNG_FIGURE_1 = (
    "n times the flat distance between the mean and its release; mean ± 2 SE; epsilon = 1. Published panels (left: S², "
    "right: P(2)) show the distance itself, which falls as 1/n: KNG lowest, Euclidean Laplace highest, manifold and "
    "projected Euclidean Laplace between. As published: solid, KNG at the printed scale (S²: Δ/epsilon, h(r); P(2): "
    "2Δ/epsilon), the Laplace, whose scale is not printed, at Δ/epsilon; dashed and dotted, the other scales that the "
    "texts leave open; Euclidean noise on the Fréchet mean has the scale of the arithmetic mean. As proved, all are "
    "epsilon-DP."
)
PUBLISHED = {
    "kng_published": "KNG",
    "kng_published_once": "KNG, Δ/ε",
    "kng_published_2r": "KNG, Δ/ε, h(2r)",
    "kng_published_twice_2r": "KNG, 2Δ/ε, h(2r)",
    "laplace_published": "manifold Laplace",
    "laplace_published_twice": "the same, 2Δ/ε",
    "laplace_empirical": "the same, empirical bound (2021)",
    "euclidean_published": "Euclidean Laplace",
    "projected_published": "the same, projected",
}
PROVED = {
    "kng": "KNG",
    "laplace": "manifold Laplace",
    "euclidean": "Euclidean Laplace",
    "projected": "the same, projected",
    "projected_arithmetic": "of the arithmetic mean, projected",
}
# Line styles of methods that share a colour with the one at the printed scale.
VARIANTS = {
    "kng_published_once": "--",
    "kng_published_2r": "--",
    "kng_published_twice_2r": ":",
    "laplace_published_twice": "--",
    "laplace_empirical": ":",
    "projected_arithmetic": "--",
}
MARKOV = {"mcmc": ("KNG by Markov chain", "D"), "mcmc_redraw": ("the same, redraw as printed", "x")}
THOUSANDS = (100, 1000, 10_000, 100_000, 1_000_000)
SAMPLE_LABEL, SAMPLE_TICKS = "sample size n (people)", (5, 10, 20, 50, 100, 200)
# Experiment, what varies in it, label and ticks of that axis.
RATE_AXES = (
    ("budget", "epsilon", "privacy budget epsilon", (0.1, 0.2, 0.5, 1, 2, 5, 10)),
    ("sample_size", "n", SAMPLE_LABEL, THOUSANDS),
)
RATE_LABELS = {"kng": "KNG", "laplace": "Laplace", "gaussian": "tangent Gaussian"}
DIMENSION = (
    "Mean squared distance of the release to the Fréchet mean, ± 2 SE, against the real dimension D, with the fitted "
    "exponent ± its SE; n = 1,000, epsilon = 1. The papers prove O(D²/(n² epsilon²)) for KNG and Laplace (no "
    "published panel). The tangent Gaussian is (1, 1e-6)-DP, not pure; its error grows as D."
)
RATES = (
    "Mean squared distance ± 2 SE against the budget (top, n = 1,000) and the sample size (bottom, epsilon = 1), "
    "with fitted exponents; the papers prove -2 for both (no published panel). Tangent Gaussian: (epsilon, 1e-6)-DP; "
    "its error includes the distance of its center, exp of the mean logarithm, from the Fréchet mean."
)
CHAINS = (
    "Mean distance to the Fréchet mean over the last tenth of Markov chains that start at it, against exact draws of "
    "the law that they aim at (KNG on S², n = 10, scale as published); ± 2 SE over chains. No published panel: the "
    "papers use 20,000 steps before the first draw, with `redraw` after a rejection."
)


def draw_band(axes, x, mean, error, label, color, **look):
    """Draw a line of a paper's figure, and around it the band of ± 2 standard errors."""
    axes.plot(x, mean, label=label, color=color, marker=".", **look)
    axes.fill_between(x, mean - 2 * error, mean + 2 * error, color=color, alpha=0.25, linewidth=0)


def draw_bars(axes, x, mean, error, label, color, **look):
    """Draw points of a paper's figure with bars of ± 2 standard errors."""
    look = {"linestyle": "none", "capsize": 2, "markersize": 5, "linewidth": 1, **look}
    axes.errorbar(x, mean, 2 * error, label=label, color=color, **look)


def title_panel(axes, letter, words):
    """Write a panel's letter and title at its upper left."""
    axes.set_title(f"({letter}) {words}", loc="left", fontsize=9)


def set_log_axis(axes, words, ticks):
    """Make a panel's x axis logarithmic, with plain numbers at those of the ticks that lie within it."""
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    shown = [tick for tick in ticks if low <= tick <= high]
    axes.set_xticks(shown, [f"{tick:,}" for tick in shown])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(words)


def laplace_figure_1(results):
    """Draw the 2021 paper's Figure 1 again: sensitivity and utility on P(2) and S², and what its text states."""
    with style.open_figure("page", 7.6, LAPLACE_FIGURE_1) as figure:
        rows = figure.subplots(3, 2)
        for column, space in enumerate(("P2", "S2")):
            _draw_sensitivity(rows[0, column], results, space, "ac"[column])
            _draw_utility(rows[1, column], results, space, "bd"[column])
        _draw_outside(rows[2, 0], results)
        _draw_saving(rows[2, 1], results)
        for axes in rows.ravel():
            set_log_axis(axes, SAMPLE_LABEL, SAMPLE_TICKS)
            axes.legend(fontsize=6.5, handlelength=2.6)
    return figure


def _draw_sensitivity(axes, results, space, letter):
    """Draw how far neighbouring means lie apart over n, beside the bounds: a panel of the Laplace paper's Figure 1."""
    domain = spaces.published_space(space)
    n, mean, _ = results.series("neighbours", "distance", "n", space=space)
    for size in n:
        dots = results.values("neighbours", "distance", space=space, n=int(size))[:SHOWN]
        axes.plot(np.full(len(dots), size), dots, ".", color=style.COLOURS["sky"], markersize=2, alpha=0.5)
    axes.plot(n, mean, color=style.COLOURS["blue"], label="average of random neighbours")
    bounds = ("papers", "-", "bound, as published"), ("rauch", "--", "bound, proved (Rauch)")
    for kind, line, label in bounds if space == "S2" else bounds[:1]:
        bound = [sensitivity.mean_sensitivity(domain.manifold, domain.r, int(size), kind) for size in n]
        axes.plot(n, bound, line, color=style.COLOURS["vermilion"], label=label)
    worst = results.only("worst_pair", space=space)["geodesic"][0]
    axes.plot(n, worst / n, ":", color=style.COLOURS["black"], label="worst neighbours found")
    axes.set_yscale("log")
    # room for the legend
    axes.set_ylim(top=30 * worst / n[0])
    axes.set_ylabel("distance of means (radian)" if space == "S2" else "distance of means (1)")
    title_panel(axes, letter, f"{NAMES[space]}: sensitivity")


def _draw_utility(axes, results, space, letter):
    """Draw errors of the manifold Laplace beside flat noise over n, for the Laplace paper's Figure 1 made again."""
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
        draw_band(axes, *results.series("accuracy", method, "n", space=space), label, colour, linestyle=line)
    axes.set_yscale("log")
    # room for the legend
    axes.set_ylim(top=20 * axes.get_ylim()[1])
    axes.set_ylabel("flat distance to the mean (1)")
    title_panel(axes, letter, f"{NAMES[space]}: utility")


def _draw_outside(axes, results):
    """Draw how often flat noise leaves P(2), beside the Laplace paper's words on it, in its Figure 1."""
    lines = ("outside_published", "as published", "-"), ("outside", "private for this mean", "--")
    for method, label, line in lines:
        n, share, error = results.series("accuracy", method, "n", space="P2")
        draw_band(axes, n, 100 * share, 100 * error, label, COLOURS["euclidean"], linestyle=line)
    axes.axhline(25, color=style.FAINT, linestyle=":", label="text: about 25 % at n = 20 to 40")
    axes.set_ylabel("results outside P(2) (%)")
    title_panel(axes, "e", "P(2): Euclidean results that are no covariance")


def _draw_saving(axes, results):
    """Draw how much noise the manifold Laplace saves on S², beside the Laplace paper's words, in its Figure 1."""
    pairs = (
        ("laplace_empirical", "euclidean_published", "as published (empirical bound)", "o", COLOURS["laplace"]),
        ("laplace", "euclidean_published", "proved bound, published baseline", "s", style.COLOURS["blue"]),
        ("laplace", "euclidean", "proved bound, private baseline", "^", COLOURS["euclidean"]),
    )
    for ours, theirs, label, marker, colour in pairs:
        sizes = cells.list_sizes(results, "S2")
        saved = [results.saved("accuracy", ours, theirs, space="S2", n=n) for n in sizes]
        draw_bars(axes, sizes, *(100 * np.array(saved).T), label, colour, marker=marker)
    axes.axhspan(12, 17, color=style.FAINT, alpha=0.3, linewidth=0, label="text: 12 to 17 %")
    axes.set(ylabel="noise saved (%)", ylim=(-10, 80))
    title_panel(axes, "f", "S²: noise saved by the manifold Laplace")


def laplace_figure_2(results):
    """Draw the 2021 paper's Figure 2 again: how far log stretches differences in a ball, against its radius."""
    with style.open_figure("page", 3.6, LAPLACE_FIGURE_2) as figure:
        axes = figure.subplots()
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
        axes.set(xlabel="radius r of the ball (radian)", ylabel="sup |log_x y - log_x z| (radian)")
        axes.legend()
    return figure


def kng_figure_1(results):
    """Draw the 2022 paper's Figure 1 again: errors over n on S² and P(2), at printed scales and at proved ones.

    Printed ones stand left, proved ones right.
    """
    with style.open_figure("page", 6.4, KNG_FIGURE_1) as figure:
        rows = figure.subplots(2, 2, sharex="row", sharey="row")
        for line, space in zip(rows, ("S2", "P2"), strict=True):
            _draw_errors(line[0], results, space, PUBLISHED)
            for method, (label, marker) in MARKOV.items() if results.settings("chains", space=space) else ():
                n, mean, error = results.series("chains", method, "n", space=space)
                draw_bars(line[0], n, n * mean, n * error, label, style.COLOURS["black"], marker=marker)
            _draw_errors(line[1], results, space, PROVED)
            title_panel(line[0], "ac"[space == "P2"], f"{NAMES[space]}, as published")
            title_panel(line[1], "bd"[space == "P2"], f"{NAMES[space]}, as proved")
            line[0].set_ylabel("n · flat distance to the mean (1)")
        for axes in rows.ravel():
            set_log_axis(axes, SAMPLE_LABEL, SAMPLE_TICKS)
            axes.legend(fontsize=6.5, loc="upper left", handlelength=3.5)
    return figure


def _draw_errors(axes, results, space, methods):
    """Draw errors of the methods on a space over n, for the KNG paper's Figure 1 made again."""
    known = results.only("accuracy", space=space)
    for method in filter(known.__contains__, methods):
        n, mean, error = results.series("accuracy", method, "n", space=space)
        look = {"color": COLOURS[method.split("_")[0]], "linestyle": VARIANTS.get(method, "-")}
        draw_band(axes, n, n * mean, n * error, methods[method], **look)
    axes.set_ylim(0, {"S2": 13, "P2": 75}[space])


def growth_dimension(results):
    """Draw how errors grow with the dimension, one panel a family of spaces, beside fitted exponents."""
    with style.open_figure("page", 3.6, DIMENSION) as figure:
        for axes, family, letter in zip(figure.subplots(1, 3), ("S", "P", "CP"), "abc", strict=True):
            ticks = (3, 6, 10, 15) if family == "P" else (2, 4, 8, 16, 32, 64)
            series = partial(results.dimension_series, family=family)
            _draw_squares(axes, series, "dimension D", ticks, letter, family)
    return figure


def growth_rates(results):
    """Draw how fast errors fall with budget (above) and sample size (below), beside the proved exponent -2.

    S² left, P(2) right; the papers have no such figure.
    """
    with style.open_figure("page", 6.0, RATES) as figure:
        grid = figure.subplots(2, 2)
        for letters, space, column in (("ac", "S2", grid[:, 0]), ("bd", "P2", grid[:, 1])):
            for axes, letter, (experiment, along, words, ticks) in zip(column, letters, RATE_AXES, strict=True):
                series = partial(results.series, experiment, along=along, power=2, space=space)
                _draw_squares(axes, series, words, ticks, letter, space)
    return figure


def _draw_squares(axes, series, words, ticks, letter, space):
    """Draw how a release's mean squared error changes along x, to compare its fitted exponent with the papers' rates.

    It is a panel of `growth_dimension` and `growth_rates`. series(method) : (x, mean, error), x the dimension, the
    budget or the sample size; space : name of the space, or of the family of spaces
    """
    for method, label in RATE_LABELS.items():
        x, mean, error = series(method)
        slope, uncertain = fit_rate(x, mean, error)
        draw_band(axes, x, mean, error, f"{label}: {slope:.2f} ± {uncertain:.2f}", COLOURS[method])
    set_log_axis(axes, words, ticks)
    axes.set_yscale("log")
    axes.yaxis.set_minor_locator(NullLocator())
    low, high = axes.get_ylim()
    # room for the legend
    axes.set_ylim(low, high * (high / low) ** 0.6)
    axes.set_ylabel(f"mean squared distance ({'1' if space in ('P', 'P2') else 'radian²'})")
    axes.legend(fontsize=6.5, title="fitted exponent ± SE", title_fontsize=6.5, loc="upper left", handlelength=1.2)
    title_panel(axes, letter, NAMES[space])


def chains(results):
    """Draw how far the papers' chains are biased, as printed and corrected, against their number of steps."""
    with style.open_figure("page", 3.4, CHAINS) as figure:
        axes = figure.subplots()
        rules = {"repeat": ("repeat the state (correct)", "blue"), "redraw": ("redraw (as printed)", "vermilion")}
        for rule, (label, colour) in rules.items():
            steps = sorted(setting["steps"] for setting in results.settings("chain_length", rule=rule))
            saved = [results.saved("chain_length", "chain", "exact", rule=rule, steps=count) for count in steps]
            bias, error = 100 * np.array(saved).T * [[-1], [1]]
            draw_bars(axes, steps, bias, error, label, style.COLOURS[colour], marker="o", linestyle="-")
        axes.axhline(0, color=style.INK, linewidth=0.8)
        set_log_axis(axes, "steps of the chain", THOUSANDS)
        axes.set_ylabel("bias of the mean distance (%)")
        axes.legend(title="after a rejection", title_fontsize=8)
    return figure


KNG_FIGURE_2 = (
    "Published panel, on 409 corpora callosa: left, ten of them coloured by their parameter; middle, the mean; right, "
    "six releases each by KNG, point-wise Laplace and point-wise Laplace without rotational alignment. Here: 409 demo "
    "outlines of 50 landmarks, size 1, epsilon = 1. Rows 1 to 4 take ball, ranges or alignment from the data, as "
    "published: not private; KNG at both scales that the paper may have used. Row 5 is private: public ball, r = 0.2 "
    "rad, 16 Fourier modes of the contour. Grey: the mean."
)
KNG_FIGURE_3 = (
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


def kng_figure_2(results):
    """Draw the 2022 paper's Figure 2 again: outlines, their mean, and six releases of each mechanism."""
    with style.open_figure("page", 5.0, KNG_FIGURE_2) as figure:
        left, right = figure.subfigures(1, 2, width_ratios=(1, 2.8))
        samples, mean = left.subplots(2, 1)
        count = sum(method.startswith("sample_") for method in results.methods("outlines"))
        for i in range(count):
            outline = _read_outline(results, f"sample_{i}")
            pieces = np.stack([outline[:-1], outline[1:]], axis=1)
            look = {"array": np.arange(len(pieces)) / len(pieces), "cmap": style.SEQUENTIAL, "linewidth": 1}
            coloured = samples.add_collection(LineCollection(pieces, **look))
        _clear_axes(samples, 0.27)
        bar = left.colorbar(coloured, ax=samples, orientation="horizontal", shrink=0.8, ticks=[0, 0.5])
        bar.set_label("parameter (contour lengths)", fontsize=7)
        mean.plot(*_read_outline(results, "mean").T, color=style.COLOURS["black"], linewidth=1)
        _clear_axes(mean, 0.27)
        samples.set_title("ten outlines", fontsize=8)
        mean.set_title("their Fréchet mean", fontsize=8)
        _draw_rows(right, results, "", ROWS)
    return figure


def kng_figure_3(results):
    """Draw the 2022 paper's Figure 3 again: smoothed releases of the aligned mechanisms, and of the private one."""
    with style.open_figure("page", 3.3, KNG_FIGURE_3) as figure:
        _draw_rows(figure, results, "_smoothed", {key: words for key, words in ROWS.items() if key != "unaligned"})
    return figure


def _draw_rows(figure, results, suffix, rows):
    """Draw RELEASES releases of each mechanism over the mean, a row each, for the KNG paper's Figures 2 and 3."""
    mean = _read_outline(results, "mean")
    for line, (method, label) in zip(figure.subplots(len(rows), RELEASES), rows.items(), strict=True):
        for i, axes in enumerate(line):
            axes.plot(*mean.T, color=style.FAINT, linewidth=0.7)
            axes.plot(*_read_outline(results, f"{method}{suffix}_{i}").T, color=style.COLOURS["blue"], linewidth=0.8)
            _clear_axes(axes, 0.29)
        line[0].text(-0.08, 0.5, label, transform=line[0].transAxes, ha="right", va="center", fontsize=7)


def _read_outline(results, name):
    """Return closed polygon (k + 1, 2)."""
    points = results.values("outlines", name).reshape(2, -1).T
    return np.vstack([points, points[:1]])


def _clear_axes(axes, reach):
    axes.set(aspect="equal", xlim=(-reach, reach), ylim=(-0.75 * reach, 0.6 * reach), xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
