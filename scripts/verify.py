"""Make artifacts again and compare them with those in use; then collect what was found, and fail in words.

With the same versions on the same kind of processor every byte must agree. Otherwise sums are rounded differently, so
numbers may differ by TOLERANCE of a field's largest; a triangulation may then choose another diagonal, so of meshes and
disk maps only those with the same triangles are compared, and the surfaces decide.
"""

from dataclasses import dataclass
from itertools import starmap
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError
from shapedp.base.runs.logs import log, logged
from shapedp.base.storage import files
from shapedp.surfaces.chain import cohort, differences, step
from shapedp.surfaces.chain.step import ChainSettings, Scan
from shapedp.surfaces.chain.steps import STEPS

COLUMNS = ("artifact", "status", "largest_difference", "words")
GOOD = ("identical", "within tolerance", "not comparable")
# A share of a field's largest value; workflow/report/scale.md has the largest seen between BLAS kernels.
TOLERANCE = 1e-6
TRIANGULATED = ("mesh", "disk_map", "disk")
SHOWN = 5  # faulty artifacts that the message lists


def verify_batch(kept_paths, samples, template_path, table_path, settings):
    """Take a batch through the chain again, and find whether what a run kept can be made again, byte for byte.

    kept_paths : paths of <folder>/<batch>.h5; samples : (id, path, nose tip or None); settings : of the chain
    """
    kinds = {sample.makes: sample.kind for sample in STEPS}
    scans, chain_settings = list(starmap(Scan, samples)), ChainSettings(settings, template_path)
    with TemporaryDirectory() as folder:
        remade = {Path(path).parent.name: Path(folder) / f"{Path(path).parent.name}.h5" for path in kept_paths}
        for _ in step.write_all(remade, scans, STEPS, chain_settings, step.name_job("verify_batch", table_path)):
            pass
        findings = [compare(path, remade[name], kinds[name]) for name, path in zip(remade, kept_paths, strict=True)]
    _write_findings(findings, table_path)


def verify_shared(template_path, scan_path, listed_artifacts, table_path, faces, of_the_cohort, specimens):
    """Make again what the faces of a cohort share, and releases' own rows, and find whether it is as a run kept it.

    listed_artifacts : what to make by its sort, each with its path first: stacks (path, paths of the batches, samples
    as for stack_curves), bounds (path, path of the curves, source, reference), variation (path, path of the curves,
    source, how many public people are own ones), rows (path, paths of the batches, samples, entry of `releases`),
    learned (the same with the source in words)
    faces : the settings of the template, the bounds and the variation
    specimens : as of `cohort.prepare_template`
    """
    shaping = faces["template"], of_the_cohort, specimens
    kind = cohort.find_template_kind(faces["template"], specimens)
    shared = [(kind, cohort.prepare_template, template_path, (scan_path,), shaping)]
    for path, batches, samples in listed_artifacts["stacks"]:
        shared.append((artifacts.CURVES, cohort.stack_curves, path, (batches, template_path), (samples,)))
    for path, curves, *own_arguments in listed_artifacts["bounds"]:
        arguments = faces["bounds"], *own_arguments
        shared.append((artifacts.BOUNDS, cohort.bound_curves, path, (curves, template_path), arguments))
    for path, curves, *own_arguments in listed_artifacts["variation"]:
        arguments = faces["variation"], *own_arguments
        shared.append((artifacts.VARIATION, cohort.learn_variation, path, (curves, template_path), arguments))
    for path, batches, *own_arguments in listed_artifacts["rows"]:
        shared.append((artifacts.CURVES, differences.stack_rows, path, (batches, template_path), own_arguments))
    for path, batches, samples, entry, source in listed_artifacts["learned"]:
        arguments = samples, entry, faces["variation"], source
        shared.append((artifacts.VARIATION, differences.learn_rows, path, (batches, template_path), arguments))
    findings = []
    with TemporaryDirectory() as folder:
        for kind, make, path, sources, arguments in shared:
            remade = Path(folder) / Path(path).name
            make(*sources, remade, *arguments)
            findings.append(compare(path, remade, kind))
    _write_findings(findings, table_path)


def _write_findings(findings, table_path):
    """Write what was found of artifacts made again: one row an artifact, its status, how much differs."""
    files.write_table(
        table_path,
        ([finding.artifact, finding.status, f"{finding.difference:.3g}", finding.words] for finding in findings),
    )


