"""Take a batch through the chain again, from its scans, and compare what was kept with what comes out."""

from pathlib import Path
from tempfile import TemporaryDirectory

from shapedp.chain import step
from shapedp.chain.step import Given, Scan
from shapedp.chain.steps import STEPS
from shapedp.runs import verification
from shapedp.runs.logs import logged
from shapedp.storage import files


def verify_batch(kept, samples, template_path, table_path, settings):
    """kept : paths of <folder>/<batch>.h5; samples : (id, path, nose tip or None); settings : of the chain"""
    kinds = {one.makes: one.kind for one in STEPS}
    scans, given = [Scan(*one) for one in samples], Given(settings, template_path)
    with TemporaryDirectory() as folder:
        again = {Path(path).parent.name: Path(folder) / Path(path).parent.name / Path(path).name for path in kept}
        for _ in step.write_all(again, scans, STEPS, given, step.label("verify_batch", table_path)):
            pass
        names = {path: Path(path).parent.name for path in kept}
        findings = [verification.compare(path, again[name], kinds[name]) for path, name in names.items()]
    files.write_text(table_path, "".join(f"{one.row}\n" for one in findings))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        verify_batch(
            snakemake.input.kept,
            snakemake.params.samples,
            snakemake.input.template,
            snakemake.output.table,
            snakemake.params.settings,
        )
