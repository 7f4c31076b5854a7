"""Draw the curves and the mean faces of a cohort: by mechanism, by budget, and how their error falls with people.

The pictures are private: they hold people and means without noise; what noise they hold is seeded and spends nothing.
"""

import textwrap
from pathlib import Path

import numpy as np

from shapedp.app.forecast import charts, comparison
from shapedp.base import artifacts
from shapedp.base.runs.logs import logged
from shapedp.landmarks import public_objects
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.accounting import cost
from shapedp.privacy.curves import bounds
from shapedp.privacy.statistic import chunks
from shapedp.releases import curve_mechanisms
from shapedp.releases.figures import face_means, style
from shapedp.surfaces.chain import cohort

MOST = 100  # people whose curves are drawn
SEED = 23
MU = 1.0
JOINT = {"mu_total": MU}
# The word for the budget of each curve, split as the paper splits it.
PAPER = "as published"
BY_MECHANISM = {  # mechanism: what bounds it, budget
    "shaped": ("variation", JOINT),
    "matched_joint": ("template", JOINT),
    "rkhs": ("template", PAPER),
    "rkhs_paper": ("none", PAPER),
    "pointwise": ("template", JOINT),
}
BUDGETS = tuple((name, mu) for name in ("pointwise", "matched_joint") for mu in (2.0, 3.0))
OVER = "pointwise", "rkhs", "matched_joint", "shaped"  # what is laid over the mean
ERROR_SEED, DRAWS = 24, 8
ERROR_BUDGET = {"mu_total": 2.9661}
ERROR_MECHANISMS = "matched_joint", "matched", "rkhs", "pointwise"
SHARES = 1 / 8, 1 / 4, 1 / 2, 1  # of the cohort, whose means are released
LEAST = 4  # people
PRIVATE = "Seeded noise, not a release. Private."


