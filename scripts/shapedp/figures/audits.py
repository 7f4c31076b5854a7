"""The picture of an audit: what each mechanism claims, and what an attack found."""

from matplotlib.lines import Line2D

from shapedp.figures import style

CAPTION = (
    "Lower bound on the privacy loss from an attack on a worst neighbouring pair (99.9 % confidence), or the exact\n"
    "loss on that pair. A mechanism must stay left of its claim; a negative control must be caught to the right of it."
)
COLOURS = {"ok": style.COLOURS["blue"], "caught": style.COLOURS["vermilion"]}
MEANING = {"ok": "mechanism", "caught": "negative control"}


def claims_and_findings(cases):
    """A Figure with one line a case: the claim, and the lower bound that the attack proves."""
    with style.applied():
        made = style.figure("page", 0.24 * len(cases) + 1.4, CAPTION)
        axes = made.subplots()
        for row, case in enumerate(reversed(cases)):
            bound = max(case.lower_bound, 0.0)
            axes.plot([0, bound], [row, row], color=COLOURS[case.expected], linewidth=4, solid_capstyle="butt")
            axes.plot([case.claim] * 2, [row - 0.35, row + 0.35], color=style.COLOURS["black"])
        names = [f"{case.name} ({case.kind.split(',')[0]})" for case in cases]
        axes.set_yticks(range(len(cases)), names[::-1])
        axes.set_ylim(-0.7, len(cases) - 0.3)
        axes.set_xlim(0)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("mu or epsilon")
        made.legend(handles=_legend(), loc="outside upper center", ncols=3)
    return made


def _legend():
    bars = [Line2D([], [], color=COLOURS[key], linewidth=4, label=MEANING[key]) for key in COLOURS]
    claim = Line2D(
        [], [], color=style.COLOURS["black"], marker="|", markersize=9, linestyle="none", markeredgewidth=1.4
    )
    claim.set_label("claim")
    return [*bars, claim]
