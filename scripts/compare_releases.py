"""How far releases of this cohort by each mechanism lie from its mean, in mm; seeded noise, on the private side."""

from functools import cache, lru_cache

import numpy as np

from shapedp.app.forecast import comparison
from shapedp.base import artifacts
from shapedp.base.runs.logs import logged, report_progress
from shapedp.base.storage import files
from shapedp.landmarks import public_objects
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.accounting import cost
from shapedp.releases import curve_mechanisms
from shapedp.surfaces.chain import cohort

DRAWS = 4
# Seeded, so that the table is reproducible; it is not a release.
SEED = 80
JOINT, MODERATE = {"mu_total": 2.9661}, {"mu_total": 1.0}
SHAPED = (("shaped", MODERATE), ("shaped", JOINT))
AS_PUBLISHED = "matched", "rkhs", "rkhs_paper"
UNSHAPED = (
    ("matched_joint", MODERATE),
    *((name, JOINT) for name in ("matched_joint", "matched")),
    *((name, {"mu_total": mu}) for name in curve_mechanisms.POINTWISE for mu in (2.0, 3.0)),
)


def compare_releases(curves_path, template_path, bounds_paths, variation_path, table_path, kernel_settings):
    """Write how far releases by each mechanism would err on this very cohort, for its operator to choose by.

    There is a row for each mechanism, reference and source of bounds.

    variation_path : of what was learned of a public set, or None
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as template:
        template_curves, scale = template["curves"], float(template["scale"])
    published = cost.published_budget(len(template_curves), JOINT["mu_total"])
    asked_of_all = [*UNSHAPED, *((name, published) for name in AS_PUBLISHED)]
    cases = [(path, *mechanism_and_budget) for path in bounds_paths for mechanism_and_budget in asked_of_all]
    cases = [(variation_path, *mechanism_and_budget) for mechanism_and_budget in SHAPED if variation_path] + cases
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        n = len(stack["ok"])
        # Every case sums the same rows: the last ones read are kept.
        read = lru_cache(1)(cohort.make_row_reader(stack, np.arange(n), template_curves))
        people = comparison.Cohort.from_reader(read, n, scale, kernel_settings)
        rows = [*people.without_noise(template_curves)]
        for path, name, budget in report_progress(cases, len(cases), "compare_releases"):
            limits, reference, words = _read_limits(path)
            mechanism = curve_mechanisms.make(
                name, template_curves.shape, n, limits, reference, budget, kernel_settings
            )
            split = {"reference": words[0], "bounds": words[1], "budget": "each curve" if "mu" in budget else "whole"}
            source = noise.SeededNoise(SEED)
            errors = people.errors(*integer_sums.ask_first_stage(mechanism, read, n, source), reference, source, DRAWS)
            private = {"formally_private": str(limits.public and mechanism.name != "pointwise_literal").lower()}
            rows.append(
                {
                    "mechanism": mechanism.words,
                    "name": mechanism.name,
                    **split,
                    "mu": mechanism.claimed,
                    **errors,
                    **private,
                }
            )
    files.write_text(table_path, "\n".join(comparison.format_table(rows)) + "\n")


@cache
def _read_limits(path):
    """Return what the mechanisms of one row clip to: the bounds, the reference curves or None, and words for the table.

    They are those of a bounds or variation artifact.
    """
    learned = artifacts.header(path)[0] == artifacts.VARIATION.name
    limits, reference = (public_objects.read_variation if learned else public_objects.read_bounds)(path)
    none = not reference.any()
    words = ("none" if none else "template", "public" if limits.public else "data")
    return limits, None if none else reference, words


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inputs = snakemake.input
        compare_releases(
            inputs.curves,
            inputs.template,
            bounds_paths=inputs.bounds,
            variation_path=inputs.get("variation") or None,
            table_path=snakemake.output.table,
            kernel_settings=snakemake.params.kernel,
        )
