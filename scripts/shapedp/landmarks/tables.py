"""Landmarks as a table, by its header.

long       id, landmark, x, y(, z): one landmark a row; without id, one specimen a file (Morpho's read.csv.folder)
wide       id, x1, y1, x2, y2, ... or geomorph's 1.X, 1.Y, ...: one specimen a row
by column  X.a, Y.a, X.b, Y.b, ...: R's write.csv of a p x k x n array, one landmark a row
plain      MorphoJ's: an id, then x, y(, z) of each landmark, whatever the header says
"""

import csv
import re
from collections import defaultdict
from dataclasses import replace

import numpy as np

from shapedp.errors import Rejected
from shapedp.landmarks.parsed import Cells, Parsed, number

DELIMITERS = ("\t", ";", ",")
AXES = "xyz"
AXIS_FIRST = re.compile(r"([xyz])[._ -]?([0-9]{1,6})")  # x1, X_1, X.1
AXIS_LAST = re.compile(r"(?:[a-z][a-z ._-]*)?([0-9]{1,6})[._ -]?([xyz])")  # 1.X, X1.X, LM1_x
NAMED = re.compile(r"(.+)[._ -]([xyz])")  # nasion_x
BY_SPECIMEN = re.compile(r"([xyz])[._ -](.+)")  # X.specimen
UNNAMED = re.compile(r"([123])[.](.+)")  # 1.specimen: R's array without names for its axes
LANDMARK = ("landmark", "lm", "point", "label", "name")
IDS = ("id", "specimen", "ids", "")


def parse(text, name, dimensions=None):
    """What a table holds; `dimensions` (2 or 3) is used where its header does not tell."""
    header, rows = _table(text, name)
    cells = Cells()
    columns, by_row = _columns(header)
    rows = _even(rows, len(header), cells)
    if cells.notices and columns and not by_row:
        raise Rejected("not_a_table", f"{name}: {cells.notices[0]}; whose number is missing cannot be told: mend it")
    if {"x", "y"} <= set(header):
        found = _long(header, rows, cells)
    elif columns is None:
        found = _plain(header, rows, name, dimensions, cells)
    else:
        found = (_wide if by_row else _by_column)(columns, header, rows, cells)
    return replace(found, notices=found.notices + cells.notices)


def _table(text, name):
    """(lower-case column names, rows)."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        raise Rejected("empty_file", f"{name}: a table needs a header and at least one row")
    delimiter = max(DELIMITERS, key=lines[0].count)
    try:
        header, *rows = csv.reader(lines, delimiter=delimiter)
    except csv.Error as error:
        raise Rejected("not_a_table", f"{name}: not a readable table ({error})") from error
    header = [one.strip().lower() for one in header]
    if len(rows[0]) == len(header) + 1:
        header = ["", *header]  # R's write.table leaves the row names' column without a name
    return header, rows


def _even(rows, width, cells):
    """Rows of `width` cells: one that is too short or too long keeps its first and lacks the others, for nobody knows
    which is which.
    """
    for line, row in enumerate(rows, start=2):
        if len(row) != width:
            cells.tell(f"row {line} has {len(row)} cells, the header {width}")
    return [row if len(row) == width else row[:1] + [""] * (width - 1) for row in rows]


def _numbers(row, cells, line):
    return [cells.number(cell, f"row {line}:") for cell in row]


def _find(header, names):
    return next((header.index(one) for one in names if one in header), None)


def _long(header, rows, cells):
    axes = [header.index(axis) for axis in AXES if axis in header]
    own, landmark = _find(header, IDS[:-1]), _find(header, LANDMARK)
    records, labels = defaultdict(list), defaultdict(list)
    for line, row in enumerate(rows, start=2):
        one = row[own].strip() if own is not None else None
        records[one].append(_numbers([row[at] for at in axes], cells, line))
        labels[one].append(row[landmark].strip() if landmark is not None else None)
    return Parsed(
        [np.array(points) for points in records.values()],
        list(records) if own is not None else None,
        list(labels.values()) if landmark is not None else None,
    )


def _columns(header):
    """{(landmark or specimen, axis): column}, and whether a row is a specimen; (None, None) where nothing fits."""
    for pattern, axis_group, by_row in (
        (AXIS_FIRST, 1, True),
        (AXIS_LAST, 2, True),
        (NAMED, 2, True),
        (BY_SPECIMEN, 1, False),
        (UNNAMED, 1, False),
    ):
        matches = {at: match for at, one in enumerate(header) if (match := pattern.fullmatch(one))}
        columns = {(m.group(3 - axis_group), m.group(axis_group)): at for at, m in matches.items()}
        if len(matches) > 1 and len(columns) == len(matches) and _complete(columns):
            return columns, by_row
    return None, None


def _complete(columns):
    """Whether every landmark or specimen has the same 2 or 3 axes."""
    axes = defaultdict(set)
    for one, axis in columns:
        axes[one].add(axis)
    return len({frozenset(found) for found in axes.values()}) == 1 and len(next(iter(axes.values()))) in (2, 3)


def _grouped(columns):
    """Columns of each landmark or specimen, numbers in their order, names in the header's; (groups, names)."""
    names = list(dict.fromkeys(one for one, _ in columns))
    if all(one.isdigit() for one in names):
        names.sort(key=int)
    axes = sorted({axis for _, axis in columns})
    return [[columns[one, axis] for axis in axes] for one in names], names


