"""NTSYSpc files (Rohlf 2012), as geomorph and Landmark write them.

'1 n m c [code] DIM=d': a matrix of n specimens and m = k d coordinates (or, of one specimen, k landmarks and d
coordinates), c = 1 where `code` marks what is missing. A letter behind n or m says that labels come: L before the
matrix, B at the beginning of each row, E at its end. Lines that begin with a quotation mark are comments.
"""

import re
from dataclasses import replace

import numpy as np

from shapedp.errors import Rejected
from shapedp.landmarks.parsed import Cells, Parsed, number, several

HEADER = re.compile(r"1\s+(\d{1,9})([LBE]?)\s+(\d{1,9})([LBE]?)\s+([01])(?:\s+(?!DIM)(\S+))?\s+DIM\s*=\s*([23])", re.I)


def parse(text, name):
    """The specimens of an NTS text."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and line.lstrip()[0] not in "\"'"]
    header = HEADER.match(lines[0]) if lines else None
    if header is None:
        raise Rejected(
            "not_nts",
            f"{name}: the first line {lines[0][:60] if lines else ''!r} is no parameter line such as "
            "'1 20L 24 1 -999 DIM=2' (20 specimens, 12 planar landmarks, -999 marks what is missing)",
        )
    rows, row_labels, columns, column_labels, has_code, code, dimensions = header.groups()
    rows, columns, dimensions = int(rows), int(columns), int(dimensions)
    labels, table = _body(lines[1:], rows, row_labels.upper(), columns, column_labels.upper(), name)
    cells = Cells()
    numbers = np.array([[cells.number(word, f"row {at}:") for word in row] for at, row in enumerate(table, start=1)])
    found = _records(numbers, labels, dimensions, _code(code, name) if has_code == "1" and code else None, name)
    return replace(found, notices=found.notices + cells.notices)


def _code(text, name):
    """What marks a missing number."""
    found = number(text, f"{name}: the parameter line")
    if np.isnan(found):
        return None
    return found


def _body(lines, rows, row_labels, columns, column_labels, name):
    """(labels of the rows or None, rows of words)."""
    words = [word for line in lines for word in line.split()]
    labels = None
    if row_labels == "L":
        # one label a line where labels hold spaces, else one a word
        spaced = len(words) != rows * (1 + columns) + columns * (column_labels == "L")
        labels = lines[:rows] if spaced else words[:rows]
        words = [word for line in lines[rows:] for word in line.split()] if spaced else words[rows:]
    words = words[columns:] if column_labels == "L" else words
    wide = columns + (row_labels in ("B", "E"))
    if rows < 1 or columns < 1 or len(words) != rows * wide:
        raise Rejected(
            "truncated", f"{name}: {len(words)} numbers, the parameter line promises {rows} x {wide}; export it again"
        )
    table = [words[start : start + wide] for start in range(0, len(words), wide)]
    if row_labels in ("B", "E"):
        at = 0 if row_labels == "B" else -1
        labels = [row.pop(at) for row in table]
    return labels, table


def _records(numbers, labels, dimensions, code, name):
    marked = ~np.isnan(numbers) & (numbers == code) if code is not None else np.zeros(numbers.shape, bool)
    numbers = np.where(marked, np.nan, numbers)
    notices = several(f"the value {code:g} is read as missing", ["by the parameter line"]) if marked.any() else ()
    if numbers.shape[1] == dimensions:  # one specimen, a landmark a row; the labels are the landmarks'
        return Parsed([numbers], notices=notices)
    if numbers.shape[1] % dimensions:
        raise Rejected("truncated", f"{name}: {numbers.shape[1]} columns are no multiple of DIM={dimensions}")
    return Parsed(list(numbers.reshape(len(numbers), -1, dimensions)), labels, notices=notices)
