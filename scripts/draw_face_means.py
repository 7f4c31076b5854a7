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
ERROR_SEED, DRAWS = 24, 8
ERROR_BUDGET = {"mu_total": 2.9661}
ERROR_MECHANISMS = "matched_joint", "matched", "rkhs", "pointwise"
SHARES = 1 / 8, 1 / 4, 1 / 2, 1  # of the cohort, whose means are released
LEAST = 4  # people
PRIVATE = "Seeded noise, not a release. Private."


def draw_face_curves(curves_path, template_path, folder):
    """The template by few curves and by many, and the coordinates over the cohort of the curve half way out."""
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        f, scale, count = source["f"], source["scale"], len(source["radii"])
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        rows = cohort.accepted_rows(stack)[:MOST]
        people = np.stack([stack.rows("curves", row, row + 1)[0, count // 2] for row in rows])
    words = "The template as a surface through J radial curves, each a closed curve around the nose tip."
    style.save(face_means.numbers_of_curves(scale * f, words), folder / "numbers_of_curves")
    words = (
        f"Curve {count // 2 + 1} of {count}, counted from the nose, at the template's size; counter-clockwise as one "
        "looks at the face. Registered faces have their features at the same angles. Private."
    )
    style.save(face_means.coordinate_curves(scale * people, words), folder / "coordinate_curves")


def draw_face_means(curves_path, template_path, bounds_paths, kernel_settings, folder):
    """bounds_paths : {"template": ..., "none": ..., "variation": that of a public set, or None}"""
    by_mechanism = {title(name): (name, *how) for name, how in BY_MECHANISM.items() if bounds_paths[how[0]]}
    by_budget = {f"{title(name)},\nmu = {mu:g}": (name, "template", {"mu_total": mu}) for name, mu in BUDGETS}
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        template, radii, scale = (source[key] for key in ("curves", "radii", "scale"))
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        n = len(stack["ok"])
        read = cohort.reader_of_rows(stack, np.arange(n), template)
        mean = _mean(read, n)
        of_whom = read, n, mean.shape, bounds_paths, kernel_settings
        by_mechanism, by_budget = (
            {name: scale * _release(one, *of_whom) for name, one in asked.items()}
            for asked in (by_mechanism, by_budget)
        )
    smooth = scale * bounds.smooth(mean, bounds.filters(mean.shape[-1], **kernel_settings))
    mean = scale * mean
    words = (
        f"The mean of {n} people point by point, and as curves smoothed in the kernel's space, which makes them "
        "flatter and a little smaller. At the template's size. Private."
    )
    style.save(face_means.two_means(mean, smooth, radii, words), folder / "means")
    means = {"mean,\nnot private": mean, "RKHS mean,\nnot private": smooth}
    words = f"{n} people, mu = {MU:g}, bounds around the template, or around nothing as in the paper. {PRIVATE}"
    style.save(face_means.mean_faces(means | by_mechanism, radii, words), folder / "mechanisms")
    words = f"{n} people, bounds around the template; the same noise at two budgets. {PRIVATE}"
    style.save(face_means.mean_faces(by_budget, radii, words), folder / "budgets")
    words = (
        f"Points of the curves from the front, and profiles through the nose; {n} people, mu = {MU:g}, bounds around "
        f"the template; what lies outside the frame is cut off. {PRIVATE}"
    )
    over = {"RKHS mean": smooth} | {one: by_mechanism[one] for one in map(title, OVER) if one in by_mechanism}
    style.save(face_means.overlays(("point-wise mean", mean), over, words), folder / "overlays")


def title(name):
    """What a picture calls a mechanism, on two lines."""
    label = curve_mechanisms.MECHANISMS[name].label
    return "\n".join(textwrap.wrap(label, len(label) // 2 + 1))


def _release(asked, read, n, shape, bounds_paths, kernel_settings):
    """Curves (J, 3, m) as a mechanism would release them, with seeded noise."""
    name, reference, budget = asked
    budget = cost.published_budget(shape[0], MU) if budget == PAPER else budget
    limits, subtracted = (public_objects.read_variation if reference == "variation" else public_objects.read_bounds)(
        bounds_paths[reference]
    )
    subtracted = None if reference == "none" else subtracted
    made = curve_mechanisms.make(name, shape, n, limits, subtracted, budget, kernel_settings)
    source = noise.SeededNoise(SEED)
    made, sums = integer_sums.ask_first_stage(made, read, n, source)
    return made.draw(sums, source)


def draw_face_errors(curves_path, template_path, bounds_path, kernel_settings, picture_path):
    """The error of a release of n people is its distance to their own point-wise mean, rms over points and draws."""
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        template, scale = source["curves"], source["scale"]
    limits, _ = public_objects.read_bounds(bounds_path)
    source = noise.SeededNoise(ERROR_SEED)
    foretold, measured = {}, {}
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        count = len(stack["ok"])
        read = cohort.reader_of_rows(stack, np.arange(count), template)
        mean = _mean(read, count)
        spread = np.sqrt(sum(np.sum((read(*chunk) - mean) ** 2) for chunk in chunks(count)) / mean[:, 0].size)
        for name in ERROR_MECHANISMS:
            label = curve_mechanisms.MECHANISMS[name].label
            measured[label] = []
            for n in sorted({max(LEAST, round(share * count)) for share in SHARES}):
                made = curve_mechanisms.make(name, template.shape, n, limits, template, ERROR_BUDGET, kernel_settings)
                foretold[label] = scale * n * np.sqrt(np.mean(made.variances().sum(axis=1)))
                of_these, sums = _mean(read, n), integer_sums.sum_people(made, read, n)
                apart = [comparison.mean_squared_distance(made.draw(sums, source), of_these) for _ in range(DRAWS)]
                measured[label].append((n, scale * np.sqrt(np.mean(apart))))
    words = (
        f"mu = 2.97, bounds around the template. Lines: noise alone, foretold. Markers: distance of {DRAWS} drawn "
        "releases of the cohort's first n people from their own mean; smoothing and clipping may lift them off the "
        "line. Dashed: how far the mean of n people is from that of everybody like them; below it noise hardly "
        "matters. Private."
    )
    made = charts.draw_error_over_people(foretold, measured, scale * spread / np.sqrt(count), words)
    style.save(made, picture_path)


def _mean(read, n):
    return sum(read(*chunk).sum(axis=0) for chunk in chunks(n)) / n


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        given, asked, picture = snakemake.input, snakemake.params, Path(snakemake.output[0])
        match asked.step:
            case "draw_face_curves":
                draw_face_curves(given.curves, given.template, picture.parent)
            case "draw_face_means":
                around = {"template": given.around_template, "none": given.around_nothing}
                bounded = around | {"variation": given.get("variation")}
                draw_face_means(given.curves, given.template, bounded, asked.kernel, picture.parent)
            case "draw_face_errors":
                draw_face_errors(given.curves, given.template, given.bounds, asked.kernel, picture)
