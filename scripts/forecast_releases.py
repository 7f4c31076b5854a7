"""Foretell what a release would cost and how far it would lie from the truth; nothing is spent. Private."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np

from shapedp import landmarks
from shapedp.app.forecast import budgets, forecasts, predictions
from shapedp.base import artifacts
from shapedp.base.errors import RefusedRelease
from shapedp.base.runs.logs import logged
from shapedp.base.settings import subjects
from shapedp.base.storage import files
from shapedp.landmarks import public_objects, shapes
from shapedp.ledger import spending
from shapedp.privacy import worth
from shapedp.privacy.learned import shape_variation
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.shapes import base
from shapedp.releases import kinds

NOTHING_PUBLIC = (
    "The center is private: a mean shape takes `private_center`, which spends part of the budget on the center, "
    "and no forecast can be made for it:\n    - {name: mean_shape, mechanism: private_center, budget: {mu_total: "
    "1}}"
)


def forecast_faces(paths, settings, privacy, people, sizes=None, own=(), is_in_settings=True, means=()):
    """Write what releases of faces would cost, and how far they would err, for an operator to decide what to release.

    paths : template, table, no_better, words; bounds, variation and public_quality of a public population
    settings : kernel and tau; people : how many the cohort lists; sizes : {group: how many of them}
    own : (entry of `releases`, path of what was learned for it, None of a mean, people whom it is of) of each release
    with lines of its own; is_in_settings : whether the settings ask for these; means : (mechanism, budget) of each mean
    """
    inputs = predictions.load(
        paths["template"], paths["bounds"], paths["variation"], settings["kernel"], settings["tau"]
    )
    with artifacts.reader(paths["template"], artifacts.TEMPLATE) as source:
        public = inputs.limits.public and bool(source["public"])
    budget = budgets.read_budget("faces", privacy)
    rows = list(forecasts.list_face_rows(inputs, people, budget.left, sizes, means))
    what_to_do, advised = forecasts.advise(rows, "mean_face")
    opening = [
        what_to_do,
        *_describe_groups(sizes, privacy["groups"]["membership"]),
        *(budgets.caution_public_set(paths["public_quality"]) if paths["public_quality"] else ()),
        *([] if public else ["caution: the bounds or the template are not public: no release can be private"]),
    ]
    closing = [
        *predictions.describe_target(inputs, people),
        *(
            line
            for entry, path, n in own
            for line in _yield_or_refuse(entry, _forecast_face_release(entry, path, n, inputs, is_in_settings, budget))
        ),
        *advised,
    ]
    partial_counts = budgets.count_partial([(entry, n) for entry, _, n in own], people) if is_in_settings else {}
    _write_forecast(
        f"A mean face of {people} people",
        {"faces": people} | partial_counts,
        opening,
        rows,
        closing,
        budget,
        paths,
        subjects.from_settings(settings),
    )


def _yield_or_refuse(entry, lines):
    """Yield a forecast's lines about a release, or that it would be refused, so that the others are forecast, too."""
    try:
        yield from lines
    except RefusedRelease as refused:
        yield f"{entry['name']} would be refused: {refused}"


def _forecast_face_release(entry, path, n, inputs, is_in_settings, budget):
    """Yield the forecast's lines on a release that its table has no rows of; where nobody asks for it, with its entry.

    A user can copy the entry into the settings.
    """
    if path is None:
        yield from forecasts.forecast_at_time(entry, inputs, n, budget)
    else:
        variation = None if n < 2 else public_objects.read_variation(path)[0]
        yield from kinds.find_entry("faces", entry).part("forecast").lines(entry, variation, n, inputs.scale)
    if not is_in_settings:
        yield f"  its entry in `releases`: {json.dumps(entry, ensure_ascii=False)}"


def forecast_shapes(shapes_path, paths, settings, privacy, of_differences=(), means=()):
    """Write what releases of shapes would cost, and how far they would err, for an operator to decide what to release.

    paths : table, no_better, words; settings : radius, contour_modes, center, leave_out, reference_set and
    reference_sheet of the section; of_differences : (entry of `releases`, path of its rows) of each difference
    means : (mechanism, budget) of each mean
    """
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        n, public = len(source["ids"]), source["center_public"] or settings["center"] == "private"
    declared = privacy["groups"]
    sizes = _read_group_sizes(shapes_path, declared)
    r, budget = settings["radius"], budgets.read_budget("shapes", privacy)
    known, rows, spread = r != "data" and settings["center"] != "private", [], None
    # The center is the set's mean, so the set says how people spread about it.
    if known and settings["center"] == "reference_set":
        reference_shapes = landmarks.read(settings["reference_set"], leave_out=settings["leave_out"]).shapes
        distances = landmark_shapes.dist(
            landmark_shapes.find_frechet_mean(reference_shapes), landmark_shapes.unit(reference_shapes)[0]
        )
        spread = float(np.sqrt(np.nansum(distances**2) / (len(reference_shapes) - 1)))
    if known:
        _, ball = public_objects.read_cohort(
            shapes_path, r, settings["contour_modes"], settings.get("reference_set"), settings["leave_out"]
        )
        rows = list(forecasts.list_shape_rows(ball, budget.left, budget.pure_left, spread, sizes, means))
    what_to_do, advised = forecasts.advise(rows, "mean_shape") if known else (None, [])
    opening = [
        *([what_to_do] if known else []),
        *_describe_groups(sizes, declared["membership"]),
        *([] if public else ["caution: the center comes from the data: name a public one, or no release is private"]),
        *(
            []
            if r != "data"
            else ["caution: the radius comes from the data: give a public number, or no release is private"]
        ),
        *([] if not known or settings.get("reference_set") else [_describe_prior(r, settings["contour_modes"])]),
    ]
    closing = [
        *advised,
        *([NOTHING_PUBLIC] if settings["center"] == "private" else []),
        *(
            line
            for entry, path in of_differences
            for line in _yield_or_refuse(entry, _forecast_difference(entry, path, settings, declared))
        ),
    ]
    _write_forecast(f"A mean shape of {n} records", {"shapes": n}, opening, rows, closing, budget, paths)