def draw_face_curves(curves_path, template_path, folder):
    """Draw what curves hold of a face: the template by few and many, and one curve's coordinates over the cohort.

    That is the curve half way out.
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        f, scale, count = source["f"], source["scale"], len(source["radii"])
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        rows = cohort.find_accepted_rows(stack)[:MOST]
        people = np.stack([stack.rows("curves", row, row + 1)[0, count // 2] for row in rows])
    words = "The template as a surface through J radial curves, each a closed curve around the center."
    style.save(face_means.draw_curve_counts(scale * f, words), folder / "numbers_of_curves")
    words = (
        f"Curve {count // 2 + 1} of {count}, counted from the center, at the template's size; counter-clockwise as one "
        "looks at the face. Registered faces have their features at the same angles. Private."
    )
    style.save(face_means.draw_coordinates(scale * people, words), folder / "coordinate_curves")


def draw_face_means(curves_path, template_path, bounds_paths, kernel_settings, folder):
    """Draw the mean faces that each mechanism would release, at one budget and at several, beside those without noise.

    bounds_paths : {"template": ..., "none": ..., "variation": that of a public set, or None}
    """
    by_mechanism = {wrap_title(name): (name, *how) for name, how in BY_MECHANISM.items() if bounds_paths[how[0]]}
    by_budget = {f"{wrap_title(name)},\nmu = {mu:g}": (name, "template", {"mu_total": mu}) for name, mu in BUDGETS}
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        template, radii, scale = (source[key] for key in ("curves", "radii", "scale"))
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        n = len(stack["ok"])
        read_rows = cohort.make_row_reader(stack, np.arange(n), template)
        mean = _average_rows(read_rows, n)
        by_mechanism, by_budget = (
            {
                name: scale * _draw_release(choice, read_rows, n, mean.shape, bounds_paths, kernel_settings)
                for name, choice in choices.items()
            }
            for choices in (by_mechanism, by_budget)
        )
    smooth = scale * bounds.smooth(mean, bounds.filters(mean.shape[-1], **kernel_settings))
    mean = scale * mean
    words = (
        f"The mean of {n} people point by point, and as curves smoothed in the kernel's space, which makes them "
        "flatter and a little smaller. At the template's size. Private."
    )
    style.save(face_means.draw_two_means(mean, smooth, radii, words), folder / "means")
    means = {"mean,\nnot private": mean, "RKHS mean,\nnot private": smooth}
    words = f"{n} people, mu = {MU:g}, bounds around the template, or around nothing as in the paper. {PRIVATE}"
    style.save(face_means.draw_means(means | by_mechanism, radii, words), folder / "mechanisms")
    words = f"{n} people, bounds around the template; the same noise at two budgets. {PRIVATE}"
    style.save(face_means.draw_means(by_budget, radii, words), folder / "budgets")
    words = (
        f"Points of the curves from the front, and profiles through the center; {n} people, mu = {MU:g}, bounds around "
        f"the template; what lies outside the frame is cut off. {PRIVATE}"
    )
    overlaid = {"RKHS mean": smooth} | {
        choice: by_mechanism[choice] for choice in map(wrap_title, OVER) if choice in by_mechanism
    }
    style.save(face_means.draw_overlays(("point-wise mean", mean), overlaid, words), folder / "overlays")


def wrap_title(name):
    """Return what a picture calls a mechanism, on two lines."""
    label = curve_mechanisms.MECHANISMS[name].label
    return "\n".join(textwrap.wrap(label, len(label) // 2 + 1))


def _draw_release(choice, read_rows, n, shape, bounds_paths, kernel_settings):
    """Return curves (J, 3, m) as a mechanism would release them, for a private picture, with seeded noise."""
    name, reference, budget = choice
    budget = cost.published_budget(shape[0], MU) if budget == PAPER else budget
    limits, subtracted = (public_objects.read_variation if reference == "variation" else public_objects.read_bounds)(
        bounds_paths[reference]
    )
    subtracted = None if reference == "none" else subtracted
    mechanism = curve_mechanisms.make(name, shape, n, limits, subtracted, budget, kernel_settings)
    source = noise.SeededNoise(SEED)
    mechanism, sums = integer_sums.ask_first_stage(mechanism, read_rows, n, source)
    return mechanism.draw(sums, source)


def draw_face_errors(curves_path, template_path, bounds_path, kernel_settings, picture_path):
    """Draw how releases' error falls with the number of people n, beside what is foretold; rms over points and draws.

    The error is a release's distance to the point-wise mean of its own people.
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        template, scale = source["curves"], source["scale"]
    limits, _ = public_objects.read_bounds(bounds_path)
    source = noise.SeededNoise(ERROR_SEED)
    noise_by_label, measured = {}, {}
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        count = len(stack["ok"])
        read_rows = cohort.make_row_reader(stack, np.arange(count), template)
        mean = _average_rows(read_rows, count)
        squares = sum(np.sum((read_rows(start, stop) - mean) ** 2) for start, stop in chunks(count))
        spread = np.sqrt(squares / mean[:, 0].size)
        for name in ERROR_MECHANISMS:
            label = curve_mechanisms.MECHANISMS[name].label
            measured[label] = []
            for n in sorted({max(LEAST, round(share * count)) for share in SHARES}):
                mechanism = curve_mechanisms.make(
                    name, template.shape, n, limits, template, ERROR_BUDGET, kernel_settings
                )
                noise_by_label[label] = scale * n * np.sqrt(np.mean(mechanism.variances().sum(axis=1)))
                mean_of_first, sums = _average_rows(read_rows, n), integer_sums.sum_people(mechanism, read_rows, n)
                distances = [
                    comparison.mean_squared_distance(mechanism.draw(sums, source), mean_of_first) for _ in range(DRAWS)
                ]
                measured[label].append((n, scale * np.sqrt(np.mean(distances))))
    words = (
        f"mu = 2.97, bounds around the template. Lines: noise alone, foretold. Markers: distance of {DRAWS} drawn "
        "releases of the cohort's first n people from their own mean; smoothing and clipping may lift them off the "
        "line. Dashed: how far the mean of n people is from that of everybody like them; below it noise hardly "
        "matters. Private."
    )
    figure = charts.draw_error_over_people(noise_by_label, measured, scale * spread / np.sqrt(count), words)
    style.save(figure, picture_path)


def _average_rows(read_rows, n):
    return sum(read_rows(start, stop).sum(axis=0) for start, stop in chunks(n)) / n


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inputs, params, picture = snakemake.input, snakemake.params, Path(snakemake.output[0])
        match params.step:
            case "draw_face_curves":
                draw_face_curves(inputs.curves, inputs.template, picture.parent)
            case "draw_face_means":
                around = {"template": inputs.around_template, "none": inputs.around_nothing}
                bounded = around | {"variation": inputs.get("variation")}
                draw_face_means(inputs.curves, inputs.template, bounded, params.kernel, picture.parent)
            case "draw_face_errors":
                draw_face_errors(inputs.curves, inputs.template, inputs.bounds, params.kernel, picture)
