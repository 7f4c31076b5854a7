"""Sample each surface on the polar grid, with unit area and its centroid at 0."""

from shapedp import artifacts
from shapedp.cohorts import batches
from shapedp.runs.logs import logged
from shapedp.surfaces import normalise, sampling


def sample_surfaces(disks_path, meshes_path, output_path, rings, angles):
    """One normalised surface a disk."""
    settings = {"rings": rings, "angles": angles}
    sources = [(disks_path, artifacts.DISK), (meshes_path, artifacts.MESH)]
    step = sampling_on(rings, angles)
    batches.transform(sources, output_path, artifacts.SURFACE, "sample_surfaces", step, settings)


def sampling_on(rings, angles):
    """The step of one face: (disk, mesh) -> fields of its surface."""

    def sample(disk, mesh):
        f = sampling.sample(mesh["vertices"], mesh["triangles"], disk["z"], rings, angles)
        f, scale, centroid = normalise.unit_surface(f)
        return {"f": f, "scale": scale, "centroid": centroid}

    return sample


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        sample_surfaces(
            snakemake.input.disks,
            snakemake.input.meshes,
            snakemake.output.surfaces,
            **snakemake.params.surface,
        )
