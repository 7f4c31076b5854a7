"""Make artifacts again and compare them with those in use; then collect what was found, and fail in words."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from shapedp import artifacts
from shapedp.chain import cohort, step
from shapedp.chain.step import Given, Scan
from shapedp.chain.steps import STEPS
from shapedp.errors import ArtifactError
from shapedp.runs import verification
from shapedp.runs.logs import log, logged
from shapedp.storage import files

SHOWN = 5  # faulty artifacts that the message lists


def verify_batch(kept, samples, template_path, table_path, settings):
    """Take a batch through the chain again, from its scans, and compare what was kept with what comes out.

    kept : paths of <folder>/<batch>.h5; samples : (id, path, nose tip or None); settings : of the chain
    """
    kinds = {one.makes: one.kind for one in STEPS}
    scans, given = [Scan(*one) for one in samples], Given(settings, template_path)
    with TemporaryDirectory() as folder:
        again = {Path(path).parent.name: Path(folder) / Path(path).parent.name / Path(path).name for path in kept}
        for _ in step.write_all(again, scans, STEPS, given, step.label("verify_batch", table_path)):
            pass
        names = {path: Path(path).parent.name for path in kept}
        findings = [verification.compare(path, again[name], kinds[name]) for path, name in names.items()]
    _write(findings, table_path)


def verify_shared(template_path, scan_path, stacks, bounds, variations, table_path, faces, of_the_cohort):
    """Make the template, the cohorts' curves, the bounds and the variation again and compare them with those in use.

    stacks : (path, paths of the batches, samples as for stack_curves) of each
    bounds : (path, path of the curves, source, reference) of each; variations : (path, path of the curves, source, how
    many public people are own ones) of each; faces : the settings of the template, the bounds and the variation
    """
    shaping, bounding, learning = faces["template"], faces["bounds"], faces["variation"]
    template = partial(cohort.prepare_template, scan_path, faces=shaping, of_the_cohort=of_the_cohort)
    shared = [(template_path, artifacts.TEMPLATE, template)]
    for path, batches, samples in stacks:
        shared.append((path, artifacts.CURVES, partial(cohort.stack_curves, batches, template_path, samples=samples)))
    for path, curves, *of_whom in bounds:
        asked = dict(zip(("settings", "source", "reference"), (bounding, *of_whom), strict=True))
        shared.append((path, artifacts.BOUNDS, partial(cohort.bound_curves, curves, template_path, **asked)))
    for path, curves, *of_whom in variations:
        asked = dict(zip(("settings", "source", "own"), (learning, *of_whom), strict=True))
        shared.append((path, artifacts.VARIATION, partial(cohort.learn_variation, curves, template_path, **asked)))
    findings = []
    with TemporaryDirectory() as folder:
        for path, kind, make in shared:
            again = Path(folder) / Path(path).name
            make(output_path=again)
            findings.append(verification.compare(path, again, kind))
    _write(findings, table_path)


def _write(findings, table_path):
    files.write_text(table_path, "".join(f"{one.row}\n" for one in findings))


def verify(part_paths, table_path):
    """Collect all findings in one table, which is written before anything is complained about.

    The parts go, so that the next run looks again.
    """
    rows = [line for path in part_paths for line in Path(path).read_text(encoding="utf-8").splitlines()]
    files.write_text(table_path, "\n".join(["\t".join(verification.COLUMNS), *rows]) + "\n")
    for path in part_paths:
        Path(path).unlink()
    bad = [row.split("\t") for row in rows if row.split("\t")[1] not in verification.GOOD]
    log.info("%d artifacts compared, %d at fault", len(rows), len(bad))
    if bad:
        shown = "; ".join(f"{name} {status}: {words}" for name, status, _, words in bad[:SHOWN])
        raise ArtifactError(
            f"{len(bad)} of {len(rows)} artifacts are not what their inputs give, see {table_path}: {shown}. "
            "Delete them and run snakemake again; if they differ once more, please report it"
        )


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        given, asked = snakemake.input, snakemake.params
        match asked.step:
            case "verify_batch":
                verify_batch(given.kept, asked.samples, given.template, snakemake.output.table, asked.settings)
            case "verify_shared":
                of_whom = given.template, given.get("scan") or None, asked.stacks, asked.bounds, asked.variation
                verify_shared(*of_whom, snakemake.output.table, asked.faces, asked.of_the_cohort)
            case "verify":
                verify(given.parts, asked.table)
