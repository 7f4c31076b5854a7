"""The faces paper's error table for this cohort: every mechanism, seeded noise, on the private side only."""

import numpy as np

from shapedp import artifacts
from shapedp.accuracy import comparison
from shapedp.cohorts import stacks
from shapedp.mechanisms import bounds, curve_mean, curve_mechanisms, noise, smoothing
from shapedp.runs.logs import logged, progress
from shapedp.storage import files

DRAWS = 100
SEED = 80  # the table is reproducible; it is not a release
PAPER = {"mu": [0.2, 0.2, 0.55]}
JOINT = {"mu_total": 2.9661}
ASKED = (
    *((name, {"mu_total": mu}) for name in curve_mechanisms.POINTWISE for mu in (2.0, 3.0)),
    *((name, PAPER) for name in ("rkhs_paper", "rkhs", "matched")),
    *((name, JOINT) for name in ("matched", "matched_joint")),
)
FIGURES = (
    "noise_variance",
    "error_to_pointwise_mean",
    "error_to_pointwise_mean_se",
    "error_to_rkhs_mean",
    "error_to_rkhs_mean_se",
)
COLUMNS = ("mechanism", "reference", "bounds", "budget", "mu_total", "n")


def compare_releases(curves_path, template_path, bounds_paths, table_path, kernel_settings):
    """One row a mechanism, reference and source of bounds; squared errors of a unit-area face (1, not 1e-4)."""
    lines = ["\t".join([*COLUMNS, *FIGURES, "formally_private"])]
    with artifacts.reader(template_path, artifacts.TEMPLATE) as template:
        template_curves = template["curves"]
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        read = stacks.reading(stack, np.arange(len(stack["ok"])), template_curves)
        n = len(stack["ok"])
        mean = sum(read(*chunk).sum(axis=0) for chunk in curve_mean.chunks(n)) / n
        filters = smoothing.filters(mean.shape[-1], **kernel_settings)
        cases = [(path, name, budget) for path in bounds_paths for name, budget in ASKED]
        for path, name, budget in progress(cases, len(cases), "compare_releases"):
            limits, reference, words = _bounds(path)
            made = curve_mechanisms.make(name, mean.shape, n, limits, reference, budget, kernel_settings)
            sums = curve_mean.total(made, read, n)
            center = 0 if reference is None else reference
            rkhs_mean = center + smoothing.smooth(mean - center, filters)
            found = comparison.errors(made, sums, mean, rkhs_mean, noise.SeededNoise(SEED), DRAWS)
            lines.append("\t".join(map(str, _row(made, budget, words, found, limits.public))))
    files.write_text(table_path, "\n".join(lines) + "\n")


def _bounds(path):
    """(bounds, the reference curves or None, words for the table) of a bounds artifact."""
    found, reference = bounds.load(path)
    none = not reference.any()
    words = ("none" if none else "template", "public" if found.public else "data")
    return found, None if none else reference, words


def _row(made, budget, words, found, public):
    (to_mean, to_rkhs), (se_mean, se_rkhs) = comparison.summary(found)
    split = "each curve" if "mu" in budget else "best split"
    variance = made.variances().sum(axis=1).mean()
    private = public and made.name != "pointwise_literal"
    figures = (f"{value:.5g}" for value in (variance, to_mean, se_mean, to_rkhs, se_rkhs))
    return (made.name, *words, split, f"{made.claimed:.4f}", made.n, *figures, str(private).lower())


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        compare_releases(
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.input.bounds,
            snakemake.output.table,
            snakemake.params.kernel,
        )
