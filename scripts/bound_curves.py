"""Take the bounds for clipping from a declared population, as a quantile of its norms with a margin."""

import numpy as np

from shapedp import artifacts
from shapedp.cohorts import stacks
from shapedp.mechanisms import bounds
from shapedp.runs.logs import logged

QUANTILE_OF_DATA, MARGIN_OF_DATA = 1.0, 1.0  # the paper's tau: the largest norm in the data themselves


def bound_curves(curves_path, template_path, output_path, settings, source, reference):
    """source : reference_set | data; reference : template | none"""
    with artifacts.reader(template_path, artifacts.TEMPLATE) as template:
        curves = template["curves"]
    subtracted = curves if reference == "template" else np.zeros_like(curves)
    public = source == "reference_set"
    quantile = settings["quantile"] if public else QUANTILE_OF_DATA
    margin = settings["margin"] if public else MARGIN_OF_DATA
    words = (
        f"quantile {quantile:g} of the public reference set '{settings['reference_set']}', times {margin:g}"
        if public
        else "the largest values in the private data themselves"
    )
    with artifacts.reader(curves_path, artifacts.CURVES) as source_file:
        people = stacks.accepted(source_file)
        found = bounds.from_population(
            stacks.reading(source_file, people, curves), len(people), subtracted, quantile, margin, words, public
        )
    with artifacts.writer(output_path, artifacts.BOUNDS, settings, [curves_path, template_path]) as out:
        out.set(
            tau=found.tau,
            lower=found.lower,
            upper=found.upper,
            deviations=found.deviations,
            reference=subtracted,
            quantile=quantile,
            margin=margin,
            source=words,
            public=public,
        )


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        bound_curves(
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.output.bounds,
            snakemake.params.bounds,
            snakemake.wildcards.source,
            snakemake.wildcards.reference,
        )
