"""What an outsider sees of a release, but the noised numbers: it may depend on settings, public inputs and n alone.

It is compared between neighbouring cohorts: one record is chosen by an adversary, the others stay.
"""

import json
import re

import numpy as np

from shapedp.landmarks import outlines
from shapedp.releases import kinds

PRIVATE = {"digest", "previous", "random", "request", "records", "inputs", "time", "files", "partition"}
# Digests that random bits of the ledger enter.
FIGURES = re.compile(r"\b[0-9a-f]{16,}\b")
# Of a statement's noise: follow from a noised number.
NOISED = (
    *("rms_mm", "widened", "settled_sd", "undone", "clip_moved", "shrunk", "error_radian"),
    *("far_share", "missing_mm", "heavy_tails"),
)
# Of its words what follows from a noised number: whole lines, and numbers.
NOISED_LINES = (
    *("differs from the public set", "- First stage:", "- Clipped, and corrected", "- Shrunk towards the mean"),
    "- **Some people ",
)
NOISED_WORDS = re.compile(
    r"((?<=standard deviation is )|(?<=a point by )|(?<=of the mean by )|(?<=expected to lie )"
    + "".join(f"|(?<={kind.statistic} by )" for kind in kinds.KINDS if kind.is_difference)
    + r")[\d.e-]+"
)


def view_run(status, release, ledger):
    """Return all that an outsider sees of one run but the noised numbers, {what: value}, to compare neighbours by.

    Parameters
    ----------
    status : int or str
        Exit status of the steps.
    release : Path
        The folder of the releases.
    ledger : Path
        The folder of the ledger.
    """
    files = {str(path.relative_to(release)): path for path in sorted(release.rglob("*")) if path.is_file()}
    statements, words = {}, {}
    for name, path in files.items():
        if path.name == "statement.json":
            statement = statements[name] = json.loads(path.read_text())
            statement["budget"].pop("ledger_head", None)
            # These follow from a noised answer of a first stage, and may differ.
            if any(statement["noise"].get(word) is not None for word in ("widened", "undone")):
                statement["noise"] = {key: value for key, value in statement["noise"].items() if key not in NOISED}
                statement.pop("differs_from_public_set")
        elif path.name == "statement.md":
            text = FIGURES.sub("", path.read_text())
            if "- First stage:" in text or "- Clipped, and corrected" in text:
                lines = NOISED_WORDS.sub("", text).splitlines()
                text = "\n".join(line for line in lines if not any(opening in line for opening in NOISED_LINES))
            words[name] = text
    return {
        "exit status": status,
        "files": {name: path.stat().st_size for name, path in files.items() if path.stem != "statement"},
        "statements": statements,
        "words": words,
        "ledger": [
            _without_secrets(json.loads(line))
            for path in sorted(ledger.glob("*.jsonl"))
            for line in path.read_text().splitlines()
        ],
    }


def find_differences(first, second):
    """Return the names of what differs between two views."""
    return [name for name in first if first[name] != second[name]]


def _without_secrets(entry):
    """Return an entry of the ledger without what follows from secret bits, so that two runs can be compared.

    Digests stand within other parts as well.
    """
    return {
        key: _without_secrets(value) if isinstance(value, dict) else value
        for key, value in entry.items()
        if key not in PRIVATE
    }


PEOPLE, PUBLIC, SEED = 20, 20, 5
TIMES = ("before", "after")
FACE = (2, 3, 8)  # curves, coordinates, points
WORDS = ("one", "two", "three")
ORDINARY = "ordinary"
# What the last person's cell of a covariate holds.
CELLS = {
    "a covariate at 1e308": "1e308",
    "a covariate that is no number": "nan",
    "words for a covariate": "grown up",
    "no covariate": "",
}


def landmark_records(branch):
    """Return the records, ordinary and odd, that the audit puts in the last person's place: {name: landmarks}.

    They are (k', d); None stands for rows of text; the ordinary record comes first.

    Parameters
    ----------
    branch : str
        `shapes`, which are planar outlines, or `space`.
    """
    cohort, public_cohort = _draw_landmarks(branch), _draw_landmarks(branch, public=True)
    ordinary = cohort[-1]
    records = {
        ORDINARY: ordinary,
        "a record of the public set": public_cohort[3],
        "a missing landmark": _with_coordinate(ordinary, np.nan),
        "a landmark at 1.8e308": _with_coordinate(ordinary, np.finfo(float).max),
        "all at 1e-160": ordinary * 1e-160,
        "all equal": np.full_like(ordinary, 3.0),
        "mirrored": ordinary * np.where(np.arange(ordinary.shape[1]) == 0, -1, 1),
        "the record of another": cohort[0],
        "a landmark too few": ordinary[:-1],
        "words for numbers": None,
    }
    if branch == "space":
        return records | {"in one plane": ordinary * [1, 1, 0], "on one line": ordinary * [1, 0, 0]}
    return records | {
        "the public center itself": outlines.template(),
        "an infinite landmark": _with_coordinate(ordinary, np.inf),
        "a landmark at 1e200": _with_coordinate(ordinary, 1e200),
        "all at 1e300": ordinary * 1e300,
        "far from the center": np.column_stack([np.arange(50.0), np.arange(50.0) ** 2]),
        "no landmark": ordinary[:0],
    }


