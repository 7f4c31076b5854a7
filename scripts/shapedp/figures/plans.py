"""The picture of a plan: how large the noise of a release will be."""

import numpy as np

from shapedp.figures import style


def noise_over_people(strengths, mu=(1.0, 2.9661)):
    """A Figure: noise in mm against n for each mechanism, one panel for each mu; strengths : {mechanism: K in mm}."""
    n = np.geomspace(50, 20_000, 60)
    caption = (
        "Noise alone, root mean square distance at a point, on a face of the template's size; bounds from the public\n"
        "reference set. Clipping and smoothing add a pull towards the reference that depends on the data."
    )
    with style.applied():
        made = style.figure("page", 3.4, caption)
        for axes, budget in zip(made.subplots(1, len(mu), sharey=True), mu, strict=True):
            for name, k in strengths.items():
                axes.loglog(n, k / (n * budget), label=name)
            axes.axhline(0.5, color=style.FAINT, linestyle=":")
            axes.set_title(f"mu = {budget:.4g}")
            axes.set_xlabel(style.label("people n", "count"))
        made.axes[0].set_ylabel(style.label("noise", "mm"))
        made.axes[0].annotate("0.5 mm", (55, 0.53), color=style.FAINT, fontsize=7)
        made.axes[-1].legend(fontsize=7)
    return made
