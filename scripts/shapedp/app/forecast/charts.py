"""Charts of numbers: an audit's claims and findings, what a plan's mechanisms are worth, errors over people."""

import numpy as np
from matplotlib.lines import Line2D

from shapedp.app.forecast import predictions
from shapedp.releases.curve_mechanisms import MECHANISMS
from shapedp.releases.figures import style

AUDIT = (
    "Lower bound on the privacy loss from an attack on a worst neighbouring pair (99.9 % confidence), or the exact\n"
    "loss on that pair. A mechanism must stay left of its claim; a negative control must be caught to the right of it."
)
EXPECTED = {"ok": style.COLOURS["blue"], "caught": style.COLOURS["vermilion"]}
MEANING = {"ok": "mechanism", "caught": "negative control"}
PLAN = (
    "Root mean square distance at a point from the people's own mean, on a face of the template's size, from public "
    "numbers. Left: mu = 1; for `shaped` noise and expected bias, for others the noise alone; dots: how many people "
    "half a millimetre needs. Middle: `no data at all` is the public reference in place of a release; it, the sampling "
    "error and the bias hold if the cohort is like the public set. Right: noise on the whole face at once, mu = 1, 300 "
    "people, bounds as three numbers, one setting changed a time."
)
# Of the first panel and the last.
PLANNED_MU = 1.0
# Times that the scale of the second panel reaches below its lines, for the legend.
LEGEND_ROOM = 60.0
PLANNED = np.unique(np.rint(np.geomspace(20, 10_000, 25)).astype(int)).tolist()  # people that a line is drawn through
PEOPLE = np.geomspace(10, 10_000, 60)
MARKERS = "os^D"


def draw_audit(cases):
    """Return a Figure of an audit's cases that shows whether any attack proves more than a mechanism's claim."""
    with style.open_figure("page", 0.24 * len(cases) + 1.4, AUDIT) as figure:
        axes = figure.subplots()
        for row, case in enumerate(reversed(cases)):
            bound = max(case.lower_bound, 0.0)
            axes.plot([0, bound], [row, row], color=EXPECTED[case.expected], linewidth=4, solid_capstyle="butt")
            axes.plot([case.claim] * 2, [row - 0.35, row + 0.35], color=style.COLOURS["black"])
        names = [f"{case.name} ({case.kind.split(',')[0]})" for case in cases]
        axes.set_yticks(range(len(cases)), names[::-1])
        axes.set(ylim=(-0.7, len(cases) - 0.3), xlim=0)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("mu or epsilon")
        handles = [Line2D([], [], color=EXPECTED[key], linewidth=4, label=MEANING[key]) for key in EXPECTED]
        mark = {"marker": "|", "markersize": 9, "markeredgewidth": 1.4, "linestyle": "none"}
        handles.append(Line2D([], [], color=style.COLOURS["black"], label="claim", **mark))
        figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure


def draw_plan(inputs, settings_changed):
    """Return the Figure that answers what a plan asks: how many people, what mu buys, what settings change.

    Parameters
    ----------
    inputs : predictions.Inputs
        Public numbers.
    settings_changed : list of tuple
        (setting, value, noise in mm) of each setting that was changed.
    """
    first = inputs.names[0]
    with style.open_figure("page", 3.9, PLAN) as figure:
        left, middle, right = figure.subplots(1, 3, width_ratios=(3, 3, 2))
        for name in inputs.names:
            errors = [inputs.predict(name, n, PLANNED_MU).error for n in PLANNED]
            (line,) = left.loglog(PLANNED, errors, label=f"{MECHANISMS[name].label} ({name})")
            people = inputs.people_needed(name, PLANNED_MU, predictions.TARGET)
            if people and PLANNED[0] <= people <= PLANNED[-1]:
                left.plot(people, predictions.TARGET, "o", color=line.get_color(), markersize=4)
        left.axhline(predictions.TARGET, color=style.FAINT, linestyle=":")
        left.set_title(f"people for {predictions.TARGET:g} mm, mu = {PLANNED_MU:g}", fontsize=9)
        for mu in predictions.BUDGETS:
            forecast_by_people = [inputs.predict(first, n, mu) for n in PLANNED]
            middle.loglog(PLANNED, [forecast.error for forecast in forecast_by_people], label=f"mu = {mu:g}")
        if forecast_by_people[0].reference is not None:
            reference, chance = (
                [forecast.reference for forecast in forecast_by_people],
                [forecast.sampling for forecast in forecast_by_people],
            )
            middle.loglog(PLANNED, reference, color=style.FAINT, linestyle="-.", label="no data at all")
            middle.loglog(PLANNED, chance, color=style.FAINT, linestyle="--", label="sampling error")
        middle.set_ylim(bottom=min(line.get_ydata().min() for line in middle.lines) / LEGEND_ROOM)
        middle.legend(fontsize=7, loc="lower left", handlelength=2.5)
        middle.set_title(f"what mu buys ({first})", fontsize=9)
        for axes in (left, middle):
            axes.set(xlabel="people", ylabel="error (mm)")
        names = [f"{setting} {value}" for setting, value, _ in settings_changed]
        right.barh(
            range(len(settings_changed)),
            [noise for _, _, noise in settings_changed],
            color=style.COLOURS["blue"],
            height=0.6,
        )
        right.set_yticks(range(len(settings_changed)), names, fontsize=7)
        right.invert_yaxis()
        right.set_title("settings", fontsize=9)
        right.set_xlabel("noise (mm)")
        figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8)
    return figure


def draw_error_over_people(constants, measured, spread, caption):
    """Return a Figure that shows whether forecasts of noise meet what drawn releases err by, over the number of people.

    Errors are root mean square in mm at a point; noise foretold as lines, drawn releases as markers.

    Parameters
    ----------
    constants : mapping
        {mechanism: K, noise times n}.
    measured : mapping
        {mechanism: [(n, error), ...]} of drawn releases.
    spread : float
        Distance of people from their mean, in mm; the mean of n people is spread/sqrt(n) away from the population's.
    caption : str
        What stands below.
    """
    with style.open_figure("page", 4.2, caption) as figure:
        axes = figure.subplots()
        for (name, k), marker, colour in zip(constants.items(), MARKERS, style.COLOURS.values(), strict=False):
            # The legend shows line and marker.
            axes.loglog(PEOPLE, k / PEOPLE, label=name, color=colour, marker=marker, markevery=[])
            axes.loglog(*np.transpose(measured[name]), marker, color=colour)
        chance = spread / np.sqrt(PEOPLE)
        axes.loglog(PEOPLE, chance, "--", color=style.COLOURS["black"], label="chance in who takes part")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:g}")
        axes.set(xlim=PEOPLE[[0, -1]], xlabel="people n (count)", ylabel="error at a point, rms (mm)")
        figure.legend(loc="outside right upper")
    return figure
