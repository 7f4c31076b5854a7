"""Predict the noise of releases from public inputs alone: over n, mu and settings, before any private scan is read."""

import numpy as np

from shapedp import artifacts
from shapedp.accuracy import planner, predictions
from shapedp.figures import plans, style
from shapedp.mechanisms import bounds, curve_mechanisms
from shapedp.mechanisms.shaped import variation
from shapedp.runs.logs import logged
from shapedp.storage import files


def plan_release(bounds_path, variation_path, template_path, paths, kernel_settings, tau):
    """Noise in mm of the template's size for every mechanism.

    bounds_path : of the public reference set, or None where the bounds are the numbers `tau`
    variation_path : what was learned of that set, or None
    paths : table, answers, settings, picture, and shaped for what mechanism `shaped` will be worth
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        shape, scale = source.shape("curves"), source["scale"]
    limits = bounds.from_numbers(tau, shape[0]) if bounds_path is None else bounds.load(bounds_path)[0]
    left_out = {"pointwise_literal"} if limits.lower is not None else set(curve_mechanisms.POINTWISE)
    names = [name for name in curve_mechanisms.NAMES if name not in left_out]
    strengths = {name: scale * planner.strength(name, shape, limits, None, kernel_settings) for name in names}
    files.write_text(paths["table"], "\n".join(planner.table(strengths, "mm")) + "\n")
    files.write_text(paths["answers"], "\n".join(planner.answers(strengths, "mm")) + "\n")
    files.write_text(paths["shaped"], "\n".join(_shaped(variation_path, scale)) + "\n")
    rows = planner.variants(shape, np.mean(limits.tau, axis=0), kernel_settings)
    changed = [(name, value, scale * k / planner.ASKED) for name, value, k in rows]
    lines = [f"setting\tvalue\tnoise_rms_mm_with_{planner.ASKED}_people_at_mu_1"]
    lines += [f"{name}\t{value}\t{noise:.4g}" for name, value, noise in changed]
    files.write_text(paths["settings"], "\n".join(lines) + "\n")
    style.save(plans.answers(strengths, changed), paths["picture"])


def _shaped(variation_path, scale):
    """Predictions, and below them how many people half a millimetre needs."""
    if variation_path is None:
        return ["no public reference set: set faces.bounds.reference_set to plan releases by `shaped`"]
    learned, _ = variation.load(variation_path)
    needed = [(mu, predictions.people_needed(learned, mu, scale)) for mu in predictions.BUDGETS]
    words = [f"# {predictions.TARGET:g} mm at mu = {mu:g}: {count or 'no number of'} people" for mu, count in needed]
    return [*predictions.table(learned, scale), *words]


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        plan_release(
            snakemake.input.bounds or None,
            snakemake.input.variation or None,
            snakemake.input.template,
            {key: snakemake.output[key] for key in ("table", "answers", "settings", "picture", "shaped")},
            snakemake.params.kernel,
            snakemake.params.tau,
        )
