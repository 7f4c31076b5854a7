"""What is kept of a cohort's faces whatever else goes: a table of status, reasons and numbers, and a look of each scan.

A look is what a review page shows, in under 30 kB: points, surface, figures, words. The artifacts of the steps are too
large to keep for the hundreds of faces that a person looks at.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.artifacts import LOOK
from shapedp.base.errors import ArtifactError, ConfigError, MachineError, suggest_nearest
from shapedp.base.settings.subjects import FACES, Subject
from shapedp.base.storage import files
from shapedp.surfaces.chain.step import MIRROR, FaceRecord, Refusal, Scan
from shapedp.surfaces.chain.steps import STEPS
from shapedp.surfaces.subjects.words import say_how_to_mark

# The steps where a face's numbers come from: curves have none and reject nobody.
MEASURED = STEPS[:-1]
COLUMNS = [name for step in MEASURED for name in step.numbers]
HEADER = ["id", "status", "stage", "code", "reason", *COLUMNS]
NOTICES = "notices", "nose_notice", "expression_notice", "registration_notice"


def make_row(face: FaceRecord) -> list[str]:
    """Return a face's row of the table of quality, `quality.tsv`: accepted or why not, and its numbers as far as it
    came.

    Curves have no numbers and reject nobody.
    """
    refusal = face.refusal if face.refusal and face.refusal.stage != STEPS[-1].name else None
    words = ["rejected", refusal.stage, refusal.code, refusal.reason] if refusal else ["ok", "", "", ""]
    values = {
        name: face.records[step.makes][name] for step in MEASURED if step.makes in face.records for name in step.numbers
    }
    # A 0 means that neither a public model nor anything filled in says it, and an empty cell says so.
    if not values.get("expected_mm"):
        values["expected_mm"] = ""
    return [face.scan.name, *words, *(format_cell(values.get(column, "")) for column in COLUMNS)]


def format_cell(value) -> str:
    """Return a value as one cell: numbers to six digits, texts on one line, cut to length."""
    return f"{value:.6g}" if isinstance(value, float) else artifacts.make_printable(str(value).replace("\n", "; "))


def read_batch(paths: Mapping[str, Path | str], scans: Iterable[Scan]) -> Iterator[FaceRecord]:
    """Yield the FaceRecords of a batch from its artifacts, as far as each face came, for its looks and the table of
    quality.

    Parameters
    ----------
    paths : mapping
        {folder: path} of the MEASURED steps.
    scans : iterable of Scan
        Of the batch.
    """
    scan_of = {scan.name: scan for scan in scans}
    sources = [artifacts.records(paths[step.makes], step.kind) for step in MEASURED]
    for records in zip(*sources, strict=True):
        last = records[-1]
        refusal = Refusal(last.stage, last.code, last.reason) if last.rejected else None
        sound = {step.makes: record for step, record in zip(MEASURED, records, strict=True) if not record.rejected}
        yield FaceRecord(scan_of[last.name], sound, refusal)


# How the names of figures begin that faces alone have.
OF_FACES = ("search", "expected_mm", "error_", "nose_distance", "jaw_", "smile_", "expression_", "tilt_")


def describe_scan(name: str, cohort_folder: Path | str, shown: Subject = FACES) -> Iterator[str]:
    """Yield lines for a data owner on one face: whether it was accepted, or why not, and its figures beside the
    cohort's.

    Parameters
    ----------
    name : str
        Of its scan.
    cohort_folder : path
        Where the cohort's table lies.
    shown : Subject
        What scans show: figures that faces alone have are left out of another subject's.
    """
    rows = read(cohort_folder)
    own_row = rows.get(name)
    if own_row is None:
        raise ConfigError(
            f"inspect: no face '{name}' in {Path(cohort_folder) / 'quality.tsv'}{suggest_nearest(name, rows)}; all are "
            "listed by `shapedp inspect` without a name"
        )
    if own_row["status"] == "ok":
        yield f"{name}: accepted"
    else:
        yield f"{name}: rejected in {own_row['stage']} ({own_row['code']}): {own_row['reason']}"
        yield f"it counts as the public reference; to use the scan, correct it{say_how_to_mark(shown)}"
    fields = {field: step.kind.fields[field] for step in STEPS for field in step.numbers}
    figures = {field: value for field, value in own_row.items() if field in fields and value and field not in NOTICES}
    if not shown.is_face:
        figures = {field: value for field, value in figures.items() if not field.startswith(OF_FACES)}
    if figures:
        yield f"{'figure':22s} {'this face':>12s} {'median':>12s} {'below it':>9s}  unit, meaning"
        for field, value in figures.items():
            declared = fields[field]
            words = f"{declared.unit}; {declared.meaning}" if declared.unit else declared.meaning
            try:
                others = [float(other[field]) for other in rows.values() if other[field]]
            except ValueError:  # a word
                yield f"{field:22s} {value:>12s} {'':12s} {'':9s}  {words}"
                continue
            below = sum(other < float(value) for other in others) / len(others)
            yield f"{field:22s} {float(value):12.6g} {median(others):12.6g} {below:9.0%}  {words}"
    sentences = [sentence for field in NOTICES for sentence in (own_row.get(field) or "").split("; ")]
    yield from (f"notice: {sentence}" for sentence in sentences if sentence)


def list_rows(cohort_folder: Path | str) -> list[dict]:
    """Return one row a face, rejected ones first: {id, status, code, reason}."""
    rows = sorted(read(cohort_folder).values(), key=lambda row: row["status"] != "rejected")
    return [{key: row[key] for key in ("id", "status", "code", "reason")} for row in rows]


def read(cohort_folder: Path | str) -> dict[str, dict]:
    """Return {id: row} of a cohort's table of quality; raise where a run has not written it."""
    path = Path(cohort_folder) / "quality.tsv"
    if not path.is_file():
        of_shapes = path.parents[1] / "shapes" / path.name
        no_faces = f"this run was of landmarks alone: {of_shapes}, and review.html beside it, tell of each record"
        raise ArtifactError(f"{path}: no such file; {no_faces if of_shapes.is_file() else 'run snakemake first'}")
    return {row["id"]: row for row in files.read_table(path)}


