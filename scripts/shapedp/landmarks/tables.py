"""Landmarks as a table, by its header.

long       id, landmark, x, y(, z): one landmark a row; without id, one specimen a file (Morpho's read.csv.folder)
wide       id, x1, y1, x2, y2, ... or geomorph's 1.X, 1.Y, ...: one specimen a row
by column  X.a, Y.a, X.b, Y.b, ...: R's write.csv of a p x k x n array, one landmark a row; of public files and of one
           specimen alone, since a comma in one record would move the others' numbers
plain      MorphoJ's: an id, then x, y(, z) of each landmark, whatever the header says, or without a header

Whether there is a header is known by the number of rows (`frame.has_header`) where that of records is public; of a
public file, by its content. What separates cells is known by the header, or without one by what ends a row's id.
"""

import re
from collections import defaultdict

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.reading import frame
from shapedp.landmarks.records import LEAST, Cells, Parsed, parse_number, refuse_too_many

DELIMITERS = ("\t", ";", ",")
AXES = "xyz"
AXIS_FIRST = re.compile(r"([xyz])[._ -]?([0-9]{1,6})")  # x1, X_1, X.1
AXIS_LAST = re.compile(r"(?:[a-z][a-z ._-]*)?([0-9]{1,6})[._ -]?([xyz])")  # 1.X, X1.X, LM1_x
NAMED = re.compile(r"(.+)[._ -]([xyz])")  # nasion_x
BY_SPECIMEN = re.compile(r"([xyz])[._ -](.+)")  # X.specimen
# 1.specimen, as R writes an array without names for its axes.
UNNAMED = re.compile(r"([123])[.](.+)")
BEHIND_ID = re.compile(r"""(?: *"(?:[^"]|"")*+" *(?=[\t;,])|[^\t;,]*)([\t;,]?)""")
MATRIX = (["", "v1", "v2"], ["", "v1", "v2", "v3"])  # R's write.csv of a matrix without names
LANDMARK = ("landmark", "lm", "point", "label", "name")
IDS = ("id", "specimen", "ids", "")


def parse(lines, name, layout=None, records=None):
    """Return the records of landmarks that a table holds, by its header.

    layout : where its header does not tell; records : how many it has, where that is public.
    """
    cells = Cells()
    if records is not None and not frame.has_header(len(lines), records):
        return _read_headless(lines, layout, cells)
    if records == 1 and layout and len(lines) == layout.count:
        return _read_headless_specimen(lines, layout, cells)
    if len(lines) < 2:
        raise Rejected("empty_file", f"{name}: a table needs a header and at least one row")
    header, rows = _read_table(lines, name, records, cells)
    columns, by_row = _match_columns(header)
    if {"x", "y"} <= set(header):
        return _read_long(header, rows, cells)
    if columns is None:
        return _read_plain(header, rows, name, layout, cells, records)
    if not by_row and records not in (None, 1):
        raise Rejected(
            "not_a_table",
            f"{name}: the records stand side by side, where one comma too many would shift them: save one row "
            "for each record, in R by write.csv(two.d.array(A))",
        )
    if not by_row and cells.notices:
        raise Rejected(
            "not_a_table", f"{name}: {cells.notices[0]}, so nobody can tell whose number is missing; correct that row"
        )
    return _read_grouped(columns, by_row, header, rows, cells)


def _read_table(lines, name, records, cells):
    """Return a table's (lower-case column names, (line, cells by column) of each row), however hostile a row is.

    Cells of the frame stand at a row's ends.
    """
    (_, first), *others = lines
    delimiter = max(DELIMITERS, key=first.count)
    header = [column.strip().lower() for column in frame.split_cells(first, delimiter) or [""]]
    if records is None and len(frame.split_cells(others[0][1], delimiter) or []) == len(header) + 1:
        # R's write.table leaves the row names' column without a name, so the header is one cell short.
        header = ["", *header]
    refuse_too_many(len(others), len(header), f"{name}: the header")
    if header in MATRIX:
        header = ["landmark", *AXES[: len(header) - 1]]
    long = {"x", "y"} <= set(header)
    framing = {at for at, column in enumerate(header) if column in IDS or (long and column in LANDMARK)}
    keys = [f"{column or 'column'} ({at})" for at, column in enumerate(header, start=1)]
    columns = frame.Columns(keys, delimiter, {keys[at] for at in framing})
    if records is not None and columns.enclosed:
        raise Rejected(
            "not_a_table",
            f"{name}: the column {columns.enclosed[0]} stands between the coordinates, where one comma too many "
            "would shift it: make it the first column",
        )
    rows = []
    for at, line in others:
        row = columns.row(at, line)
        if row is None:
            raise Rejected("not_a_table", f"{name}: row {at} has no cell for its id; fill it in")
        if row.fault:
            cells.tell(f"row {at} {row.fault}")
        texts = row.frame | row.own
        rows.append((at, [texts[key].strip() for key in keys]))
    return header, rows


def _read_numbers(row, cells, line):
    return [cells.number(cell, f"row {line}:") for cell in row]


def _find_column(header, names):
    return next((header.index(name) for name in names if name in header), None)


