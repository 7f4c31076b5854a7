"""Draw the mean faces of a cohort: without privacy, by mechanism, by budget, over each other. Private.

The pictures hold means without noise; noise in them is seeded, so they spend nothing.
"""

import textwrap
from pathlib import Path

import numpy as np

from shapedp import artifacts
from shapedp.chain import cohort
from shapedp.figures import face_means, style
from shapedp.mechanisms import curve_mechanisms, integer_sums, noise
from shapedp.mechanisms.accounting import cost
from shapedp.mechanisms.curves import bounds
from shapedp.runs.logs import logged
from shapedp.variation import face_variation

SEED = 23
MU = 1.0
JOINT = {"mu_total": MU}
PAPER = "as published"  # the budget of each curve, split as the paper splits it
BY_MECHANISM = {  # mechanism: what bounds it, budget
    "shaped": ("variation", JOINT),
    "matched_joint": ("template", JOINT),
    "rkhs": ("template", PAPER),
    "rkhs_paper": ("none", PAPER),
    "pointwise": ("template", JOINT),
}
BUDGETS = tuple((name, mu) for name in ("pointwise", "matched_joint") for mu in (2.0, 3.0))
OVER = "pointwise", "rkhs", "matched_joint", "shaped"  # what is laid over the mean
PRIVATE = "Seeded noise, not a release. Private."


def draw_face_means(curves_path, template_path, bounds_paths, kernel_settings, folder):
    """bounds_paths : {"template": ..., "none": ...}; public where there is a public set, else from the data; and
    "variation" where there is one
    """
    asked = {title(name): (name, *how) for name, how in BY_MECHANISM.items() if bounds_paths[how[0]]}
    by_budget = {f"{title(name)},\nmu = {mu:g}": (name, "template", {"mu_total": mu}) for name, mu in BUDGETS}
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        template, radii, scale = (source[key] for key in ("curves", "radii", "scale"))
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        n = len(stack["ok"])
        read = cohort.reader_of_rows(stack, np.arange(n), template)
        mean = sum(read(*chunk).sum(axis=0) for chunk in integer_sums.chunks(n)) / n
        drawn = {
            words: scale * _release(one, read, n, mean.shape, bounds_paths, kernel_settings)
            for words, one in {**asked, **by_budget}.items()
        }
    smooth = scale * bounds.smooth(mean, bounds.filters(mean.shape[-1], **kernel_settings))
    mean = scale * mean
    folder = Path(folder)
    words = (
        f"The mean of {n} people point by point, and as curves smoothed in the kernel's space, which makes them "
        "flatter and a little smaller. At the template's size. Private."
    )
    style.save(face_means.two_means(mean, smooth, radii, words), folder / "means")
    means = {"mean,\nnot private": mean, "RKHS mean,\nnot private": smooth}
    words = f"{n} people, mu = {MU:g}, bounds around the template, or around nothing as in the paper. {PRIVATE}"
    style.save(face_means.mean_faces(means | _some(drawn, asked), radii, words), folder / "mechanisms")
    words = f"{n} people, bounds around the template; the same noise at two budgets. {PRIVATE}"
    style.save(face_means.mean_faces(_some(drawn, by_budget), radii, words), folder / "budgets")
    words = (
        f"Points of the curves from the front, and profiles through the nose; {n} people, mu = {MU:g}, bounds around "
        f"the template; what lies outside the frame is cut off. {PRIVATE}"
    )
    over = {"RKHS mean": smooth, **{title(name): drawn[title(name)] for name in OVER if title(name) in asked}}
    made = face_means.overlays(("point-wise mean", mean), over, words)
    style.save(made, folder / "overlays")


def title(name):
    """What a picture calls a mechanism, on two lines."""
    label = curve_mechanisms.MECHANISMS[name].label
    return "\n".join(textwrap.wrap(label, len(label) // 2 + 1))


def _some(drawn, titles):
    return {title: drawn[title] for title in titles}


def _release(asked, read, n, shape, bounds_paths, kernel_settings):
    """Curves (J, 3, m) as a mechanism would release them, with seeded noise."""
    name, reference, budget = asked
    budget = cost.published_budget(shape[0], MU) if budget == PAPER else budget
    limits, subtracted = (face_variation if reference == "variation" else bounds).load(bounds_paths[reference])
    subtracted = None if reference == "none" else subtracted
    made = curve_mechanisms.make(name, shape, n, limits, subtracted, budget, kernel_settings)
    source = noise.SeededNoise(SEED)
    made, sums = integer_sums.settled(made, read, n, source)
    return made.draw(sums, source)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_face_means(
            snakemake.input.curves,
            snakemake.input.template,
            {
                "template": snakemake.input.around_template,
                "none": snakemake.input.around_nothing,
                "variation": snakemake.input.get("variation"),
            },
            snakemake.params.kernel,
            Path(snakemake.output[0]).parent,
        )
