"""Take a batch through the chain again, from its scans, and compare what was kept with what comes out."""

from pathlib import Path
from tempfile import TemporaryDirectory

from make_curves import chain
from shapedp import artifacts
from shapedp.runs import verification
from shapedp.runs.logs import logged
from shapedp.storage import files

KINDS = {step.folder: step.kind for step in artifacts.FACE_STEPS}


def verify_batch(kept, samples, template_path, table_path, settings):
    """kept : paths of <kind>/<batch>.h5; samples : (id, path, nose tip or None) of each face

    settings : center, mesh, surface, registration, gates
    """
    with TemporaryDirectory() as folder:
        made = chain(Path(folder), f"{Path(table_path).stem}.h5", samples, template_path, settings)
        kinds = {path: Path(path).parent.name for path in kept}
        found = [verification.compare(path, made[kind], KINDS[kind]) for path, kind in kinds.items()]
    files.write_text(table_path, "".join(f"{one.row}\n" for one in found))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        verify_batch(
            snakemake.input.kept,
            snakemake.params.samples,
            snakemake.input.template,
            snakemake.output.table,
            snakemake.params.settings,
        )
