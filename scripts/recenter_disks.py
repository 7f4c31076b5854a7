"""Move the nose tip to the center of each disk."""

from shapedp import artifacts
from shapedp.cohorts import batches
from shapedp.runs.logs import logged
from shapedp.surfaces import mobius


def recenter_disks(disk_maps_path, output_path):
    """One centered disk a disk map."""
    batches.transform(disk_maps_path, artifacts.DISK_MAP, output_path, artifacts.DISK, "recenter_disks", _recenter)


def _recenter(face):
    z, nose_tip = face["z"], face["nose_tip"]
    return {
        "vertices": face["vertices"],
        "triangles": face["triangles"],
        "nose_tip": nose_tip,
        "z": mobius.recenter(z, z[nose_tip]),
    }


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        recenter_disks(snakemake.input.disk_maps, snakemake.output.disks)
