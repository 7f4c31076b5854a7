"""The sheet beside landmark files: who each record is of, joined by id.

Which rows are of one person is decided by names, never by what a record holds.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shapedp.base.errors import ConfigError, Rejected
from shapedp.base.reading import frame
from shapedp.landmarks.records import describe_several
from shapedp.landmarks.tables import DELIMITERS
from shapedp.people.samples import Sample

NAMES = {"person": frame.PERSONS, "side": ("side",), "group": (frame.GROUP,)}
SIDES = {"left": "left", "l": "left", "right": "right", "r": "right", "": ""}
TAKEN = ("id", *(name for names in NAMES.values() for name in names), *frame.TIMES, frame.USE)
FRAMING = {*frame.FRAME_COLUMNS, *frame.PERSONS}


@dataclass(frozen=True)
class Sheet:
    """One entry a record, in the records' order; "" where the sheet has no such column.

    sides : `left`, `right` or ""; used : False for a record that the sheet leaves out
    covariates : {column: texts}, all further columns; notices : what a person should know
    """

    persons: list
    sides: list
    groups: list
    used: list
    covariates: dict
    notices: tuple = ()

    def mirror_and_drop(self, shapes):
        """Return records (n, k, d) as the sheet asks: those of the right side mirrored, NaN for those left out."""
        shapes = np.where(np.array(self.used)[:, None, None], shapes, np.nan)
        shapes[np.array(self.sides) == "right", :, 0] *= -1
        return shapes

    def format_covariates(self):
        """Return each record's covariates as a JSON object."""
        return [json.dumps({key: cells[i] for key, cells in self.covariates.items()}) for i in range(len(self.persons))]


def read_sheet(path, ids):
    """Return the Sheet of a csv or tsv with the column `id`, in the order of `ids`; every id needs a row.

    The id and whose a record is belong to the frame and are refused where they are wrong; any other cell that cannot be
    read is empty, and a notice says so.

    Parameters
    ----------
    path : path or None
        Without a sheet nothing is known of the records.
    ids : sequence of str
        The records' ids.

    Returns
    -------
    Sheet
    """
    if not path:
        return Sheet(*([""] * len(ids) for _ in range(3)), [True] * len(ids), {})
    path = Path(path)
    header, rows, faults = _read_rows(path)
    by_id = {row["id"]: row for row in rows}
    if len(by_id) < len(rows):
        raise Rejected("repeated_id", f"{path.name}: an id stands in more than one row; keep one row for each record")
    lacking_count = sum(record_id not in by_id for record_id in ids)
    if lacking := [record_id for record_id in ids if record_id not in by_id][:5]:
        words = (
            f"no row for {lacking_count} of {len(ids)} records, such as {', '.join(lacking)}; add them, or correct the "
        )
        words += "column `id`"
        raise Rejected("not_in_sheet", f"{path.name}: {words}")
    ordered = [by_id[record_id] for record_id in ids]
    column_by_key, covariate_columns = _split_columns(header)
    persons, sides, groups = ([row[column] if column else "" for row in ordered] for column in column_by_key.values())
    if column_by_key["person"] and (
        blank := [record_id for record_id, person in zip(ids, persons, strict=True) if not person][:5]
    ):
        raise Rejected(
            "no_person", f"{path.name}: no {column_by_key['person']} for {', '.join(blank)}; fill the cell in"
        )
    covariates = {key: [row[key] for row in ordered] for key in covariate_columns}
    unread_sides = [
        f"{record_id} ({side})" for record_id, side in zip(ids, sides, strict=True) if side.lower() not in SIDES
    ]
    sides = [SIDES.get(side.lower(), "") for side in sides]
    extra = [record_id for record_id in by_id if record_id not in set(ids)]
    notices = describe_several(f"{path.name}: rows without a record", extra) + describe_several(
        f"{path.name}: not read", faults
    )
    notices += describe_several(f"{path.name}: `side` is neither left nor right, so it is not mirrored", unread_sides)
    return Sheet(persons, sides, groups, list(map(frame.is_used, ordered)), covariates, notices)


def read_samples(path):
    """Return a Sample for each row of a sheet, by the frame alone: whose record it is and of which time."""
    header, rows, _ = _read_rows(Path(path))
    person = next((name for name in NAMES["person"] if name in header), "id")
    return [Sample(row["id"], "", row[person], time=frame.find_time(row)) for row in rows]


def list_covariates(path):
    """Return the names of a sheet's columns that hold covariates, in lower case."""
    return _split_columns(_read_rows(Path(path))[0])[1]


def count_rows(path):
    """Return how many records the sheet lists."""
    return max(len(frame.read_lines(Path(path))) - 1, 0)


def _split_columns(header):
    """Return {what is known of a record: its column, or None}, and the names of the further columns."""
    column_by_key = {key: next((name for name in names if name in header), None) for key, names in NAMES.items()}
    return column_by_key, [name for name in header if name not in {"id", frame.USE, *column_by_key.values()}]


def _read_rows(path):
    """Return (column names, {column: cell} of each row, what is not read of which) of the sheet beside landmarks."""
    lines = frame.read_lines(path)
    first = lines[0][1] if lines else ""
    delimiter = max(DELIMITERS, key=first.count)
    header = [name.strip().lower() for name in frame.split_cells(first, delimiter) or []]
    if "id" not in header or len(lines) < 2 or len(set(header)) < len(header):
        raise Rejected("no_id", f"{path.name}: needs a header with the column `id`, each once, and at least one row")
    frame.refuse_misnamed(path.name, header, TAKEN)
    columns = frame.Columns(header, delimiter, FRAMING)
    if columns.enclosed:
        raise Rejected(
            "not_a_table",
            f"{path.name}: the column(s) {', '.join(columns.enclosed)} stand between other columns, where one "
            "comma too many in a cell would shift them: make id and person the first columns",
        )
    rows, faults = [], []
    for number, line in lines[1:]:
        row = columns.row(number, line)
        if row is None or not all(map(frame.is_showable, row.frame.values())):
            words = f"row {number} lacks its id or person, or has one with invisible characters; correct it"
            raise Rejected("not_a_table", f"{path.name}: {words}")
        if row.fault:
            faults.append(f"row {number} {row.fault}")
        rows.append(row.frame | row.own)
    return header, rows, faults


def group_by_person(ids, persons, treatment):
    """Return the rows of each person's records, who counts once however many there are; without names each row is one.

    Parameters
    ----------
    ids, persons : sequence of str
        Of each record; persons are "" where no sheet names them.
    treatment : str
        What to do with several records of a person: `refuse`, or keep them to `average`.

    Returns
    -------
    dict
        {person: list of row numbers}.
    """
    if not any(persons):
        return {record_id: [row] for row, record_id in enumerate(ids)}
    rows = {person: [] for person in persons}
    for row, person in enumerate(persons):
        rows[person].append(row)
    if treatment == "refuse" and (repeated := [person for person, person_rows in rows.items() if len(person_rows) > 1]):
        raise ConfigError(
            f"{len(repeated)} persons have several records ({', '.join(repeated[:5])}, ...): set shapes.persons "
            "to `average`, which averages the records of each person first, or keep one record for each person"
        )
    return rows


def cells(text):
    """Return {column: text} of a record, from the JSON of `Sheet.format_covariates`."""
    return json.loads(text) if text else {}
