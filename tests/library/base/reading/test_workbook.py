"""Excel's workbooks are read as the same table's text is: landmarks, sheets, and what is broken in one line."""

import datetime
import zipfile

import numpy as np
import openpyxl
import pytest

from shapedp import landmarks
from shapedp.base.errors import Rejected
from shapedp.base.reading import frame, workbook
from shapedp.landmarks import sheet
from shapedp.people import samples


def save(path, *pages):
    """A workbook with these pages, each a list of rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(pages):
        page = book.create_sheet(f"page {number}")
        for row in rows:
            page.append(row)
    book.save(path)
    return path


WIDE = [["id", "x1", "y1", "x2", "y2", "x3", "y3"], ["a", 0, 0.5, 1, 0, None, 1], [7, 0, 0, "1,5", 0, "NA", "NA"]]


def test_landmarks_of_a_workbook_are_those_of_the_same_csv(tmp_path):
    text = "\n".join(";".join("" if cell is None else str(cell) for cell in row) for row in WIDE)
    (tmp_path / "marks.csv").write_text(text + "\n", encoding="utf-8")
    found, expected = landmarks.read(save(tmp_path / "marks.xlsx", WIDE, [])), landmarks.read(tmp_path / "marks.csv")
    np.testing.assert_array_equal(found.shapes, expected.shapes)
    assert found.ids == expected.ids == ["a", "7"]


def test_cells_are_read_as_they_show(tmp_path):
    day, moment = datetime.datetime(2026, 3, 1), datetime.datetime(2026, 3, 1, 12, 30)
    rows = [["id", "a", "b", "c", "d"], [], ["x", day, moment, True, 'say "so"\nnow'], ["y", 2.0, 0.1]]
    _, first, second = workbook.read_lines(save(tmp_path / "t.xlsx", rows))
    assert first == (3, 'x\t2026-03-01\t2026-03-01 12:30:00\tyes\t"say ""so"" now"')
    assert second == (4, "y\t2\t0.1\t\t")


def test_a_sheet_says_whose_records_are_and_a_row_with_a_cell_too_many_keeps_its_id(tmp_path):
    rows = [["id", "person", "group"], ["a", "anna", "g"], ["b", "bea", "h", "too many"]]
    found = sheet.read_sheet(save(tmp_path / "sheet.xlsx", rows), ["b", "a"])
    assert found.persons == ["bea", "anna"]
    assert found.groups == ["", "g"] and "more cells" in " ".join(found.notices)


def test_a_sample_sheet_of_scans_may_be_a_workbook(tmp_path):
    (tmp_path / "a.ply").write_bytes(b"x")
    path = save(tmp_path / "samples.xlsx", [["path", "person"], ["a.ply", "anna"]])
    assert samples.is_sheet(path)
    assert [one.person for one in samples.read_sheet(path)] == ["anna"]
    (tmp_path / "other.xlsx").write_bytes(b"PK no workbook")
    assert not samples.is_sheet(tmp_path / "other.xlsx")


def test_two_pages_with_cells_are_not_chosen_between(tmp_path):
    with pytest.raises(Rejected, match="'page 0', 'page 1' hold cells; save the one"):
        workbook.read_lines(save(tmp_path / "two.xlsx", WIDE, WIDE))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04" + bytes(100), b"id,x\n1,2\n"])
def test_what_is_no_workbook_is_refused_in_one_line_with_the_remedy(tmp_path, content):
    (tmp_path / "no.xlsx").write_bytes(content)
    with pytest.raises(Rejected, match=r"no.xlsx: cannot be read as an Excel file .*CSV UTF-8") as refused:
        frame.read_lines(tmp_path / "no.xlsx")
    assert "\n" not in str(refused.value)


def test_a_workbook_that_unpacks_without_end_is_refused_before_it_is_unpacked(tmp_path):
    with (
        zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w") as part,
    ):
        for _ in range(workbook.UNPACKED // 2**20 + 1):
            part.write(bytes(2**20))
    with pytest.raises(Rejected, match="unpacks to more than 128 MiB"):
        frame.read_lines(tmp_path / "bomb.xlsx")


def test_a_cell_at_the_far_corner_costs_no_more_than_its_row(tmp_path):
    book = openpyxl.Workbook()
    for at, row in enumerate([["id", "x1"], ["a", 1]], start=1):
        for column, cell in enumerate(row, start=1):
            book.active.cell(at, column, cell)
    book.active.cell(1000, 16384, "far")
    book.save(tmp_path / "far.xlsx")
    assert workbook.read_lines(tmp_path / "far.xlsx") == [(1, "id\tx1"), (2, "a\t1")]