def _read_group_sizes(shapes_path, groups):
    """Return {group: how many of it have a row}, as far as that is public, for the forecast of each group's mean.

    groups : of `privacy`
    """
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        counted = Counter(filter(None, source["groups"]))
    return dict(sorted(counted.items())) if groups["membership"] == spending.PUBLIC else groups["sizes"]


def _forecast_difference(entry, path, settings, groups):
    """Yield the forecast's lines about a difference within each person, such as a change of shapes.

    They follow from how many people the frame has for it, and from public shapes.
    """
    _, ball = public_objects.read_cohort(path, settings["radius"], settings["contour_modes"])
    if "group" in entry:
        ball = replace(ball, n=_read_group_sizes(path, groups).get(entry["group"], 0))
    if settings.get("reference_set"):
        about = LandmarkShapes(base.as_real(ball.p0), ball.ignored, ball.slid)
        public = shapes.read_public_differences(
            entry, settings["reference_set"], settings.get("reference_sheet"), about, settings["leave_out"]
        )
        ball = replace(ball, public=base.as_complex(public))
    of_kind = kinds.find_entry("shapes", entry).part("forecast")
    yield from of_kind.lines_of_landmarks(entry, ball, bool(settings.get("reference_sheet")))


def _describe_prior(radius, modes):
    """Return what the forecast assumes of people where there is no public set, for its reader to judge."""
    return (
        f"No public set: this forecast assumes that people lie {shape_variation.TYPICAL * radius:.3g} rad from the "
        f"center, root mean square (half of the radius; {shape_variation.PRIORS[modes > 0]}), and that the center "
        "is as far from their mean as one person is. A reference set makes the forecast better: name one in "
        "shapes.reference_set."
    )


def _describe_groups(sizes, membership):
    """Yield the forecast's paragraph on groups: how many people each has, what releases of several cost together."""
    if sizes:
        counts = ", ".join(f"{group} has {n}" for group, n in sizes.items())
        yield (
            f"Groups, {membership} membership: {counts}. `left` is what remains after a release of everybody. "
            "Releases of several groups together cost no more than the most expensive of them, except that "
            "releases with an epsilon add up where membership is private."
        )


def _write_forecast(heading, people, opening, rows, closing, budget, paths, shown=subjects.FACES):
    """Write the forecast that the operator reads: about the cohort, about each release, what to do; and its tables.

    One is of the releases, one of those that are no better than the public reference. shown : what the scans show
    """
    useful, no_better = forecasts.split_useful(rows)
    for name, shown_rows in (("table", useful), ("no_better", no_better)):
        files.write_text(paths[name], "\n".join(forecasts.format_table(shown_rows, budget)) + "\n")
    spent = f"when this was written, population '{budget.population}' had spent {budgets.describe_spent(budget)}."
    cautions = budgets.caution_settings({"faces": None, "shapes": None}, people)
    meaning = [f"{worth.MEANING}."] if useful else []
    left_out = forecasts.describe_left_out(no_better, paths["no_better"])
    of_releases = *forecasts.format_readable_table(useful, budget), *meaning, *left_out
    lines = [f"{heading}; {spent}", *cautions, *opening, *of_releases, *closing]
    files.write_text(paths["words"], "".join(f"{shown.in_words(line)}\n" for line in lines))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inputs_of_job, params = snakemake.input, snakemake.params
        paths = {key: snakemake.output[key] for key in ("table", "no_better", "words")}
        match params.step:
            case "forecast_faces":
                public = ("template", "public_quality", "bounds", "variation")
                paths |= {key: inputs_of_job.get(key) for key in public}
                forecast_faces(
                    paths,
                    params.faces,
                    params.privacy,
                    params.people,
                    sizes=params.sizes,
                    own=params.releases,
                    is_in_settings=params.asked,
                    means=params.means,
                )
            case "forecast_shapes":
                differences = list(zip(params.releases, inputs_of_job.differences, strict=True))
                forecast_shapes(inputs_of_job.shapes, paths, params.shapes, params.privacy, differences, params.means)
