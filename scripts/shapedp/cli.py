"""The command `shapedp`: look into artifacts, plan a release, read a ledger. Errors are one line."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from shapedp.errors import ArtifactError, ConfigError, RefusedRelease, ShapedpError

EXIT_CODES = {ConfigError: 3, ArtifactError: 4, RefusedRelease: 5}  # 1: any other error, 2: wrong usage
app = typer.Typer(
    help=__doc__.split(".")[0] + ".",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command()
def describe(
    file: Annotated[Path | None, typer.Argument(help="an HDF5 artifact, e.g. results/private/faces/curves.h5")] = None,
    table: Annotated[bool, typer.Option("--table", help="print the table of all artifacts, for the README")] = False,
):
    """Print what an artifact holds.

    Example: shapedp describe results/release/faces/mean_face/mean_face.h5
    """
    from shapedp import describe as words

    if table == (file is not None):
        raise typer.BadParameter("give a FILE or --table")
    for line in words.table() if table else words.describe(file):
        print(line)


def main():
    """Run the command; a mendable error is one line on standard error and an exit code that says its kind."""
    try:
        app(standalone_mode=True)
    except ShapedpError as error:
        print(f"shapedp: {' '.join(str(error).split())}", file=sys.stderr)
        return next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), 1)
    return 0
