"""Map each mesh conformally to the unit disk."""

from shapedp import artifacts
from shapedp.cohorts import batches
from shapedp.runs.logs import logged
from shapedp.surfaces import conformal, distortion


def map_disks(meshes_path, output_path):
    """One disk map a mesh."""
    batches.transform([(meshes_path, artifacts.MESH)], output_path, artifacts.DISK_MAP, "map_disks", map_disk)


def map_disk(face):
    """The fields of one disk map."""
    vertices, triangles = face["vertices"], face["triangles"]
    z = conformal.disk_map(vertices, triangles)
    change = abs(distortion.angle_changes(vertices, triangles, z))
    return {
        "z": z,
        "angle_change_mean": change.mean(),
        "angle_change_max": change.max(),
        "flips": distortion.flipped(z, triangles).sum(),
    }


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        map_disks(snakemake.input.meshes, snakemake.output.disk_maps)
