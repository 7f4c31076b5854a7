"""Move the nose tip to the centre of each disk."""

from shapedp import artifacts, batches
from shapedp.logs import logged
from shapedp.surfaces import mobius


def recentre_disks(disk_maps_path, output_path):
    """One centred disk a disk map."""
    batches.transform(disk_maps_path, artifacts.DISK_MAP, output_path, artifacts.DISK, "recentre_disks", _recentre)


def _recentre(face):
    z, nose_tip = face["z"], face["nose_tip"]
    return {
        "vertices": face["vertices"],
        "triangles": face["triangles"],
        "nose_tip": nose_tip,
        "z": mobius.recentre(z, z[nose_tip]),
    }


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        recentre_disks(snakemake.input.disk_maps, snakemake.output.disks)
