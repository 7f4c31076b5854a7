"""Draw one face at every step, for a person to judge; or what was read of it, and why it was rejected."""

from shapedp import one_face
from shapedp.figures import style
from shapedp.runs.logs import logged


def inspect_face(name, scan_path, paths, picture_path):
    """paths : (mesh, disk, surface, registered) artifacts of the face's batch"""
    style.save(one_face.picture(name, scan_path, paths), picture_path, ("png",))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inspect_face(snakemake.wildcards.id, snakemake.params.scan, snakemake.input.steps, snakemake.output.picture)
