"""Tables of Excel's workbooks (.xlsx) as lines, so that whoever reads a table as text reads these alike.

A cell of a workbook has its own place, so that nothing in one record moves another's. What a cell shows counts: the
stored value of a formula, a date as year-month-day, a whole number without a point. A row without any cell is no row.
"""

import datetime
import warnings
import zipfile

from shapedp.base.errors import MachineError, Rejected
from shapedp.base.reading.files import open_regular

ENDING = ".xlsx"
UNPACKED = 128 * 2**20  # bytes of all parts of a workbook: some three million cells
MOST_ROWS = 1 << 20  # Excel's own limit
MOST_COLUMNS = 1 << 14  # Excel's own limit
SEPARATOR = "\t"
REMEDY = "save it in Excel as .xlsx again, or as CSV UTF-8"


def read_lines(path):
    """Return (number, text) of each row of a workbook's one sheet with cells, tabs between them, to be read as any
    table.

    Rows have as many cells as the first row has.
    """
    try:
        with open_regular(path), zipfile.ZipFile(path) as archive:
            # Before anything is unpacked: a small file may hold gigabytes.
            if sum(member.file_size for member in archive.infolist()) > UNPACKED:
                raise Rejected("too_large", f"{path.name}: unpacks to more than {UNPACKED >> 20} MiB; split it")
        with warnings.catch_warnings():
            # They are of what is not kept of a workbook, such as its charts.
            warnings.simplefilter("ignore")
            return _read_sheet(path)
    except (Rejected, MachineError, MemoryError):
        raise
    except Exception as error:
        words = f"{path.name}: cannot be read as an Excel file ({type(error).__name__}: {str(error)[:80]}); {REMEDY}"
        raise Rejected("unreadable", words) from error


def _read_sheet(path):
    """Return (number, text) of the lines of an Excel workbook, so that it is read as a csv is; refuse several sheets.

    It is of the one sheet that holds cells.
    """
    # Late: where a workbook is read, and nowhere else.
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
    try:
        for page in book.worksheets:
            # What the file claims of its dimensions binds nobody.
            page.reset_dimensions()
        filled_pages = [page for page in book.worksheets if _find_header(page)]
        if len(filled_pages) > 1:
            names = ", ".join(repr(page.title[:40]) for page in filled_pages[:5])
            words = f"{path.name}: {names} hold cells; save the one that is meant as its own file"
            raise Rejected("several_sheets", words)
        return _read_rows(filled_pages[0], len(_find_header(filled_pages[0]))) if filled_pages else []
    finally:
        book.close()


def _find_header(page):
    """Return the column names of a sheet of Excel's: the texts of its first row with any cell; () of an empty sheet."""
    rows = page.iter_rows(max_row=MOST_ROWS, max_col=MOST_COLUMNS, values_only=True)
    for row in rows:
        texts = [_show_cell(cell) for cell in row]
        while texts and not texts[-1]:
            texts.pop()
        if texts:
            return texts
    return ()


def _read_rows(page, width):
    """Return (number, text) of the rows of a sheet of Excel's, as lines with tabs between the cells."""
    lines_read = []
    rows = page.iter_rows(max_row=MOST_ROWS, max_col=min(width + 1, MOST_COLUMNS), values_only=True)
    for number, row in enumerate(rows, start=1):
        texts = [_show_cell(cell) for cell in row]
        if any(texts):
            texts += [""] * (width - len(texts))
            # A cell too many is the record's fault, and told.
            cells_kept = texts if any(texts[width:]) else texts[:width]
            lines_read.append((number, SEPARATOR.join(map(_quote_cell, cells_kept))))
    return lines_read


def _show_cell(cell):
    """Return the text of one cell of Excel's as a table in text would have it, in one line."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        cell = cell.date()
    return " ".join(str(cell).split())


def _quote_cell(text):
    """Return a cell's text in quotes where it holds any."""
    return '"' + text.replace('"', '""') + '"' if '"' in text else text
