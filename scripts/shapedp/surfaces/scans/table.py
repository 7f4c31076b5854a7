"""Read tables of numbers: xyz, txt, pts, csv, tsv, with or without header, with decimal points or commas.

Written by hand: no table reader at hand tells a decimal comma from a separator, or refuses when it cannot.
"""

import csv
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.reading import files, plain_numbers
from shapedp.base.reading.files import MAX_POINTS, check_count

UNITS = r"(?P<unit>mm|cm|dm|m|um|µm|in|inch|inches|millimet(?:er|re)s?|centimet(?:er|re)s?|met(?:er|re)s?)"
PREFIX = r"(?:(?:pos|position|points?|coords?|coordinates?|vertex)[ _.:\-]?)"
SUFFIX = r"(?:[ _.\-]?(?:pos|position|coord|coordinate|coordinates|value))"
AXIS = re.compile(rf"{PREFIX}?(?P<axis>[xyz]){SUFFIX}?(?:[ _.\-]*[\[(]?{UNITS}[\])]?)?")
PARAVIEW = re.compile(r"points?[:_](?P<axis>[012])")


def find_axes(names):
    """Return (positions of x, y, z, unit or None) in a table's header, or None where the names do not say.

    names : as in the file, e.g. "x", "X_mm", "pos_y [mm]", "Points:0"; normals such as "nx" are not coordinates
    """
    column_of, units = {}, []
    plain = [name.strip(" \t\"'#/%;").casefold() for name in names]
    exact = all(Counter(plain)[axis] == 1 for axis in "xyz")
    for i, name in enumerate(plain):
        match = AXIS.fullmatch(name) or PARAVIEW.fullmatch(name)
        if match is None or (exact and name not in ("x", "y", "z")):
            continue
        axis = match["axis"].translate(str.maketrans("012", "xyz"))
        if axis in column_of:
            raise Rejected("ambiguous_columns", f"two columns could be {axis}: name one x, one y and one z")
        column_of[axis] = i
        units.append(match.groupdict().get("unit"))
    if len(column_of) < 3:
        return None
    if len(set(units)) > 1:
        raise Rejected("ambiguous_columns", "the columns x, y, z are in different units: use one unit")
    return [column_of[axis] for axis in "xyz"], units[0]


# Bytes that are looked at.
SAMPLE = 2**20
# Lines that may come before the rows.
LEAD = 50
MAX_COLUMNS = 1000
NUMBER = re.compile(rb"\s*[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?\s*|\s*[-+]?(?:nan|inf)\s*", re.IGNORECASE)
INTEGER = re.compile(rb"\s*[-+]?\d+\s*")
COMMENT_MARKS = (b"#", b"//", b"%")
COMMENT = re.compile(rb"\s*(?:" + b"|".join(COMMENT_MARKS) + rb")")
DECIMAL_COMMA = "save it with semicolons between the columns, or with decimal points"


@dataclass(frozen=True)
class Layout:
    """Rows begin at line `first`; each has `width` cells between `delimiter`s (None: white space)."""

    first: int
    delimiter: bytes | None
    width: int
    xyz: list[int]
    # Rows, where the file says so.
    claimed: int = 0
    notices: tuple[str, ...] = ()


def split_cells(lines, delimiter):
    """Return the cells of each line of a table of points, white space around the line left out; quotes are honoured."""
    if delimiter is None:
        return [line.split() for line in lines]
    if not any(b'"' in line for line in lines):
        return [line.split(delimiter) for line in lines]
    try:
        read = csv.reader((line.decode("latin-1") for line in lines), delimiter=delimiter.decode())
        return [[cell.encode("latin-1") for cell in row] for row in read]
    except csv.Error as error:
        raise Rejected("not_numeric", f"a table with broken quotes ({error}): save it without quotes") from None


def detect_layout(data):
    """Return the Layout by which a table's bytes are read: its header, delimiter and columns (line ends are line
    feeds).
    """
    lines = data[:SAMPLE].split(b"\n")
    for i in range(min(LEAD, len(lines))):
        layout = _detect_named(lines, i) or _detect_numeric(lines, i)
        if layout:
            return layout
    words = "no row of three numbers and no header with x, y, z: export the coordinates as a table of numbers"
    raise Rejected("not_numeric", words)


