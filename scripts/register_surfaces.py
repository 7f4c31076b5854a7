"""Align each surface to the template by a rotation and a diffeomorphism of the disk."""

from shapedp import artifacts
from shapedp.cohorts import batches
from shapedp.runs.logs import log, logged
from shapedp.surfaces.registration import register as registration
from shapedp.surfaces.registration import template as templates
from shapedp.surfaces.registration.options import Options

KEPT = ("rotation", "gamma", "energy_before", "energy_rotation_only", "energy_after", "min_jacobian")


def register_surfaces(surfaces_path, template_path, output_path, settings):
    """One registered surface a surface; one that does not converge is kept, and said so."""
    options = Options(**settings)
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        template = templates.prepare(source["f"], options)

    def register(face):
        found = registration.register(face["f"], template)
        if not found.converged:
            log.warning("%s: %s", face.name, found.message)
        return {
            "f": found.surface,
            **{name: getattr(found, name) for name in KEPT},
            "iterations": found.iterations,
            "converged": found.converged,
        }

    batches.transform(
        [(surfaces_path, artifacts.SURFACE)],
        output_path,
        artifacts.REGISTERED,
        "register_surfaces",
        register,
        settings,
        shared=[template_path],
    )


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        register_surfaces(
            snakemake.input.surfaces,
            snakemake.input.template,
            snakemake.output.registered,
            snakemake.params.registration,
        )
