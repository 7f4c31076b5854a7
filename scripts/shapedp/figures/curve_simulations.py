"""Figures of the simulated mean faces: error over people and budget, Table 1, and what smoothing costs and saves."""

from shapedp.figures import style
from shapedp.figures.simulation_lines import bars, name
from shapedp.mechanisms.curve_mechanisms import MECHANISMS
from shapedp.simulation.curve_table import CURVES
from shapedp.simulation.results import summary

UNIT = 1e4  # errors are shown as in the paper's Table 1, at 1e-4 of a face of unit area
LOOKS = {
    "rkhs_paper": (style.COLOURS["vermilion"], "o"),
    "rkhs": (style.COLOURS["orange"], "s"),
    "matched": (style.COLOURS["sky"], "^"),
    "matched_joint": (style.COLOURS["blue"], "D"),
    "pointwise": (style.COLOURS["green"], "v"),
    "pointwise_literal": (style.COLOURS["purple"], "x"),
}
VERSIONS = {
    "published": "settings as published (not private)",
    "corrected": "public bounds around a public template",
}
PEOPLE = (
    "Squared distance of private mean faces from the population's mean against the number of people, mu = "
    "2.97; markers: drawn releases, ± 2 SE; lines: expected, in closed form; dashed: a mean without noise or "
    "filter. Demo faces, J = 23 curves of 80 samples, rho = 1. The paper has n = 1,000 only (Table 1; vertical "
    "line). Left: tau and ranges from the data, mu = .2, .2, .55 a curve. Right: bounds from 40 other demo "
    "faces, best split of mu. Where lines level off, the bias of filter and clip is left. Noise point by point is "
    "that of the curves' points."
)
BUDGET = (
    "Squared distance of private mean faces from the population's mean against the total budget mu, n = 1,000 "
    "people, demo faces; markers: drawn releases, ± 2 SE; lines: expected. Vertical lines: the paper's mu = 2, 2.97 "
    "and 3 (its Figures 5, 6 and 8 show faces at these). Left: tau and ranges from the data, the paper's split "
    "of mu. Right: bounds from 40 other demo faces, best split. Noise point by point is that of the curves' points."
)
TABLE = (
    "Mean squared errors as in Table 1 for n = 1,000 of a population of demo faces. (a) point-wise mean of 7,057 "
    "vertices with noise; (b) private curves to its nearest vertex; (c) private curves to the RKHS mean. Means of "
    "drawn releases; SE smaller than the markers. Solid line: the paper's 5.30 for (b); its (a) are larger. Dotted: "
    "(b) of the plain mean curves, which measures the distance between vertices alone. Filled: mu = 3 for (a), "
    "2.97 for (b) and (c); open: mu = 2."
)
SMOOTHING = (
    "(a, b) Expected squared error per point for n = 1,000, mu = 2.97, against the factor on the paper's phi = "
    ".01, .01, .005 (vertical line): noise, and the bias. The published noise grows as 1/phi when phi falls; that "
    "which is added curve by curve and then filtered does not. (c) Distance of faces to surfaces made of J radial "
    "curves; the paper shows 16, 27 and 80 (Figure 3) and uses 23 (vertical line)."
)
ROWS = ("pointwise a", "pointwise_literal a", *(f"{one} {column}" for column in "bc" for one in CURVES))
PUBLISHED_B = 5.2989


def error_against_people(results):
    """Two panels: settings as published, and corrected."""
    return _errors(results, "curve_size", "n", style.label("people n", "count"), PEOPLE, [1000])


def error_against_budget(results):
    """Two panels: settings as published, and corrected."""
    made = _errors(results, "curve_budget", "mu", "total budget mu (GDP)", BUDGET, [2, 2.9661, 3])
    for axes in made.axes:
        axes.set_xticks([0.5, 1, 2, 3, 5, 10], ["0.5", "1", "2", "3", "5", "10"])
        axes.set_xticks([], minor=True)
    return made


