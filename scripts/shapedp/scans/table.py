"""Tables of numbers: xyz, txt, pts, csv, tsv, with or without header, with decimal points or commas.

Written by hand: no table reader at hand tells a decimal comma from a separator, or refuses when it cannot.
"""

import re

import numpy as np

from shapedp.errors import Rejected
from shapedp.scans import text
from shapedp.scans.limits import MAX_POINTS, check_count
from shapedp.scans.table_layout import COMMENT, COMMENT_MARKS, DECIMAL_COMMA, cells, detect

MISSING = re.compile(rb"\s*(?:na|n/a|nan|null|none|-)?\s*", re.IGNORECASE)


def parse(data):
    """(points (n, 3) float64, None, notices) of a table's bytes."""
    data = text.line_feeds(data)
    layout = detect(data)
    pieces = data.split(b"\n", layout.first)
    body = pieces[layout.first] if len(pieces) > layout.first else b""
    points, marks, total = np.empty((min(body.count(b"\n") + 1, MAX_POINTS), 3)), set(), 0
    for block in text.blocks(body):
        columns = _coordinates(block, layout, whole=b"." in body)
        marks |= {mark for mark in (b",", b".") for column in columns if mark in b" ".join(column)}
        if len(marks) == 2:
            raise Rejected("decimal_comma", f"coordinates with decimal commas and with points: {DECIMAL_COMMA}")
        rows = np.column_stack([_numbers(column, b"," in marks) for column in columns])
        check_count("points", total + len(rows), MAX_POINTS)
        points[total : total + len(rows)] = rows
        total += len(rows)
    if total < layout.claimed:
        raise Rejected("truncated", f"the first line claims {layout.claimed} rows, {total} follow: copy the file again")
    comma = ("decimal commas read as decimal points",) if b"," in marks else ()
    return points[:total], None, layout.notices + comma


def _coordinates(block, layout, whole):
    """The cells of x, of y and of z; every row must have as many cells as the layout says."""
    lines = [line for line in block.split(b"\n") if line and not line.isspace()]
    if any(mark in block for mark in COMMENT_MARKS):
        lines = [line for line in lines if not COMMENT.match(line)]
    columns = text.even(_spaced(lines, layout.delimiter))
    if columns and len(columns) == layout.width:
        return [columns[i] for i in layout.xyz]
    rows = _even(cells(lines, layout.delimiter), layout, whole)
    return [[row[i] for row in rows] for i in layout.xyz]


def _spaced(lines, delimiter):
    """The lines with white space for the delimiter, or none where cells hold white space or quotes themselves."""
    if delimiter is None or not lines:
        return lines
    joined = b"\n".join(lines)
    others = {b'"', b" ", b"\t"} - {delimiter}
    return [] if any(other in joined for other in others) else joined.replace(delimiter, b" ").split(b"\n")


def _even(rows, layout, whole):
    """Rows of one width: empty cells at the end do not count, nor do rows with nothing in them."""
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    for i, row in enumerate(rows):
        while len(row) > layout.width and not row[-1].strip():
            row.pop()
        if len(row) == layout.width:
            continue
        found = f"a row of {len(row)} cells where {layout.width} are expected"
        if layout.delimiter == b"," and not whole:
            raise Rejected("decimal_comma", f"{found}, and commas only, which may be decimal commas: {DECIMAL_COMMA}")
        if i == len(rows) - 1 and len(row) < layout.width:
            raise Rejected("truncated", f"{found}, at the end: the file is cut off; copy it again")
        raise Rejected(
            "ragged_rows", f"{found}: save the table with the same columns in each row and named in the first"
        )
    return rows


def _numbers(tokens, comma):
    """Cells as float64; missing ones are NaN."""
    if comma:
        tokens = [token.replace(b",", b".") for token in tokens]
    try:
        return text.floats(tokens)
    except Rejected:
        return text.floats([b"nan" if MISSING.fullmatch(token) else token for token in tokens])
