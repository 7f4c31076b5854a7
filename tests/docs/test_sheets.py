"""The page of sheet columns names each column that a sheet may have, and only these."""

import re

from shapedp.base.reading import frame
from shapedp.landmarks import sheet
from shapedp.people import samples


def columns(text):
    """The words in code in the first cells of a table."""
    cells = re.findall(r"^\| ([^|]*`[^|]*) \|", text, re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`(\w+)`", cell)}


def test_each_column_stands_on_the_page(root):
    text = (root / "docs/sheets.md").read_text(encoding="utf-8")
    faces, landmarks = text.split("## Columns of landmarks")
    assert columns(faces) == {*samples.COLUMNS, *frame.FRAME_COLUMNS}
    own = {one for names in sheet.NAMES.values() for one in names}
    assert columns(landmarks) == {*own, *frame.FRAME_COLUMNS} - {samples.PATH}