def table(results):
    """Table 1 as points on a line, published settings and corrected ones."""
    people = results.settings("curve_table")[0]["people"]
    with style.applied():
        made = style.figure("page", 4.0, TABLE)
        panels = made.subplots(1, 2, sharex=True, sharey=True)
        for axes, version in zip(panels, VERSIONS, strict=True):
            for row, method in enumerate(ROWS):
                colour, _ = LOOKS[method.split()[0]]
                for mu, face in ((2.0, "none"), (3.0 if method.endswith("a") else 2.9661, colour)):
                    values = results.values("curve_table", method, version=version, mu=mu, people=people)
                    axes.plot(UNIT * summary(values)[0], row, "o", color=colour, markerfacecolor=face)
            floor = results.values("curve_table", "mean b", version=version, mu=2.0, people=people)[0]
            axes.axvline(UNIT * floor, color=style.INK, linestyle=":", linewidth=1)
            axes.axvline(PUBLISHED_B, color=style.FAINT, linewidth=1)
            axes.set_xscale("log")
            axes.set_xlabel(style.label("mean squared error", "1e-4 of unit area"))
            axes.set_title(
                VERSIONS[version], loc="left", fontsize=9
            )  # no letter: (a), (b), (c) are the table's columns
        names = (row.split() for row in ROWS)
        panels[0].set_yticks(range(len(ROWS)), [f"{MECHANISMS[one].label} ({column})" for one, column in names])
        panels[0].invert_yaxis()
    return made


def smoothing(results):
    """phi against noise and bias, published and corrected; and the number of curves."""
    with style.applied():
        made = style.figure("page", 3.6, SMOOTHING)
        panels = made.subplots(1, 3)
        for axes, version, letter in zip(panels, VERSIONS, "ab", strict=False):
            _smoothing(axes, results, version)
            name(axes, letter, version)
        panels[0].set_ylabel(style.label("squared error", "1e-4 of unit area"))
        counts, distance, _ = _series(results, "curve_count", "distance", "curves")
        panels[2].loglog(counts, distance, "o-", color=style.COLOURS["black"], markersize=4)
        panels[2].axvline(23, color=style.FAINT, linewidth=1)
        panels[2].set_xlabel("radial curves J")
        panels[2].set_ylabel(style.label("distance to the face, rms", "mm"))
        panels[2].set_xticks([8, 16, 27, 80], ["8", "16", "27", "80"])
        panels[2].set_xticks([], minor=True)
        panels[2].set_yticks([0.02, 0.05, 0.1, 0.2, 0.5], ["0.02", "0.05", "0.1", "0.2", "0.5"])
        panels[2].set_yticks([], minor=True)
        name(panels[2], "c", "number of curves")
        made.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return made


def _smoothing(axes, results, version):
    for method in ("rkhs_paper", "matched"):
        colour, marker = LOOKS[method]
        factor, noise, _ = _series(results, "curve_phi", "noise", "factor", version=version, mechanism=method)
        label = f"noise: {MECHANISMS[method].label}"
        axes.loglog(factor, UNIT * noise, color=colour, marker=marker, markersize=4, label=label)
    factor, bias, _ = _series(results, "curve_phi", "bias", "factor", version=version, mechanism="matched")
    axes.loglog(factor, UNIT * bias, "--", color=style.INK, label="bias of the filter and the clip")
    axes.axvline(1, color=style.FAINT, linewidth=1)
    axes.set_xlabel("factor on phi")


def _errors(results, experiment, along, words, caption, marked):
    with style.applied():
        made = style.figure("page", 5.0, caption)
        panels = made.subplots(1, 2, sharey=True)
        for axes, version, letter in zip(panels, VERSIONS, "ab", strict=True):
            for method in LOOKS:
                _line(axes, results, experiment, along, version, method)
            x, sampling, _ = _series(
                results, experiment, "sampling", along, version=version, mechanism="pointwise_literal"
            )
            axes.plot(x, UNIT * sampling, "--", color=style.INK, label="mean of the people, no noise")
            for value in marked:
                axes.axvline(value, color=style.FAINT, linewidth=0.8, zorder=0)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel(words)
            name(axes, letter, VERSIONS[version])
        panels[0].set_ylabel(style.label("squared error per point", "1e-4 of unit area"))
        made.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return made


def _line(axes, results, experiment, along, version, method):
    """The expected error as a line, drawn releases as markers."""
    colour, marker = LOOKS[method]
    fixed = {"version": version, "mechanism": method}
    x, drawn, error = _series(results, experiment, "error", along, **fixed)
    total = sum(_series(results, experiment, part, along, **fixed)[1] for part in ("noise", "bias", "sampling"))
    axes.plot(x, UNIT * total, color=colour, linewidth=1)
    bars(axes, x, UNIT * drawn, UNIT * error, MECHANISMS[method].label, colour, marker=marker, markersize=4)


def _series(results, experiment, method, along, **fixed):
    people = results.settings(experiment)[0]["people"]
    return results.series(experiment, method, along, people=people, **fixed)
