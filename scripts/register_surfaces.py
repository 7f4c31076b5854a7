"""Align each surface to the template by a rotation and a diffeomorphism of the disk, within the template's extent."""

from shapedp import artifacts
from shapedp.cohorts import batches
from shapedp.runs.logs import log, logged
from shapedp.surfaces import alignment, correspondence, gates, twofold
from shapedp.surfaces.registration.options import Options

KEPT = ("rotation", "gamma", "energy_before", "energy_rotation_only", "energy_after", "min_jacobian")
SOURCES = artifacts.SURFACE, artifacts.DISK, artifacts.MESH


def register_surfaces(paths, template_path, output_path, settings, limits, learned_path=None):
    """One registered surface a surface; one that does not converge is kept, and said so.

    paths : of SOURCES; settings : of the registration; limits : of the gates; learned_path : what public faces
    in correspondence taught, if there are any
    """
    batches.transform(
        list(zip(paths, SOURCES, strict=True)),
        output_path,
        artifacts.REGISTERED,
        "register_surfaces",
        registering(template_path, settings, limits, learned_path),
        {**settings, **limits},
        shared=[template_path, *([learned_path] if learned_path else [])],
    )


def registering(template_path, settings, limits, learned_path=None):
    """The step of one face: (surface, disk, mesh) -> fields of the registered surface."""
    template = read_template(template_path, Options(**settings))
    learned = _learned(learned_path)

    def register(surface, disk, mesh):
        face = alignment.Face(
            mesh["vertices"],
            mesh["triangles"],
            disk["z"],
            surface["f"],
            surface["scale"],
            surface["centroid"],
            bool(mesh["own_triangles"]),
        )
        aligned = template.align(face)
        gates.judge(aligned, gates.Gates(**limits))
        found = correspondence.corrected(aligned.registered, learned) if learned else aligned.registered
        if not found.converged:
            log.warning("%s: %s", surface.name, found.message)
        return {
            "f": found.surface,
            **{name: getattr(found, name) for name in KEPT},
            **{name: getattr(aligned, name) for name in ("removed", "missing", "nose_distance")},
            "iterations": found.iterations,
            "converged": found.converged,
        }

    return register


def read_template(path, options):
    """The Twofold in the template's artifact."""
    with artifacts.reader(path, artifacts.TEMPLATE) as source:
        names = ("whole", "f", "inner_places")
        clouds, meshes = ([source[form + name] for name in names] for form in ("", "mesh_"))
        return twofold.Twofold(clouds, meshes, source["mesh_places"], source["extent"], options)


def _learned(path):
    """The Correspondence in an artifact; None without one."""
    if not path:
        return None
    with artifacts.reader(path, artifacts.CORRESPONDENCE) as source:
        return correspondence.Correspondence(*(source[name] for name in correspondence.NAMES))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        register_surfaces(
            [snakemake.input.surfaces, snakemake.input.disks, snakemake.input.meshes],
            snakemake.input.template,
            snakemake.output.registered,
            snakemake.params.registration,
            snakemake.params.gates,
            snakemake.input.learned or None,
        )
