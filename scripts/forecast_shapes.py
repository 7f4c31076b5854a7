"""Foretell what a mean shape would cost and how far it would lie from the truth; nothing is spent. Private."""

from collections import Counter

import numpy as np

from shapedp import artifacts, landmarks
from shapedp.forecast import budgets, cautions, shapes, tables
from shapedp.manifolds import landmark_shapes
from shapedp.mechanisms.shapes import shape_cohorts
from shapedp.releases import spending
from shapedp.runs.logs import logged
from shapedp.storage import files


def forecast_shapes(shapes_path, paths, settings, privacy):
    """paths : table, words; settings : radius, modes, center and reference_set of the section"""
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        ok, public = source["ok"], bool(source["center_public"])
        sizes = _sizes(source["groups"], privacy["groups"])
    n, r, budget = len(ok), settings["radius"], budgets.of("shapes", privacy)
    known = r != "data"
    rows = []
    if known:
        _, ball = shape_cohorts.read(shapes_path, r, settings["modes"], settings.get("reference_set"))
        rows = list(shapes.of_groups(ball, sizes, budget.left, budget.pure_left, _spread(settings)))
    files.write_text(paths["table"], "\n".join(tables.lines(rows, budget)) + "\n")
    said = [
        f"A mean shape of {n} records; population '{budget.population}' has spent {budgets.spent(budget)}.",
        *cautions.of_settings({"faces": None, "shapes": None}, {"shapes": n}),
        *_words(sizes, privacy["groups"]["membership"]),
        *cautions.many_rejected(int(n - ok.sum()), n, "results/private/logs/center_shapes.log"),
        *([] if public else ["caution: the center comes from the data: name a public one, or no release is private"]),
        *([] if known else ["caution: the radius comes from the data: give a public number, or no release is private"]),
        "noise: rms distance of the whole shape, as a share of its size (the root of its summed squares).",
        *tables.words(rows, budget),
        "To release, add below `shapes.releases` (in place of []) and run the same command again:",
        shapes.snippet(budget.left),
    ]
    files.write_text(paths["words"], "\n".join(said) + "\n")


def _sizes(group_of, groups):
    """{group: how many}: counted where membership is public, else as declared."""
    counted = Counter(group for group in group_of if group)
    return dict(sorted(counted.items())) if groups["membership"] == spending.PUBLIC else groups["sizes"]


def _words(sizes, membership):
    if sizes:
        told = ", ".join(f"{group} has {n}" for group, n in sizes.items())
        yield (
            f"Groups, {membership} membership: {told}. What is left is that after a release of everybody; where "
            "membership is public, releases of several groups cost no more than the dearest of them."
        )


def _spread(settings):
    """Of the public set that the center is the mean of, where there is one."""
    if settings["center"] != "reference_set":
        return None
    found = landmarks.read(settings["reference_set"]).shapes
    far = landmark_shapes.dist(landmark_shapes.center_of(found), landmark_shapes.unit(found)[0])
    return float(np.sqrt(np.nansum(far**2) / (len(found) - 1)))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        forecast_shapes(
            snakemake.input.shapes,
            {key: snakemake.output[key] for key in ("table", "words")},
            snakemake.params.shapes,
            snakemake.params.privacy,
        )
