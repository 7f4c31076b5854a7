"""Learn from the public reference set how faces vary: modes, harmonics, and held-out coordinates of its people."""

from shapedp import artifacts
from shapedp.cohorts import stacks
from shapedp.mechanisms.shaped import learning
from shapedp.runs.logs import logged


def learn_variation(curves_path, template_path, output_path, settings, source):
    """About the template's curves. settings : faces.variation; source : the public population, in words"""
    with artifacts.reader(template_path, artifacts.TEMPLATE) as template:
        reference = template["curves"]
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        people = stacks.accepted(stack)
        read = stacks.reading(stack, people, reference)
        found = learning.learn(read, len(people), reference, settings["modes"], settings["harmonics"])
    with artifacts.writer(output_path, artifacts.VARIATION, settings, [curves_path, template_path]) as out:
        out.set(
            center=reference,
            **vars(found),
            **{key: settings[key] for key in ("quantile", "shift", "novelty")},
            source=f"{len(people)} faces of the public reference set '{source}'",
            public=True,
        )


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        learn_variation(
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.output.variation,
            snakemake.params.variation,
            snakemake.params.source,
        )
