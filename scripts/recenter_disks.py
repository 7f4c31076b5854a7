"""Move the nose tip, or what was chosen instead, to the center of each disk."""

from shapedp import artifacts
from shapedp.cohorts import batches
from shapedp.runs.logs import logged
from shapedp.surfaces import centers, mobius


def recenter_disks(disk_maps_path, meshes_path, output_path, center, marked):
    """One centered disk a disk map; center, marked : as for `recentering`."""
    sources = [(disk_maps_path, artifacts.DISK_MAP), (meshes_path, artifacts.MESH)]
    step = recentering(center, marked)
    batches.transform(sources, output_path, artifacts.DISK, "recenter_disks", step, {"center": center})


def recentering(center, marked):
    """The step of one face: (disk map, mesh) -> fields of its disk.

    center : as in the settings; marked : {id: (x, y, z)} the nose tips that somebody marked
    """

    def recenter(disk, mesh):
        vertices, triangles, z = mesh["vertices"], mesh["triangles"], disk["z"]
        found = centers.find(vertices, triangles, center, marked.get(mesh.name))
        return {
            "z": mobius.centered(z, triangles, found.vertex),
            "nose_tip": found.vertex,
            "nose_method": found.method,
            "nose_confidence": found.confidence,
            "nose_moved": abs(z[found.vertex]),
            "nose_notice": found.notice,
        }

    return recenter


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        recenter_disks(
            snakemake.input.disk_maps,
            snakemake.input.meshes,
            snakemake.output.disks,
            snakemake.params.center,
            snakemake.params.marked,
        )
