"""A sample sheet as laboratories have it: separated by tabs, semicolons or commas, with columns of their own."""

import csv
import io
import re

from shapedp.errors import ConfigError

LARGEST = 1 << 29  # bytes; a million rows need a fifth
DELIMITERS = "\t;,"
NEEDED = {"id", "path"}
COORDINATES = ("nose_x", "nose_y", "nose_z")
DECIMAL_COMMA = re.compile(r"(-?\d*),(\d+)")


def read(sheet):
    """(names of the columns, rows as dictionaries) of a sheet; the header says what separates the cells."""
    lines = io.StringIO(_text(sheet), newline="")
    try:
        first = lines.readline()
        delimiter = max(DELIMITERS, key=lambda sign: (len(NEEDED & set(_cells(first, sign))), first.count(sign)))
        header = _cells(first, delimiter)
        _refuse_repeated(header, sheet)
        rows = list(csv.DictReader(lines, fieldnames=header, delimiter=delimiter))
    except csv.Error as error:
        raise ConfigError(
            f"{sheet.name}: not a readable table ({error}); look for a quotation mark too many"
        ) from error
    return header, rows if delimiter == "\t" else [_with_points(row) for row in rows]


def _text(sheet):
    """The sheet as text: UTF-8, or the UTF-16 that Excel calls Unicode text."""
    if sheet.stat().st_size > LARGEST:
        raise ConfigError(f"{sheet.name}: {sheet.stat().st_size} bytes; a sheet of scans is never that large")
    content = sheet.read_bytes()
    try:
        return content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{sheet.name}: not UTF-8 text (byte {error.start}); save the sheet as UTF-8") from error


def _cells(line, delimiter):
    return [cell.strip() for cell in next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])]


def _refuse_repeated(header, sheet):
    if repeated := sorted({name for name in header if header.count(name) > 1}):
        raise ConfigError(f"{sheet.name}: the column(s) {', '.join(map(repr, repeated))} stand more than once")


def _with_points(row):
    """Coordinates with the decimal comma of sheets that are separated by semicolons, with points."""
    found = {name: row[name] for name in COORDINATES if row.get(name)}
    return {**row, **{name: DECIMAL_COMMA.sub(r"\1.\2", text) for name, text in found.items()}}