def verify(part_paths, table_path):
    """Collect all findings in one table, and fail in words where an artifact could not be made again.

    The parts are removed, so that the next run looks again.
    """
    rows = [line for path in part_paths for line in Path(path).read_text(encoding="utf-8").splitlines()]
    files.write_text(table_path, "\n".join(["\t".join(COLUMNS), *rows]) + "\n")
    for path in part_paths:
        Path(path).unlink()
    bad = [row.split("\t") for row in rows if row.split("\t")[1] not in GOOD]
    log.info("%d artifacts compared, %d at fault", len(rows), len(bad))
    if bad:
        shown = "; ".join(f"{name} {status}: {words}" for name, status, _, words in bad[:SHOWN])
        raise ArtifactError(
            f"{len(bad)} of {len(rows)} artifacts are not what their inputs give, see {table_path}: {shown}. "
            "Delete them and run snakemake again; if they differ once more, please report it"
        )


@dataclass(frozen=True)
class Finding:
    """What the comparison of one artifact found; `difference` is relative to the largest value of the field."""

    artifact: str
    status: str
    difference: float = 0.0
    words: str = ""


def compare(kept, remade, kind):
    """Return the Finding on a kept artifact and the one made again from the same inputs: whether they agree."""
    try:
        artifacts.check(kept, kind)
        if Path(kept).read_bytes() == Path(remade).read_bytes():
            return Finding(str(kept), "identical")
        with artifacts.reader(kept, kind) as old, artifacts.reader(remade, kind) as new:
            return Finding(str(kept), *_judge(old, new))
    except ArtifactError as error:
        return Finding(str(kept), "damaged", np.inf, " ".join(str(error).split()))


def _judge(old, new):
    """Return (status, difference, words) of an artifact made again with other bytes: an error, or other software."""
    if old.provenance["settings"] != new.provenance["settings"]:
        return "differs", np.inf, "made with other settings; run snakemake again"
    before, after = old.provenance.get("made_with", {}), new.provenance["made_with"]
    changed = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
    difference, where = max(_compare_fields(old, new), default=(0.0, "provenance"))
    if not changed:
        return "differs", difference, f"{where}, though versions and processor are the same"
    software = ", ".join(f"{key} {before.get(key)} -> {after.get(key)}" for key in changed)
    if difference <= TOLERANCE:
        return "within tolerance", difference, f"other software ({software})"
    if old.kind.name in TRIANGULATED and difference == np.inf:
        return "not comparable", difference, f"{where}; other software ({software})"
    return "differs", difference, f"{where}, more than other software explains ({software})"


def _compare_fields(old, new):
    """Yield (relative difference, where) of each field of two artifacts; infinite where values cannot be compared."""
    if not old.kind.records:
        yield from _compare_record(old.kind, old, new, "")
        return
    before, after = ({record.name: record for record in source} for source in (old, new))
    for name in sorted(before.keys() ^ after.keys()):
        yield np.inf, f"record '{name}' is in one of them only"
    for name in sorted(before.keys() & after.keys()):
        if before[name].rejected or after[name].rejected:
            if (before[name].code, before[name].reason) != (after[name].code, after[name].reason):
                yield np.inf, f"record '{name}' was rejected otherwise"
        else:
            yield from _compare_record(old.kind, before[name], after[name], f" of '{name}'")


def _compare_record(kind, before, after, whose):
    """Yield (relative difference, where) of each field of one record that was made again beside the kept one."""
    for field, declared in kind.fields.items():
        a, b, where = np.asarray(before[field]), np.asarray(after[field]), f"field '{field}'{whose}"
        numbers = declared.dtype[0] in "fc" and a.shape == b.shape
        difference = np.inf
        if np.array_equal(a, b, equal_nan=numbers):
            difference = 0.0
        elif numbers and np.isfinite(apart := np.max(np.abs(a - b))) and np.any(a):
            difference = float(apart / np.max(np.abs(a)))
        if numbers or difference:
            yield difference, where


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inputs, params = snakemake.input, snakemake.params
        match params.step:
            case "verify_batch":
                verify_batch(inputs.kept, params.samples, inputs.template, snakemake.output.table, params.settings)
            case "verify_shared":
                verify_shared(
                    inputs.template,
                    inputs.get("scan") or None,
                    listed_artifacts=params.made,
                    table_path=snakemake.output.table,
                    faces=params.faces,
                    of_the_cohort=params.of_the_cohort,
                    specimens=params.specimens,
                )
            case "verify":
                verify(inputs.parts, params.table)
