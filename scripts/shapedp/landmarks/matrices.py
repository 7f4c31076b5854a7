"""Matrices of landmarks as text: NTSYSpc's (Rohlf 2012), as geomorph and Landmark write them, and Morphologika's.

NTS: '1 n m c [code] DIM=d': a matrix of n specimens and m = k d coordinates (or, of one specimen, k landmarks and d
coordinates), c = 1 where `code` marks what is missing. A letter behind n or m says that labels come: L before the
matrix, B at the beginning of each row, E at its end. Before it, lines that begin with a quotation mark are comments.
Morphologika (O'Higgins and Jones): [individuals], [landmarks], [dimensions], [names], [rawpoints]; in the last, a line
that begins with an apostrophe stands before each individual. In both a specimen has its own lines, and a number too few
or too many there is that record's own affair.
"""

import re
from itertools import dropwhile

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.reading.frame import WHITE
from shapedp.landmarks.records import Cells, Parsed, describe_several, drop_marked, parse_number, refuse_too_many

NTS = re.compile(r"1\s+(\d{1,9})([LBE]?)\s+(\d{1,9})([LBE]?)\s+([01])(?:\s+(?!DIM)(\S+))?\s+DIM\s*=\s*([23])", re.I)
SECTIONS = ("individuals", "landmarks", "dimensions", "names", "labels", "labelvalues", "rawpoints", "wireframe")
SECTION = re.compile(rf"\[({'|'.join(SECTIONS)}|polygons)\]", re.I | re.ASCII)

INDIVIDUAL = re.compile(r"\s*'")  # stands before each individual's lines


def parse_nts(lines, name, layout=None, records=None):
    """Return the landmarks in the lines of an NTSYSpc file (.nts), as Parsed.

    layout : is not needed, for the file's parameter line says it; records : the same
    """
    texts = [text.strip() for _, text in lines]
    texts = list(dropwhile(lambda text: text[:1] in ("", '"', "'"), texts))
    header = NTS.match(texts[0]) if texts else None
    if header is None:
        raise Rejected(
            "not_nts",
            f"{name}: the first line {texts[0][:60] if texts else ''!r} is no parameter line such as "
            "'1 20L 24 1 -999 DIM=2' (20 specimens, 12 planar landmarks, -999 marks what is missing)",
        )
    rows, row_labels, columns, column_labels, has_code, code, dimensions = header.groups()
    rows, columns, dimensions = int(rows), int(columns), int(dimensions)
    if rows < 1 or not 1 <= columns <= sum(map(len, texts)):
        raise Rejected("truncated", f"{name}: the parameter line promises {rows} x {columns} numbers; export it again")
    refuse_too_many(rows, columns, f"{name}: the parameter line")
    labels, table = _split_body(texts[1:], rows, row_labels.upper(), columns, column_labels.upper(), name)
    cells, numbers = Cells(), []
    for at, words in enumerate(table, start=1):
        slip = f"row {at} has {len(words)} of {columns} numbers"
        numbers.append(cells.row(words, f"row {at}:", columns, slip))
    numbers = np.array(numbers)
    code = parse_number(code, f"{name}: the parameter line") if has_code == "1" and code else np.nan
    # Without a code this marks nothing, for NaN equals nothing.
    marked = numbers == code
    numbers = np.where(marked, np.nan, numbers)
    missing_notice = (
        describe_several(f"the value {code:g} is read as missing", ["by the parameter line"]) if marked.any() else ()
    )
    # One specimen with a landmark a row: the labels are then the landmarks' names, and no ids.
    if numbers.shape[1] == dimensions:
        return Parsed([numbers], notices=missing_notice + cells.notices)
    if numbers.shape[1] % dimensions:
        raise Rejected(
            "truncated", f"{name}: {numbers.shape[1]} columns are not a multiple of DIM={dimensions}; export it again"
        )
    return Parsed(list(numbers.reshape(len(numbers), -1, dimensions)), labels, notices=missing_notice + cells.notices)