# Points of a look, at most: of the mesh, or of the scan where it has none. A look is what is kept of each of hundreds
# of faces.
POINTS = 2000
# Multipliers that make one number of a cell's numbers along x, y and z.
CELLS = np.array([1 << 40, 1 << 20, 1])
# By the means of so many sectors of a surface few others are taken for like it; of these at most NEAREST are told.
SECTORS, NEAREST = 16, 8
# The points of a look are chosen from so many: of all it would take longer than a page is worth.
ENOUGH = 8000
# Cells grow by this factor until there are no more of them than POINTS.
COARSER = 1.1
# int16 steps from the middle to the farthest point; for the surface, of the square root of its area.
GRID_STEPS = 20_000


def write_looks(faces: Iterable[FaceRecord], look_path: Path | str, table_path: Path | str) -> None:
    """Write the look of each face of a batch, which the review page shows, and its row in the table of quality.

    Parameters
    ----------
    faces : iterable of FaceRecord
    look_path, table_path : path
    """
    rows = [HEADER]
    with artifacts.writer(look_path, LOOK) as out:
        for face in faces:
            out.write(face.scan.name, **make_look(face))
            rows.append(make_row(face))
    files.write_table(table_path, rows)


def make_look(face: FaceRecord) -> dict:
    """Return the fields of a face's look: few points, surface, figures and words, for a person who reviews the cohort's
    scans.

    It is turned as the template stands, where the face was registered.
    """
    from shapedp.surfaces import polar

    mesh, disk, surface, registered = (face.records.get(name) for name in ("mesh", "disk", "surface", "registered"))
    points = mesh["vertices"] if mesh else _read_unmeshed_points(face.scan.path)
    middle = points.mean(axis=0) if len(points) else np.zeros(3)
    size = float(np.linalg.norm(points - middle, axis=1).max(initial=0.0)) or 1.0
    turn = registered["rotation"] if registered else np.eye(3)
    tip = mesh["vertices"][[disk["nose_tip"]]] if disk else np.empty((0, 3))
    mirror = np.array(MIRROR if face.scan.mirrored and mesh else (1, 1, 1))
    notice_fields = tuple(zip((mesh, disk, registered, registered), NOTICES, strict=True))
    notices = [record[name] for record, name in notice_fields if record]
    refusal = face.refusal
    return {
        "unit": size / GRID_STEPS,
        "middle": middle * mirror,
        "axes": turn * mirror,
        "points": _to_steps((choose_points(points) - middle) @ turn.T, size),
        "nose": _to_steps((tip - middle) @ turn.T, size),
        "surface": _to_steps(polar.decimate((registered or surface)["f"] if surface else np.empty((0, 0, 3))), 1.0),
        "energy": registered["energy_after"] if registered else np.nan,
        "confidence": disk["nose_confidence"] if disk else np.nan,
        "turned": int(registered is not None),
        "notices": "\n".join(words for words in notices if words),
        "reason": f"{refusal.stage} ({refusal.code}): {refusal.reason}" if refusal else "",
    }


