"""Predict what releases are worth, from public inputs alone: over n, mu and settings, before any scan is read."""

import numpy as np

from shapedp.app.forecast import charts, predictions
from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.releases.figures import style


def plan_release(bounds_path, variation_path, template_path, paths, kernel_settings, tau):
    """Write and draw what releases by every mechanism would be worth, in mm, before any scan is read.

    Lengths are of the template's size.

    bounds_path : of the public reference set, or None where the bounds are the numbers `tau`
    variation_path : what was learned of that set, or None; paths : table, answers, settings, picture
    """
    inputs = predictions.load(template_path, bounds_path, variation_path, kernel_settings, tau)
    files.write_text(paths["table"], "\n".join(predictions.format_table(inputs)) + "\n")
    files.write_text(paths["answers"], "\n".join(predictions.format_answers(inputs)) + "\n")
    rows = predictions.compare_settings(inputs.shape, np.mean(inputs.limits.tau, axis=0), kernel_settings)
    changed = [(name, value, inputs.scale * k / predictions.PLANNED) for name, value, k in rows]
    lines = [f"setting\tvalue\tnoise_rms_mm_with_{predictions.PLANNED}_people_at_mu_1"]
    lines += [f"{name}\t{value}\t{noise:.4g}" for name, value, noise in changed]
    files.write_text(paths["settings"], "\n".join(lines) + "\n")
    style.save(charts.draw_plan(inputs, changed), paths["picture"])


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        input_files, params = snakemake.input, snakemake.params
        paths = {key: snakemake.output[key] for key in ("table", "answers", "settings", "picture")}
        plan_release(
            input_files.bounds or None,
            input_files.variation or None,
            input_files.template,
            paths,
            params.kernel,
            params.tau,
        )