def write_landmarks(path, branch, record):
    """Write a TPS file of the cohort with this record as the last person's."""
    _write(path, [*_draw_landmarks(branch)[:-1], record])


def write_public(path, branch):
    """Write a TPS file of other people, whom everybody knows."""
    _write(path, _draw_landmarks(branch, public=True))


def write_two_times(folder, record, cell):
    """Write landmarks in space at two times, and their sheet, from which a run then releases changes.

    Parameters
    ----------
    folder : Path
        Where `cohort.tps` and `sheet.csv` go.
    record : (k, d) float
        The last person's second record.
    cell : str
        The years between the two, in the last person's row.
    """
    _write(folder / "cohort.tps", [*_landmarks_in_space(SEED), *_landmarks_in_space(SEED + 1)[:-1], record])
    years = ["2"] * (2 * PEOPLE - 1) + [cell]
    rows = [f"person{at:02d},p{at % PEOPLE},{TIMES[at // PEOPLE]},{cell_text}" for at, cell_text in enumerate(years)]
    (folder / "sheet.csv").write_text("\n".join(["id,person,time,years", *rows]) + "\n", encoding="ascii")


def curve_records():
    """Return the faces, ordinary and odd, that the audit puts in the last person's place: {name: curves (J, 3, m)}.

    None stands for a rejected face; the ordinary one comes first.
    """
    template, ordinary = curve_template(), _faces()[-1]
    return {
        ORDINARY: ordinary,
        "the public template itself": template,
        "a face of the public set": public_curves()[3],
        "a rejected face": None,
        "at the bound": template + 0.1,
        "far": template + 1e6,
        "at 1e200": template + 1e200,
        "at 1.8e308": np.full(FACE, np.finfo(float).max),
        "tiny": template * 1e-160,
        "all zero": np.zeros(FACE),
        "the face of another": _faces()[0],
        **dict.fromkeys(CELLS, ordinary),
    }


def curve_template():
    """Return the public curves (J, 3, m)."""
    return 0.3 * np.random.default_rng(SEED).standard_normal(FACE)


def symmetric_template():
    """Return the public curves made their own mirror image: sample k of a curve across x = 0 is sample -k."""
    curves = curve_template()
    return (curves + curves[..., -np.arange(FACE[2])] * np.array([-1, 1, 1])[:, None]) / 2


def curves_at_two_times(record):
    """Return people's curves at two times, to audit releases of changes; `record` is the last person's second scan.

    That is (curves (n, J, 3, m) at each time, ok (n,) of the second).
    """
    shift = symmetric_template() - curve_template()
    curves, ok = cohort_curves(record)
    return (_faces() + shift, np.where(ok[:, None, None, None], curves + shift, 0.0)), ok


def public_scans():
    """Return curves of public people at both times."""
    shift = symmetric_template() - curve_template()
    return tuple(_faces(PUBLIC, SEED + 3 + time) + shift for time in range(2))


def public_curves():
    """Return curves (PUBLIC, J, 3, m) of other people, which everybody knows."""
    return _faces(PUBLIC, SEED + 3)


def cohort_curves(record):
    """Return (curves (n, J, 3, m), ok (n,)) of the cohort with this record as the last person's."""
    last = curve_template() if record is None else record
    return np.stack([*_faces()[:-1], last]), np.array([1] * (PEOPLE - 1) + [record is not None])


def _draw_landmarks(branch, public=False):
    """Return the landmarks (20, k, d) of the cohort that the audit releases, or of the public people beside it."""
    if branch == "space":
        return _landmarks_in_space(SEED + 4 * public)
    return outlines.population(PUBLIC if public else PEOPLE, SEED + 2 * public)[0]


def _landmarks_in_space(seed):
    """Return landmarks (20, 10, 3) that differ a little from person to person."""
    base = np.random.default_rng(SEED).standard_normal((10, 3))
    return base + 0.05 * np.random.default_rng([SEED, seed]).standard_normal((PEOPLE, *base.shape))


def _faces(people=PEOPLE, seed=SEED + 1):
    """Return curves (people, J, 3, m) that differ a little from the template."""
    return curve_template() + 0.02 * np.random.default_rng(seed).standard_normal((people, *FACE))


def _with_coordinate(record, value):
    """Return a record with one coordinate of one landmark replaced, to be one of the audit's odd records."""
    changed = record.copy()
    changed[7, 1] = value
    return changed


def _write(path, people):
    """Write the audit's landmarks as a TPS file, from which a run then starts; None stands for a record of words."""
    (k, d), blocks = people[0].shape, []
    for index, record in enumerate(people):
        cells = [WORDS[:d]] * k if record is None else [[repr(float(x)) for x in row] for row in record]
        words = "\n".join(" ".join(row).replace("nan", "NA") for row in cells)
        blocks.append(f"{'LM' if d == 2 else 'LM3'}={k}\n{words}\nID=person{index:02d}\n")
    path.write_text("".join(blocks), encoding="ascii")
