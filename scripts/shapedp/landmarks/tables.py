"""Landmarks as a table: long (id, landmark, x, y: one landmark a row) or wide (id, x1, y1, x2, y2, ...: one shape)."""

import csv
import re

import numpy as np

from shapedp.errors import Rejected

DELIMITERS = ("\t", ";", ",")
COORDINATE = re.compile(r"([xy])_?([0-9]{1,6})")


def parse(text, name):
    """(shapes, ids) of a table with a header."""
    lines = text.splitlines()
    if len(lines) < 2:
        raise Rejected("empty_file", f"{name}: a table needs a header and at least one row")
    delimiter = max(DELIMITERS, key=lines[0].count)
    try:
        rows = list(csv.DictReader(lines, delimiter=delimiter))
    except csv.Error as error:
        raise Rejected("not_a_table", f"{name}: not a readable table ({error})") from error
    if not rows:
        raise Rejected("empty_file", f"{name}: a table needs a header and at least one row")
    rows = [{(key or "").strip().lower(): value for key, value in row.items()} for row in rows]
    return _long(rows, name) if {"id", "x", "y"} <= rows[0].keys() else _wide(rows, name)


def _long(rows, name):
    shapes = {}
    for number, row in enumerate(rows, start=2):
        shapes.setdefault(row["id"], []).append([_number(row[key], name, number) for key in ("x", "y")])
    sizes = {len(shape) for shape in shapes.values()}
    if len(sizes) > 1:
        raise Rejected("mixed_landmarks", f"{name}: shapes with {sorted(sizes)} landmarks; all need the same number")
    return np.array(list(shapes.values())), list(shapes)


def _wide(rows, name):
    found = {match.groups(): key for key in rows[0] if (match := COORDINATE.fullmatch(key))}
    numbers = sorted({int(number) for _, number in found})
    columns = [(found.get(("x", str(n))), found.get(("y", str(n)))) for n in numbers]
    if not columns or any(None in pair for pair in columns):
        raise Rejected("no_landmarks", f"{name}: needs the columns id, x, y (long) or x1, y1, x2, y2, ... (wide)")
    shapes = [
        [[_number(row[x], name, line), _number(row[y], name, line)] for x, y in columns]
        for line, row in enumerate(rows, start=2)
    ]
    return np.array(shapes), [row["id"] for row in rows] if "id" in rows[0] else None


def _number(text, name, row):
    """A coordinate, NaN where the cell is empty; a decimal comma is read as what it is."""
    try:
        return float((text or "nan").strip().replace(",", "."))
    except ValueError as error:
        raise Rejected(
            "not_numeric", f"{name}: row {row} holds {text[:40]!r} where a coordinate should stand"
        ) from error