def _detect_named(lines, i):
    """Return the Layout if line i is a header that names x, y, z, for `detect_layout`; else None."""
    mark = COMMENT.match(lines[i])
    header = lines[i][mark.end() :] if mark else lines[i]
    row = next((line for line in lines[i + 1 :] if _is_row(line)), b"")
    for delimiter in (b";", b"\t", b",", None):
        names = [_decode_header_cell(name) for name in split_cells([header], delimiter)[0]]
        # Of a separator at the end, which rows may have or not.
        while names and not names[-1].strip():
            names.pop()
        if not 3 <= len(names) <= MAX_COLUMNS or (axes_and_unit := find_axes(names)) is None:
            continue
        # Written by hand or by numpy: its separator may differ from that of the rows.
        if mark:
            delimiter = guess_delimiter(row)
            if len(split_cells([row], delimiter)[0]) != len(names):
                return None
        xyz, unit = axes_and_unit
        return Layout(i + 1, delimiter, len(names), xyz, 0, (f"units: the header says {unit}",) if unit else ())
    return None


def _decode_header_cell(name):
    """Return a cell of a header as text, whatever bytes it holds, so that x, y, z and a unit are looked for in it."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("latin-1")


def _is_row(line):
    """Return whether a line holds anything but a comment."""
    return bool(line.strip()) and not COMMENT.match(line)


def guess_delimiter(line):
    """Return what separates the columns of a row of numbers, by the row alone: b";", b"," or None for white space."""
    if b";" in line:
        return b";"
    words = line.split()
    if len(words) >= 3 and not any(word.startswith(b",") or word.endswith(b",") for word in words):
        return None
    return b"," if b"," in line else None


def _detect_numeric(lines, i):
    """Return the Layout if line i is a row that begins with three numbers, for `detect_layout`; else None.

    No header named the columns.
    """
    delimiter = guess_delimiter(lines[i])
    row = split_cells([lines[i]], delimiter)[0]
    while row and not row[-1].strip():
        row.pop()
    width = len(row)
    if not 3 <= width <= MAX_COLUMNS or not all(NUMBER.fullmatch(cell) for cell in row[:3]):
        return None
    following = split_cells([line for line in lines[i : i + LEAD] if _is_row(line)], delimiter)
    sample = [row for row in following if len(row) >= width]
    if delimiter == b"," and width > 3 and all(INTEGER.fullmatch(cell) for row in sample for cell in row[:width]):
        raise Rejected(
            "decimal_comma",
            f"{width} whole numbers a row between commas, which may be three numbers with decimal commas: "
            f"{DECIMAL_COMMA}, or name the columns in a first line",
        )
    # With 0, 1, 2, ... or 1, 2, 3, ... it is a row number, not a coordinate.
    first = [row[0] for row in sample]
    counted = ([b"%d" % k for k in range(start, start + len(first))] for start in (0, 1))
    shift = int(width > 3 and len(first) > 3 and first in counted)
    return Layout(i, delimiter, width, [shift, shift + 1, shift + 2], *_read_lead(lines[:i], delimiter, width, shift))


def _read_lead(lines, delimiter, width, shift):
    """Return (rows claimed, notices) from the lines before a table's first row of numbers, which may say how many
    follow.
    """
    lines = [line for line in lines if _is_row(line)]
    last = split_cells(lines[-1:], delimiter)[0] if lines else []
    notices = ["the first column counts the rows and was left out"] if shift else []
    if len(last) == 1 and len(lines) == 1 and re.fullmatch(rb"\d{1,18}", last[0]):
        return int(last[0]), tuple(notices)
    if len(last) == width and width != 3:
        raise Rejected("ambiguous_columns", "the header does not say which columns are x, y, z: name them so")
    if lines:
        notices.append(f"{len(lines)} lines before the first row of numbers skipped")
    if width - shift > 3:
        notices.append(f"columns {shift + 1} to {shift + 3} of {width} taken as x, y, z")
    return 0, tuple(notices)


MISSING = re.compile(rb"(?:na|n/a|nan|null|none|-)?", re.IGNORECASE)


LAST = re.compile(rb"[ \t]*[,;][ \t]*(?=\n|\Z)")


def _drop_last_separators(data):
    """Return the bytes of a table less a separator at each row's end, which some programs write, where cells have
    another.
    """
    for line in data[:SAMPLE].split(b"\n")[:LEAD]:
        row = line.rstrip()
        if row[-1:] in (b",", b";") and NUMBER.fullmatch(re.split(rb"[\s;,]", row.lstrip(), maxsplit=1)[0]):
            return data if guess_delimiter(row[:-1]) == row[-1:] else LAST.sub(b"", data)
    return data


def parse(data):
    """Return (points (n, 3) float64, None, notices) of a table's bytes."""
    data = _drop_last_separators(files.normalise_line_ends(data))
    layout = detect_layout(data)
    pieces = data.split(b"\n", layout.first)
    body = pieces[layout.first] if len(pieces) > layout.first else b""
    points, marks, total = np.empty((min(body.count(b"\n") + 1, MAX_POINTS), 3)), set(), 0
    for block in files.split_blocks(body):
        rows = plain_numbers.parse_rows(block, layout.delimiter)
        if rows is None or rows.shape[1] != layout.width:
            columns = _split_coordinates(block, layout, whole=b"." in body)
            marks |= {mark for mark in (b",", b".") for column in columns if mark in b" ".join(column)}
        else:
            columns, rows = None, rows[:, layout.xyz]
            marks |= {b"."} if np.any(rows != np.floor(rows)) else set()
        if len(marks) == 2:
            raise Rejected("decimal_comma", f"coordinates with decimal commas and with points: {DECIMAL_COMMA}")
        if columns is not None:
            rows = np.column_stack([_parse_numbers(column, b"," in marks) for column in columns])
        check_count("points", total + len(rows), MAX_POINTS)
        points[total : total + len(rows)] = rows
        total += len(rows)
    if total < layout.claimed:
        raise Rejected("truncated", f"the first line claims {layout.claimed} rows, {total} follow: copy the file again")
    comma = ("decimal commas read as decimal points",) if b"," in marks else ()
    return points[:total], None, layout.notices + comma