def _split_body(lines, rows, row_labels, columns, column_labels, name):
    """Return (labels of the rows or None, words of each row) of an NTS file's lines below its parameter line.

    Labels may stand one a line or all in one; the number of lines says which.
    """
    for label_lines in (rows, 1) if row_labels == "L" else (0,):
        for name_lines in (1, columns) if column_labels == "L" else (0,):
            left = len(lines) - label_lines - name_lines
            if left < 1 or left % rows:
                continue
            own, matrix = lines[:label_lines], lines[label_lines + name_lines :]
            labels = (own if label_lines == rows else own[0].split()) if label_lines else None
            if labels and len(labels) != rows:
                continue
            lines_per_row = left // rows
            table = [" ".join(matrix[at * lines_per_row : (at + 1) * lines_per_row]).split() for at in range(rows)]
            if row_labels in ("B", "E"):
                labels = [row.pop(0 if row_labels == "B" else -1) if row else "" for row in table]
            return labels, table
    raise Rejected(
        "truncated",
        f"{name}: {len(lines)} lines behind the parameter line, which promises {rows} rows of {columns} numbers, "
        "each in as many lines as the others; export it again",
    )


def parse_morphologika(lines, name, layout=None, records=None):
    """Return the landmarks in the lines of a Morphologika file, as Parsed.

    layout : is not needed, for its sections say it; records : the same
    """
    sections, current = {}, None
    for line in (text.strip(WHITE) for _, text in lines):
        if match := SECTION.fullmatch(line):
            current = match[1].lower()
            sections.setdefault(current, [])
        elif current == "rawpoints" or (line and current is not None and not line.startswith("'")):
            # In [rawpoints] apostrophes part individuals and a blank line may be a record's; elsewhere they are none.
            sections[current].append(line)
    try:
        people, landmarks, dimensions = (int(sections[key][0]) for key in ("individuals", "landmarks", "dimensions"))
        points = sections["rawpoints"]
    except (KeyError, IndexError, ValueError) as error:
        raise Rejected("not_morphologika", f"{name}: not a readable Morphologika file ({str(error)[:80]})") from error
    if min(people, landmarks) < 1 or dimensions not in (2, 3):
        raise Rejected("not_morphologika", f"{name}: {people} individuals of {landmarks} x {dimensions} landmarks")
    names = sections.get("names")
    if names is not None and len(names) != people:
        raise Rejected("truncated", f"{name}: {len(names)} names for {people} individuals")
    if landmarks > sum(map(len, points)):
        raise Rejected("truncated", f"{name}: {landmarks} landmarks each, more than it can hold; export it again")
    refuse_too_many(people, landmarks, f"{name}: the beginning")
    cells = Cells()
    shapes = [
        _read_individual(own, landmarks, dimensions, f"individual {at}:", cells)
        for at, own in enumerate(_split_individuals(points, people, landmarks, name), start=1)
    ]
    return Parsed(shapes, names, notices=cells.notices)


def _split_individuals(points, people, landmarks, name):
    """Return the lines of each individual of a Morphologika file: between apostrophes, if these fit, else in turn."""
    marks = [at for at, line in enumerate(points) if line.startswith("'")]
    if len(marks) == people and marks[0] == 0:
        return [points[start + 1 : stop] for start, stop in zip(marks, [*marks[1:], None], strict=True)]
    lines = [line for line in points if not line.startswith("'")]
    # Blank lines are left out first; where the count fits only with them, they stand for a record's rows.
    for own in (list(filter(None, lines)), lines):
        lines_per_individual = len(own) // people
        if len(own) == people * lines_per_individual and lines_per_individual in (landmarks, 1):
            return [own[at * lines_per_individual : (at + 1) * lines_per_individual] for at in range(people)]
    promised = f"{people} individuals x {landmarks} landmarks"
    raise Rejected("truncated", f"{name}: {len(lines)} lines of points, promised {promised}; export it again")


def _read_individual(lines, landmarks, dimensions, where, cells):
    """Return the landmarks (k, d) in one individual's lines, one a line or all in one.

    They are missing where their number is another.
    """
    rows = [line.replace(",", " ").split() for line in lines if line]
    if len(rows) == 1 and len(rows[0]) == landmarks * dimensions:
        rows = [rows[0][at : at + dimensions] for at in range(0, landmarks * dimensions, dimensions)]
    if len(rows) != landmarks:
        cells.tell(f"{where} {len(rows)} of {landmarks} landmarks")
        return np.full((landmarks, dimensions), np.nan)
    if wrong := [at for at, row in enumerate(rows, start=1) if len(row) != dimensions]:
        cells.tell(f"{where} landmark {wrong[0]} does not have {dimensions} numbers")
    whole = ([""] * dimensions if len(row) != dimensions else row for row in rows)
    return drop_marked(np.array([[cells.number(word, where) for word in row] for row in whole]))
