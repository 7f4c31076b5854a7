"""Rows for a person or for a program: drawn to the terminal's width, or tab-separated where they go elsewhere."""

import sys

from rich import box
from rich.console import Console
from rich.table import Table


def show(rows, stream=None):
    """Print rows, {column: value} with the same columns each."""
    stream = stream or sys.stdout
    if not rows:
        return
    cells = [[_cell(value) for value in row.values()] for row in rows]
    if not stream.isatty():
        print("\n".join("\t".join(line) for line in [list(rows[0]), *cells]), file=stream)
        return
    table = Table(*rows[0], box=box.SIMPLE_HEAD)
    for line in cells:
        table.add_row(*line)
    Console(file=stream, highlight=False, markup=False).print(table)


def _cell(value):
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
