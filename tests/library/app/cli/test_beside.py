"""What is made beside a stored release, by commands that leave its folder as it is."""

import pytest

from library.releases import examples
from shapedp.app.cli import beside
from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.ledger import ledger_folder
from shapedp.releases.viewer import board_page


@pytest.fixture
def folder(tmp_path):
    """A stored release."""
    made = examples.output(tmp_path)
    book = ledger_folder.Ledger(tmp_path / "ledger")
    examples.publish(book, examples.request(), examples.stated(), examples.Draw(), made)
    return made


def test_a_board_gets_its_sheet_and_the_release_stays_as_it_is(folder, tmp_path):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    told = list(beside.board(folder, tmp_path / "sheet.html"))
    assert "questions answered" in told[0]
    assert (tmp_path / "sheet.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_nothing_is_put_into_a_release(folder):
    with pytest.raises(ConfigError, match="never changes"):
        list(beside.board(folder, folder / board_page.BOARD))


@pytest.mark.parametrize("name", ["sheet.pdf", "sheet"])
def test_a_sheet_is_a_page(folder, tmp_path, name):
    with pytest.raises(ConfigError, match=r"ends in \.html"):
        list(beside.board(folder, tmp_path / name))


def test_a_folder_without_a_release_and_a_changed_statement_are_refused(folder, tmp_path):
    with pytest.raises(ConfigError, match=r"holds no statement\.json"):
        list(beside.board(tmp_path, tmp_path / "sheet.html"))
    stated = folder / "statement.json"
    stated.write_text(stated.read_text(encoding="utf-8").replace('"n": 100', '"n": 1000'), encoding="utf-8")
    with pytest.raises(RefusedRelease, match=r"differs from statement\.json"):
        list(beside.board(folder, tmp_path / "sheet.html"))
    assert not (tmp_path / "sheet.html").exists()
