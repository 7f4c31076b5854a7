"""Take a batch through the chain again, from its scans, and compare what was kept with what comes out."""

from pathlib import Path
from tempfile import TemporaryDirectory

from extract_curves import extract_curves
from map_disks import map_disks
from mesh_faces import mesh_faces
from recenter_disks import recenter_disks
from register_surfaces import register_surfaces
from sample_surfaces import sample_surfaces
from shapedp import artifacts
from shapedp.runs import verification
from shapedp.runs.logs import logged
from shapedp.storage import files

KINDS = {step.folder: step.kind for step in artifacts.FACE_STEPS}


def verify_batch(kept, samples, template_path, table_path, settings, learned_path=None):
    """kept : paths of <kind>/<batch>.h5; samples : (id, path, nose tip or None) of each face

    settings : center, mesh, surface, registration, gates
    """
    with TemporaryDirectory() as folder:
        made = make_all(Path(folder), f"{Path(table_path).stem}.h5", samples, template_path, settings, learned_path)
        kinds = {path: Path(path).parent.name for path in kept}
        found = [verification.compare(path, made[kind], KINDS[kind]) for path, kind in kinds.items()]
    files.write_text(table_path, "".join(f"{one.row}\n" for one in found))


def make_all(folder, file, samples, template_path, settings, learned_path=None):
    """Make all artifacts of a batch in a folder, step by step: {folder of the step: path}."""
    made = {step.folder: folder / step.folder / file for step in artifacts.FACE_STEPS}
    mesh_faces([(name, path) for name, path, _ in samples], made["mesh"], settings["mesh"])
    map_disks(made["mesh"], made["disk_map"])
    marked = {name: nose for name, _, nose in samples if nose is not None}
    recenter_disks(made["disk_map"], made["mesh"], made["disk"], settings["center"], marked)
    sample_surfaces(made["disk"], made["mesh"], made["surface"], **settings["surface"])
    sources = [made["surface"], made["disk"], made["mesh"]]
    limits = settings["gates"]
    register_surfaces(sources, template_path, made["registered"], settings["registration"], limits, learned_path)
    extract_curves(made["registered"], template_path, made["curves"])
    return made


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        verify_batch(
            snakemake.input.kept,
            snakemake.params.samples,
            snakemake.input.template,
            snakemake.output.table,
            snakemake.params.settings,
            snakemake.input.learned or None,
        )
