"""The picture of a plan: what mechanisms are worth over the number of people, and what mu and settings change."""

import numpy as np

from shapedp.figures import style
from shapedp.forecast import plans

CAPTION = (
    "Root mean square distance at a point from the people's own mean, on a face of the template's size, from public "
    "numbers. Left: mu = 1; for `shaped` noise and expected bias, for others the noise alone; dots: how many people "
    "half a millimetre needs. Middle, dashed: sampling error, and the public reference, no data; these and the bias "
    "hold if the cohort is like the public set. Right: the joint mechanism, mu = 1, 300 people, bounds as three "
    "numbers, one setting changed a time."
)
MU = 1.0  # of the first panel and the last
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
        made.legend(handles, labels, loc="outside upper center", ncols=min(len(labels), 5), fontsize=8)
    return made


def by_mechanism(axes, inputs):
    """Error over the number of people, with a dot where it falls to the target."""
    people = _people()
    for name in inputs.names:
        (line,) = axes.loglog(people, [inputs.predict(name, n, MU).error for n in people], label=name)
        needed = inputs.people_needed(name, MU, plans.TARGET)
        if needed and people[0] <= needed <= people[-1]:
            axes.plot(needed, plans.TARGET, "o", color=line.get_color(), markersize=4)
    axes.axhline(plans.TARGET, color=style.FAINT, linestyle=":")
    axes.set_title(f"people for {plans.TARGET:g} mm, mu = {MU:g}", fontsize=9)
    _label(axes)


def by_budget(axes, inputs):
    """Error of the first mechanism at several mu, beside the chance in who takes part and no data at all."""
    people, name = _people(), inputs.names[0]
    for mu in plans.BUDGETS:
        told = [inputs.predict(name, n, mu) for n in people]
        axes.loglog(people, [one.error for one in told], label=f"mu = {mu:g}")
    if told[0].reference is not None:
        for values, words in (
            ([one.sampling for one in told], "sampling error"),
            ([one.reference for one in told], "public reference, no data"),
        ):
            axes.loglog(people, values, color=style.FAINT, linestyle="--")
            axes.annotate(words, (people[-1], values[-1]), (0, 12), textcoords="offset points", fontsize=7, ha="right")
    axes.legend(fontsize=7, loc="lower left", handlelength=1)
    axes.set_title(f"what mu buys, {name}", fontsize=9)
    _label(axes)


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


def _label(axes):
    axes.set_xlabel("people")
    axes.set_ylabel(style.label("error", "mm"))
