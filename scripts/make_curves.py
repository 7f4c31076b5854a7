"""Take a batch from its scans to its curves in one process; the artifacts between live in a folder that goes."""

import shutil
from pathlib import Path

from extract_curves import extract_curves
from map_disks import map_disks
from measure_quality import measure_quality
from mesh_faces import mesh_faces
from recenter_disks import recenter_disks
from register_surfaces import register_surfaces
from sample_surfaces import sample_surfaces
from shapedp import artifacts
from shapedp.runs.logs import logged


def make_curves(samples, template_path, curves_path, table_path, settings):
    """Write what the steps one by one would write, bit for bit: the curves of a batch and its quality table.

    samples, settings : as for `chain`; the passing folder is private like the curves, and emptied by the next attempt
    """
    curves_path = Path(curves_path)
    passing = curves_path.parents[2] / "passing" / curves_path.parents[1].name / curves_path.stem
    shutil.rmtree(passing, ignore_errors=True)
    try:
        folder = passing / curves_path.parents[1].name  # as the folder of the cohort, which the progress names
        made = chain(folder, curves_path.name, samples, template_path, settings, curves_path)
        measure_quality([made[step.folder] for step in artifacts.FACE_STEPS[:-1]], table_path)
    finally:
        shutil.rmtree(passing, ignore_errors=True)


def chain(folder, file, samples, template_path, settings, curves_path=None):
    """Make all artifacts of a batch in a folder, the curves perhaps elsewhere; {folder of the step: path}.

    samples : (id, path, nose tip or None) of each face; settings : center, mesh, surface, registration, gates
    """
    made = {step.folder: folder / step.folder / file for step in artifacts.FACE_STEPS}
    made["curves"] = curves_path or made["curves"]
    mesh_faces([(name, path) for name, path, _ in samples], made["mesh"], settings["mesh"])
    map_disks(made["mesh"], made["disk_map"])
    marked = {name: nose for name, _, nose in samples if nose is not None}
    recenter_disks(made["disk_map"], made["mesh"], made["disk"], settings["center"], marked)
    sample_surfaces(made["disk"], made["mesh"], made["surface"], **settings["surface"])
    sources = [made["surface"], made["disk"], made["mesh"]]
    register_surfaces(sources, template_path, made["registered"], settings["registration"], settings["gates"])
    extract_curves(made["registered"], template_path, made["curves"])
    return made


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        make_curves(
            snakemake.params.samples,
            snakemake.input.template,
            snakemake.output.curves,
            snakemake.output.table,
            snakemake.params.settings,
        )
