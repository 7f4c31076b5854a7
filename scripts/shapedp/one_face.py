"""One face of a cohort: what the artifacts and the quality table say of it, and its picture at every step."""

import csv
import difflib
from pathlib import Path
from statistics import median

from shapedp import artifacts, scans
from shapedp.errors import ArtifactError, ConfigError, Rejected
from shapedp.figures import inspection
from shapedp.surfaces import curves

NOTICES = "notices", "nose_notice"
SHOWN = 12, 120  # curves and samples a curve in the picture


def lines(name, cohort_folder):
    """Lines that tell whether a face was accepted, or why not, and its figures beside those of the cohort."""
    rows = _quality(cohort_folder)
    row = rows.get(name)
    if row is None:
        near = difflib.get_close_matches(name, rows, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise ConfigError(f"inspect: no face '{name}' in {Path(cohort_folder) / 'quality.tsv'}{hint}")
    if row["status"] == "ok":
        yield f"{name}: accepted"
    else:
        yield f"{name}: rejected in {row['stage']} ({row['code']}): {row['reason']}"
        yield "it counts as the public reference; to use the scan, mend it or mark its nose tip in the sample sheet"
    yield f"{'figure':22s} {'this face':>12s} {'median':>12s} {'below it':>9s}  unit, meaning"
    fields = {field: step.kind.fields[field] for step in artifacts.FACE_STEPS for field in step.numbers}
    for field, value in row.items():
        if field in fields and value and field not in NOTICES:
            others = [float(one[field]) for one in rows.values() if one[field] and _is_number(value)]
            yield _figure(field, value, others, fields[field])
    sentences = [sentence for field in NOTICES for sentence in row.get(field, "").split("; ")]
    yield from (f"notice: {sentence}" for sentence in sentences if sentence)


def _figure(field, value, others, declared):
    """A figure of the face, the cohort's median, and the share of the cohort that lies below."""
    words = f"{declared.unit}; {declared.meaning}" if declared.unit else declared.meaning
    if not others:
        return f"{field:22s} {value:>12s} {'':12s} {'':9s}  {words}"
    below = sum(one < float(value) for one in others) / len(others)
    return f"{field:22s} {float(value):12.6g} {median(others):12.6g} {below:9.0%}  {words}"


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def listed(cohort_folder):
    """One row a face, rejected ones first: {id, status, code, reason}."""
    rows = sorted(_quality(cohort_folder).values(), key=lambda row: row["status"] != "rejected")
    return [{key: row[key] for key in ("id", "status", "code", "reason")} for row in rows]


def _quality(cohort_folder):
    path = Path(cohort_folder) / "quality.tsv"
    if not path.is_file():
        raise ArtifactError(f"{path}: no such file; run snakemake first")
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["id"]: row for row in csv.DictReader(stream, delimiter="\t")}


def batch_files(name, cohort_folder):
    """The artifacts of the batch that holds a face, one of each inspected step."""
    folder = Path(cohort_folder)
    first = artifacts.INSPECTED[0]
    for path in sorted((folder / first.folder).glob("*.h5")):
        if any(record.name == name for record in artifacts.records(path, first.kind)):
            return [folder / step.folder / path.name for step in artifacts.INSPECTED]
    raise ArtifactError(f"{folder / first.folder}: no batch holds '{name}'; run snakemake first")


def picture(name, scan_path, paths):
    """A Figure of the face at every step, or of what was read of it and why it was rejected.

    paths : of the inspected steps
    """
    try:
        points = scans.read(scan_path).points
    except Rejected:
        points = None
    found = [_record(path, step.kind, name) for path, step in zip(paths, artifacts.INSPECTED, strict=True)]
    refused = next((one for one in found if isinstance(one, str)), None)
    if refused:
        return inspection.rejected(name, points, refused)
    mesh, disk, surface, registered = found
    return inspection.sheet(
        name,
        _turned(points, registered),
        (_turned(mesh["vertices"], registered), mesh["triangles"]),
        disk["nose_tip"],
        disk["z"],
        _radial(surface["f"] @ registered["rotation"].T),
        _radial(registered["f"]),
        _words(mesh, disk, registered),
    )


def _record(path, kind, name):
    """The fields of one face, or the reason why it has none."""
    with artifacts.reader(path, kind) as source:
        record = next(one for one in source if one.name == name)
        if record.rejected:
            return f"Rejected in {record.stage} ({record.code}): {record.reason}"
        return {field: record[field] for field in kind.fields}


def _turned(points, registered):
    """Points about their middle, turned as the template stands."""
    return (points - points.mean(axis=0)) @ registered["rotation"].T


def _radial(f):
    radii = curves.spread(f, SHOWN[0], "arc")
    return curves.extract(f, radii, SHOWN[1]), radii


def _words(mesh, disk, registered):
    kept = f"{mesh['points_kept']} of {mesh['points_read']} points kept"
    holes = f"{mesh['holes_filled']} holes closed, the largest {mesh['largest_hole']:.1%} of the area"
    nose = f"nose {disk['nose_method']}, confidence {disk['nose_confidence']:.2f}"
    notices = " ".join(words for words in (mesh["notices"], disk["nose_notice"]) if words)
    energy = f"{registered['energy_rotation_only']:.3g} before, {registered['energy_after']:.3g} after"
    least = f"least Jacobian {registered['min_jacobian']:.2f}"
    return f"{kept}; {holes}; {nose}; energy to the template {energy}, {least}. {notices} Private."
