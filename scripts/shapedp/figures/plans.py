"""The picture of a plan: how many people a release needs, what a budget buys, and what the settings change."""

import numpy as np
from scipy.special import ndtri

from shapedp.accuracy import planner
from shapedp.figures import style

CAPTION = (
    "Noise alone, root mean square distance at a point, on a face of the template's size, from public numbers. Left: "
    "dots show how many people half a millimetre needs. Middle: above, how often the best opponent guesses right. "
    "Right: the joint mechanism, mu = 1, 300 people, bounds as three numbers, one setting changed a time. Clipping and "
    "smoothing add a pull towards the reference that depends on the data."
)
MU = 1.0  # of the first panel and the last
GUESSES = (0.55, 0.65, 0.8, 0.95)


def answers(strengths, changed):
    """A Figure of three panels; strengths : {mechanism: K in mm}; changed : (setting, value, noise in mm)."""
    with style.applied():
        made = style.figure("page", 3.9, CAPTION)
        left, middle, right = made.subplots(1, 3, width_ratios=(3, 3, 2))
        people_needed(left, strengths)
        budget_buys(middle, strengths)
        settings_change(right, changed)
        made.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=len(strengths), fontsize=8)
    return made


def people_needed(axes, strengths):
    """Noise over the number of people, with a dot where it falls to the target."""
    n = np.geomspace(50, 20_000, 60)
    for name, k in strengths.items():
        (line,) = axes.loglog(n, k / (n * MU), label=name)
        people = planner.people_needed(k, MU, planner.TARGET)
        axes.plot(people, planner.TARGET, "o", color=line.get_color(), markersize=4)
    least = min(strengths.values())
    people = planner.people_needed(least, MU, planner.TARGET)
    axes.annotate(f"{people}", (people, planner.TARGET), (0, -11), textcoords="offset points", ha="right", fontsize=8)
    axes.axhline(planner.TARGET, color=style.FAINT, linestyle=":")
    axes.set_title(f"people for {planner.TARGET:g} mm, mu = {MU:g}", fontsize=9)
    axes.set_xlabel("people")
    axes.set_ylabel(style.label("noise", "mm"))


def budget_buys(axes, strengths):
    """Noise over mu with as many people as are asked about; above, right guesses Phi(mu/2)."""
    mu = np.geomspace(0.1, 4, 60)
    for k in strengths.values():
        axes.loglog(mu, k / (planner.ASKED * mu))
    axes.axhline(planner.TARGET, color=style.FAINT, linestyle=":")
    for share in GUESSES:
        at = 2 * float(ndtri(share))
        axes.axvline(at, color=style.FAINT, linewidth=0.6)
        axes.annotate(f"{share:.0%}", (at, 0.99), xycoords=("data", "axes fraction"), fontsize=7, ha="right", va="top")
    axes.set_title(f"what mu buys with {planner.ASKED} people", fontsize=9)
    axes.set_xlabel("mu")


def settings_change(axes, changed):
    """One bar a value of a setting."""
    names = [f"{setting} {value}" for setting, value, _ in changed]
    axes.barh(range(len(changed)), [noise for _, _, noise in changed], color=style.COLOURS["blue"], height=0.6)
    axes.set_yticks(range(len(changed)), names, fontsize=7)
    axes.invert_yaxis()
    axes.set_title("what settings change", fontsize=9)
    axes.set_xlabel(style.label("noise", "mm"))
