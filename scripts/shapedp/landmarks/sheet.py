"""The sheet beside landmark files: who each record is of, joined by id."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path

from shapedp.errors import Rejected
from shapedp.landmarks.parsed import several
from shapedp.landmarks.tables import DELIMITERS
from shapedp.scans.read import contents

LARGEST = 1 << 24  # bytes
NAMES = {"person": ("person", "individual", "animal", "subject"), "side": ("side",), "group": ("group",)}
LONGEST = 200  # characters of a cell


@dataclass(frozen=True)
class Sheet:
    """One entry a record, in the records' order; "" where the sheet has no such column.

    covariates : {column: texts}, all further columns; notices : what a person should know
    """

    persons: list
    sides: list
    groups: list
    covariates: dict
    notices: tuple = ()

    @classmethod
    def empty(cls, count):
        """Nothing known of `count` records."""
        return cls(*([""] * count for _ in range(3)), {})

    def covariates_of(self):
        """One JSON object a record."""
        return [json.dumps({key: cells[i] for key, cells in self.covariates.items()}) for i in range(len(self.persons))]


def read_sheet(path, ids):
    """The rows of a csv or tsv with the column `id`, brought to the order of `ids`; every id needs a row."""
    path = Path(path)
    rows = _rows(path)
    by_id = {row["id"]: row for row in rows}
    if len(by_id) < len(rows):
        raise Rejected("repeated_id", f"{path.name}: an id stands in more than one row; keep one row a record")
    if lacking := [one for one in ids if one not in by_id][:5]:
        raise Rejected(
            "not_in_sheet", f"{path.name}: no row for {', '.join(lacking)}; add it, or correct the column `id`"
        )
    ordered = [by_id[one] for one in ids]
    found = {key: next((one for one in names if one in rows[0]), None) for key, names in NAMES.items()}
    known = {"id", *found.values()}
    persons, sides, groups = ([row[column] if column else "" for row in ordered] for column in found.values())
    if found["person"] and (blank := [one for one, who in zip(ids, persons, strict=True) if not who][:5]):
        raise Rejected("no_person", f"{path.name}: no {found['person']} for {', '.join(blank)}; fill the cell in")
    covariates = {key: [row[key] for row in ordered] for key in rows[0] if key not in known}
    extra = [one for one in by_id if one not in set(ids)]
    return Sheet(persons, sides, groups, covariates, several(f"{path.name}: rows without a record", extra))


def _rows(path):
    try:
        text = contents(path, LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Rejected("not_text", f"{path.name}: not UTF-8 text; save it as UTF-8") from error
    lines = [line for line in text.splitlines() if line.strip()]
    delimiter = max(DELIMITERS, key=lines[0].count) if lines else ","
    try:
        table = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error as error:
        raise Rejected("not_a_table", f"{path.name}: not a readable table ({error})") from error
    header = [one.strip().lower() for one in table[0]] if table else []
    if "id" not in header or len(table) < 2:
        raise Rejected("no_id", f"{path.name}: needs a header with the column `id` and at least one row")
    for line, row in enumerate(table[1:], start=2):
        bad = [cell for cell in row if len(cell) > LONGEST or not cell.isprintable()]
        if len(row) != len(header) or bad:
            raise Rejected(
                "not_a_table",
                f"{path.name}: row {line} has {len(row)} cells for {len(header)} columns, or one that does not show",
            )
    return [dict(zip(header, map(str.strip, row), strict=True)) for row in table[1:]]