def find_alike(surfaces: NDArray[np.float64], within: float) -> Iterator[tuple[int, int, float]]:
    """Yield (i, j, distance) of surfaces so near each other that they may be one person under two names, for the
    review.

    Of each surface its NEAREST at most. The means of sectors lie no farther apart, and few of them are that near: only
    those are compared point by point.

    Parameters
    ----------
    surfaces : (n, r, a, d) array
    within : float
        The largest distance, root mean square.
    """
    n = len(surfaces)
    if n < 2:
        return
    points = np.swapaxes(surfaces, 1, 2).reshape(n, -1, surfaces.shape[-1])
    sectors = np.array_split(points, min(SECTORS, points.shape[1]), axis=1)
    means = np.concatenate(
        [np.sqrt(len(sector[0]) / len(points[0])) * sector.mean(axis=1) for sector in sectors], axis=1
    )
    _, near = scipy.spatial.cKDTree(means).query(means, min(n, NEAREST + 1), distance_upper_bound=within)
    for i, j in sorted({(min(i, j), max(i, j)) for i, row in enumerate(near) for j in row if j not in (i, n)}):
        far = float(np.sqrt(np.mean(np.sum((points[i] - points[j]) ** 2, axis=1))))
        if far <= within:
            yield i, j, far


def choose_points(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return POINTS of the points (n, 3) at most, evenly spread, so that a look of a scan stays small.

    Of each cell of a grid the point nearest to its middle is taken.
    """
    if len(points) <= POINTS:
        return points
    points = points[:: 1 + len(points) // ENOUGH]
    low = points.min(axis=0)
    cell = float((points.max(axis=0) - low).max()) / POINTS**0.5
    while True:
        places = (points - low) / cell
        keys = np.floor(places).astype(np.int64) @ CELLS
        order = np.lexsort((np.sum((places % 1 - 0.5) ** 2, axis=1), keys))
        first = order[np.flatnonzero(np.diff(keys[order], prepend=-1))]
        if len(first) <= POINTS:
            return points[np.sort(first)]
        cell *= COARSER


def _read_unmeshed_points(path):
    """Return the points of a scan that was not meshed, so that its look shows them; none of one that cannot be read."""
    from shapedp.surfaces import scans

    if path is None:
        return np.empty((0, 3))
    try:
        points = scans.read(path).points
    except (MemoryError, MachineError):
        raise
    # As in the chain: whatever a scan does to its reader, the others are looked at.
    except Exception:
        return np.empty((0, 3))
    return points[np.isfinite(points).all(axis=1)]


def _to_steps(points, size):
    """Return points as int16 steps, GRID_STEPS of them to the size."""
    return np.clip(np.rint(points * (GRID_STEPS / size)), -32_767, 32_767).astype(np.int16)
