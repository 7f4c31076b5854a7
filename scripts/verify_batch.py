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

KINDS = {
    "mesh": artifacts.MESH,
    "disk_map": artifacts.DISK_MAP,
    "disk": artifacts.DISK,
    "surface": artifacts.SURFACE,
    "registered": artifacts.REGISTERED,
    "curves": artifacts.FACE_CURVES,
}


def verify_batch(kept, samples, template_path, table_path, settings):
    """kept : paths of <kind>/<batch>.h5; samples : as for mesh_faces; settings : center, mesh, surface, registration"""
    with TemporaryDirectory() as folder:
        made = chain(Path(folder), f"{Path(table_path).stem}.h5", samples, template_path, settings)
        kinds = {path: Path(path).parent.name for path in kept}
        found = [verification.compare(path, made[kind], KINDS[kind]) for path, kind in kinds.items()]
    files.write_text(table_path, "".join(f"{one.row}\n" for one in found))


def chain(folder, file, samples, template_path, settings):
    """Make all artifacts of a batch in a folder; {kind: path}."""
    made = {kind: folder / kind / file for kind in KINDS}
    mesh_faces(samples, made["mesh"], settings["center"], settings["mesh"])
    map_disks(made["mesh"], made["disk_map"])
    recenter_disks(made["disk_map"], made["disk"])
    sample_surfaces(made["disk"], made["surface"], **settings["surface"])
    register_surfaces(made["surface"], template_path, made["registered"], settings["registration"])
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
        )