def _wide(columns, header, rows, cells):
    groups, names = _grouped(columns)
    own = _find(header, IDS)
    records = [
        np.array([_numbers([row[at] for at in group], cells, line) for group in groups])
        for line, row in enumerate(rows, start=2)
    ]
    ids = [row[own].strip() for row in rows] if own is not None and own not in columns.values() else None
    return Parsed(records, ids, [names] * len(records) if not all(one.isdigit() for one in names) else None)


def _by_column(columns, header, rows, cells):
    groups, names = _grouped(columns)
    own = ([row[at] for group in groups for at in group] for row in rows)
    numbers = np.array([_numbers(some, cells, line) for line, some in enumerate(own, start=2)])
    records = np.moveaxis(numbers.reshape(len(rows), len(groups), -1), 1, 0)
    return Parsed(list(records), names, notices=("one landmark a row, the specimens side by side (R's p x k x n)",))


def _plain(header, rows, name, dimensions, cells):
    """MorphoJ's rows; the first line is data where all but its first cell are numbers."""
    if _numeric(header[1:]):
        rows = [header, *rows]
    width = len(header) - 1
    if any(AXIS_FIRST.fullmatch(one) for one in header) or not any(_numeric(row[1:]) for row in rows):
        raise _no_landmarks(header, name)
    dimensions = dimensions or _dimensions(width, name)
    if width % dimensions or width < 3 * dimensions:
        raise _no_landmarks(header, name)
    records = [
        np.array(_numbers(row[1:], cells, line)).reshape(-1, dimensions) for line, row in enumerate(rows, start=1)
    ]
    return Parsed(records, [row[0].strip() for row in rows])


def _no_landmarks(header, name):
    return Rejected(
        "no_landmarks",
        f"{name}: no landmarks in the columns {', '.join(header[:8])[:120]}; name them id, landmark, x, y (long) or "
        "id, x1, y1, x2, y2, ... (wide), with z where there is one",
    )


def _dimensions(width, name):
    fitting = [d for d in (2, 3) if width % d == 0]
    if len(fitting) == 2:
        raise Rejected(
            "unclear_dimensions",
            f"{name}: {width} numbers a row are {width // 2} planar landmarks or {width // 3} in space; name the "
            "columns x1, y1, x2, y2, ... or x1, y1, z1, ...",
        )
    return fitting[0] if fitting else 2


def _numeric(row):
    return all(_is_number(cell) for cell in row)


def _is_number(cell):
    try:
        number(cell, "")
    except Rejected:
        return False
    return True