def _split_coordinates(block, layout, whole):
    """Return the cells of x, of y and of z in a block of a table, ready to be parsed; a row of another width is
    refused.
    """
    lines = [line for line in block.split(b"\n") if line and not line.isspace()]
    if any(mark in block for mark in COMMENT_MARKS):
        lines = [line for line in lines if not COMMENT.match(line)]
    plain, delimiter = lines, layout.delimiter
    # White space stands in for the delimiter, unless cells hold white space or quotes themselves.
    if delimiter and lines:
        joined = b"\n".join(lines)
        others = {b'"', b" ", b"\t"} - {delimiter}
        plain = [] if any(sign in joined for sign in others) else joined.replace(delimiter, b" ").split(b"\n")
    columns = files.split_columns(plain)
    if columns and len(columns) == layout.width:
        return [columns[i] for i in layout.xyz]
    # Empty cells at the end do not count, nor do rows with nothing in them.
    rows = [row for row in split_cells(lines, layout.delimiter) if any(cell.strip() for cell in row)]
    for i, row in enumerate(rows):
        while len(row) > layout.width and not row[-1].strip():
            row.pop()
        if len(row) == layout.width:
            continue
        fault = f"a row of {len(row)} cells where {layout.width} are expected"
        if layout.delimiter == b"," and not whole:
            raise Rejected("decimal_comma", f"{fault}, and commas only, which may be decimal commas: {DECIMAL_COMMA}")
        if i == len(rows) - 1 and len(row) < layout.width:
            raise Rejected("truncated", f"{fault}, at the end: the file is cut off; copy it again")
        words = f"{fault}: save the table with the same columns in each row and named in the first"
        raise Rejected("ragged_rows", words)
    return [[row[i] for row in rows] for i in layout.xyz]


def _parse_numbers(tokens, comma):
    """Return cells of a table as float64; missing ones are NaN. comma : whether they have decimal commas"""
    if comma:
        tokens = [token.replace(b",", b".") for token in tokens]
    try:
        return files.parse_floats(tokens)
    except Rejected:
        return files.parse_floats([b"nan" if MISSING.fullmatch(token.strip()) else token for token in tokens])