def _read_long(header, rows, cells):
    """Return the records of a table with one landmark a row, as Parsed."""
    axes = [header.index(axis) for axis in AXES if axis in header]
    id_column, landmark_column = _find_column(header, IDS[:-1]), _find_column(header, LANDMARK)
    records, labels = defaultdict(list), defaultdict(list)
    for line, row in rows:
        record_id = row[id_column] if id_column is not None else None
        records[record_id].append(_read_numbers([row[at] for at in axes], cells, line))
        labels[record_id].append(row[landmark_column] if landmark_column is not None else None)
    ids = list(records) if id_column is not None else None
    names = list(labels.values()) if landmark_column is not None else None
    return Parsed([np.array(points) for points in records.values()], ids, names, cells.notices)


def _match_columns(header):
    """Return which column holds which coordinate, by a header such as `x1,y1,x2,y2`, and whether a row is a specimen.

    The first is {(landmark or specimen, axis): column}. (None, None) where no pattern of headers fits.
    """
    for pattern, axis_group, by_row in (
        (AXIS_FIRST, 1, True),
        (AXIS_LAST, 2, True),
        (NAMED, 2, True),
        (BY_SPECIMEN, 1, False),
        (UNNAMED, 1, False),
    ):
        matches = {at: match for at, label in enumerate(header) if (match := pattern.fullmatch(label))}
        columns = {(m.group(3 - axis_group), m.group(axis_group)): at for at, m in matches.items()}
        axes = defaultdict(set)
        for label, axis in columns:
            axes[label].add(axis)
        has_equal_axes = (
            len({frozenset(letters) for letters in axes.values()}) == 1
        )  # each landmark or specimen has the same axes
        if has_equal_axes and len(columns) == len(matches) > 1 and len(next(iter(axes.values()))) in (2, 3):
            return columns, by_row
    return None, None


def _read_grouped(columns, by_row, header, rows, cells):
    """Return the records of a table whose header names each coordinate: a row a specimen, or a row a landmark.

    Landmarks are in the order of their numbers where they have any.
    """
    names = list(dict.fromkeys(label for label, _ in columns))
    if all(label.isdecimal() for label in names):
        names.sort(key=int)
    axes = sorted({axis for _, axis in columns})
    groups = [[columns[label, axis] for axis in axes] for label in names]
    numbers = np.array(
        [[_read_numbers([row[at] for at in group], cells, line) for group in groups] for line, row in rows]
    )
    if not by_row:
        notice = "one landmark a row, the specimens side by side (R's p x k x n)"
        return Parsed(list(np.moveaxis(numbers, 1, 0)), names, notices=(notice, *cells.notices))
    id_column = _find_column(header, IDS)
    ids = [row[id_column] for _, row in rows] if id_column is not None and id_column not in columns.values() else None
    labels = [names] * len(rows) if not all(label.isdecimal() for label in names) else None
    return Parsed(list(numbers), ids, labels, cells.notices)


def _read_plain(header, rows, name, layout, cells, records):
    """Return the records of MorphoJ's rows, id then coordinates; a public file's first line may be data or header.

    It is data where all but its first cell are numbers.
    """
    if records is None and _are_numeric(header[1:]):
        rows = [(1, header), *rows]
    width = len(header) - 1
    plain = not any(AXIS_FIRST.fullmatch(column) for column in header)
    plain = plain and (records is not None or any(_are_numeric(row[1:]) for _, row in rows))
    fitting = [layout.dimensions] if layout else [d for d in (2, 3) if width % d == 0]
    if plain and len(fitting) == 2:
        raise Rejected(
            "unclear_dimensions",
            f"{name}: {width} numbers a row are {width // 2} planar landmarks or {width // 3} in space; name the "
            "columns x1, y1, x2, y2, ... or x1, y1, z1, ...",
        )
    dimensions = fitting[0] if fitting else 2
    if not plain or width % dimensions or width < LEAST * dimensions:
        raise Rejected(
            "no_landmarks",
            f"{name}: no landmarks in the columns {', '.join(header[:8])[:120]}; name them id, landmark, x, y (long) "
            "or id, x1, y1, x2, y2, ... (wide), with z where there is one",
        )
    shapes = [np.array(_read_numbers(row[1:], cells, line)).reshape(-1, dimensions) for line, row in rows]
    return Parsed(shapes, [row[0] for _, row in rows], notices=cells.notices)


def _read_headless(lines, layout, cells):
    """Return the records of a table without header, an id and the numbers of a record a row.

    Each row is read by itself: its delimiter is what ends the id.
    """
    width = layout.count * layout.dimensions
    shapes, ids = [], []
    for at, line in lines:
        row = frame.Columns(["id", *range(width)], BEHIND_ID.match(line)[1] or ",").row(at, line)
        if row.fault:
            cells.tell(f"row {at} {row.fault}")
        ids.append(row.frame["id"].strip())
        numbers = _read_numbers([row.own[column] for column in range(width)], cells, at)
        shapes.append(np.array(numbers).reshape(layout.count, layout.dimensions))
    return Parsed(shapes, ids, notices=cells.notices)


def _read_headless_specimen(lines, layout, cells):
    """Return the one specimen of a table without header, a landmark a row: its coordinates are the last cells.

    A name may stand before them.
    """
    shape, width = [], layout.dimensions
    for at, line in lines:
        words = frame.split_cells(line, max(DELIMITERS, key=line.count)) or []
        own = words[-width:] if len(words) in (width, width + 1) else []
        shape.append(cells.row(own, f"row {at}:", width, f"row {at} has {len(words)} cells"))
    return Parsed([np.array(shape)], notices=cells.notices)


def _are_numeric(row):
    """Return whether all cells of a row are numbers or missing: a first row of such is no header."""
    try:
        return all(parse_number(cell, "") is not None for cell in row)
    except Rejected:
        return False
