"""How the error of a private mean face falls with the number of people."""

import numpy as np

from shapedp.figures import style

PEOPLE = np.geomspace(10, 10_000, 60)
MARKERS = "os^D"


def error_against_people(foretold, measured, spread, caption):
    """A Figure, everything in mm at a point (rms): noise foretold (lines), error of drawn releases (markers), over n.

    foretold : {mechanism: K, noise times n}; measured : {mechanism: [(n, error), ...]}
    spread : distance of people from their mean; the mean of n people is spread/sqrt(n) away from the population's
    """
    with style.applied():
        made = style.figure("page", 4.2, caption)
        axes = made.subplots()
        for (name, k), marker, colour in zip(foretold.items(), MARKERS, style.COLOURS.values(), strict=False):
            line = {"color": colour, "marker": marker, "markevery": []}  # the legend shows line and marker
            axes.loglog(PEOPLE, k / PEOPLE, label=name, **line)
            axes.loglog(*np.transpose(measured[name]), marker, color=colour)
        chance = spread / np.sqrt(PEOPLE)
        axes.loglog(PEOPLE, chance, "--", color=style.COLOURS["black"], label="chance in who takes part")
        axes.set(xlim=(PEOPLE[0], PEOPLE[-1]))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:g}")
        axes.set_xlabel(style.label("people n", "count"))
        axes.set_ylabel(style.label("error at a point, rms", "mm"))
        made.legend(loc="outside right upper")
    return made
