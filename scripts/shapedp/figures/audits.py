"""The picture of an audit: what each mechanism claims, and what an attack found."""

from shapedp.figures import style


def claims_and_findings(cases):
    """A Figure with one line a case: the claim, and the lower bound that the attack proves."""
    caption = (
        "Lower bound on the privacy loss from an attack on the worst neighbouring pair (99.9 % confidence; on S2 the\n"
        "exact loss). A mechanism must stay left of its claim; a negative control must be caught to the right of it."
    )
    with style.applied():
        made = style.figure("page", 0.32 * len(cases) + 1.2, caption)
        axes = made.subplots()
        for row, case in enumerate(reversed(cases)):
            colour = style.COLOURS["vermilion" if case.control else "blue"]
            axes.plot([0, case.found], [row, row], color=colour, linewidth=4, solid_capstyle="butt")
            axes.plot([case.claim] * 2, [row - 0.35, row + 0.35], color=style.COLOURS["black"])
        axes.set_yticks(range(len(cases)), [f"{case.name} ({case.unit})" for case in reversed(cases)])
        axes.set_xlabel("mu or epsilon; black: the claim")
    return made
