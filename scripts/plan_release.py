"""Predict the noise of releases from public inputs alone: a table and a picture over n and mu."""

from shapedp import artifacts, files
from shapedp.figures import plans, style
from shapedp.logs import logged
from shapedp.mechanisms import bounds, curve_mechanisms, planner


def plan_release(bounds_path, template_path, table_path, picture_path, kernel_settings):
    """Noise in mm of the template's size for every mechanism with bounds from the public reference set."""
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        shape, scale = source.shape("curves"), source["scale"]
    limits, reference = bounds.load(bounds_path)
    names = [name for name in curve_mechanisms.NAMES if name != "pointwise_literal"]
    strengths = {name: scale * planner.strength(name, shape, limits, reference, kernel_settings) for name in names}
    files.write_text(table_path, "\n".join(planner.table(strengths, "mm")) + "\n")
    style.save(plans.noise_over_people(strengths), picture_path)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        plan_release(
            snakemake.input.bounds,
            snakemake.input.template,
            snakemake.output.table,
            snakemake.output.picture,
            snakemake.params.kernel,
        )
