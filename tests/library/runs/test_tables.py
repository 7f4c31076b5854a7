"""Rows are tab-separated for a program and drawn for a terminal, with the same cells."""

import io

from shapedp.runs import tables

ROWS = [{"name": "mean_face", "mu": 1.23456789, "group": None}, {"name": "[red]", "mu": 2.0, "group": "a"}]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_elsewhere_than_on_a_terminal_cells_are_separated_by_tabs():
    stream = io.StringIO()
    tables.show(ROWS, stream)
    assert stream.getvalue() == "name\tmu\tgroup\nmean_face\t1.23457\t\n[red]\t2\ta\n"


def test_a_terminal_shows_a_table_and_takes_no_cell_for_a_command():
    stream = Terminal()
    tables.show(ROWS, stream)
    assert "─" in stream.getvalue()
    assert "[red]" in stream.getvalue()


def test_no_rows_are_nothing():
    stream = io.StringIO()
    tables.show([], stream)
    assert stream.getvalue() == ""
