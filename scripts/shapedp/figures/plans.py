"""The picture of a plan: what mechanisms are worth over the number of people, and what mu and settings change."""

import numpy as np

from shapedp.figures import style
from shapedp.forecast import plans
from shapedp.mechanisms.curve_mechanisms import MECHANISMS

CAPTION = (
    "Root mean square distance at a point from the people's own mean, on a face of the template's size, from public "
    "numbers. Left: mu = 1; for `shaped` noise and expected bias, for others the noise alone; dots: how many people "
    "half a millimetre needs. Middle: `no data at all` is the public reference in place of a release; it, the sampling "
    "error and the bias hold if the cohort is like the public set. Right: noise on the whole face at once, mu = 1, 300 "
    "people, bounds as three numbers, one setting changed a time."
)
MU = 1.0  # of the first panel and the last
ROOM = 60.0  # times that the scale of the second panel reaches below its lines, for the legend
DRAWN = 25  # numbers of people that a line is drawn through


def answers(inputs, changed):
    """A Figure of three panels; inputs : predictions.Inputs; changed : (setting, value, noise in mm)."""
    with style.applied():
        made = style.figure("page", 3.9, CAPTION)
        left, middle, right = made.subplots(1, 3, width_ratios=(3, 3, 2))
        by_mechanism(left, inputs)
        by_budget(middle, inputs)
        settings_change(right, changed)
        handles, labels = left.get_legend_handles_labels()
        made.legend(handles, labels, loc="outside upper center", ncols=3, fontsize=8)
    return made


def by_mechanism(axes, inputs):
    """Error over the number of people, with a dot where it falls to the target."""
    people = _people()
    for name in inputs.names:
        (line,) = axes.loglog(people, [inputs.predict(name, n, MU).error for n in people], label=_label(name))
        needed = inputs.people_needed(name, MU, plans.TARGET)
        if needed and people[0] <= needed <= people[-1]:
            axes.plot(needed, plans.TARGET, "o", color=line.get_color(), markersize=4)
    axes.axhline(plans.TARGET, color=style.FAINT, linestyle=":")
    axes.set_title(f"people for {plans.TARGET:g} mm, mu = {MU:g}", fontsize=9)
    _axes(axes)


def by_budget(axes, inputs):
    """Error of the first mechanism at several mu, beside the chance in who takes part and no data at all."""
    people, name = _people(), inputs.names[0]
    for mu in plans.BUDGETS:
        told = [inputs.predict(name, n, mu) for n in people]
        axes.loglog(people, [one.error for one in told], label=f"mu = {mu:g}")
    if told[0].reference is not None:
        reference, chance = [one.reference for one in told], [one.sampling for one in told]
        axes.loglog(people, reference, color=style.FAINT, linestyle="-.", label="no data at all")
        axes.loglog(people, chance, color=style.FAINT, linestyle="--", label="sampling error")
    axes.set_ylim(bottom=min(line.get_ydata().min() for line in axes.lines) / ROOM)
    axes.legend(fontsize=7, loc="lower left", handlelength=2.5)
    axes.set_title(f"what mu buys ({name})", fontsize=9)
    _axes(axes)


def settings_change(axes, changed):
    """One bar a value of a setting."""
    names = [f"{setting} {value}" for setting, value, _ in changed]
    axes.barh(range(len(changed)), [noise for _, _, noise in changed], color=style.COLOURS["blue"], height=0.6)
    axes.set_yticks(range(len(changed)), names, fontsize=7)
    axes.invert_yaxis()
    axes.set_title("settings", fontsize=9)
    axes.set_xlabel(style.label("noise", "mm"))


def _people():
    return np.unique(np.rint(np.geomspace(20, 10_000, DRAWN)).astype(int)).tolist()


def _label(name):
    return f"{MECHANISMS[name].label} ({name})"


def _axes(axes):
    axes.set_xlabel("people")
    axes.set_ylabel(style.label("error", "mm"))
