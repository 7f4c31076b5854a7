"""What is made beside a release from it alone, after it was stored: its folder never changes.

All of it is post-processing: no record is read and nothing is spent.
"""

from collections.abc import Iterator
from pathlib import Path

from shapedp.base.errors import ConfigError
from shapedp.base.storage import files
from shapedp.releases import allow_list
from shapedp.releases.viewer import board_page

STATEMENT = "statement.json"


def board(release: Path, output: Path) -> Iterator[str]:
    """Write the sheet for whoever must say yes; return lines that say what was written.

    Parameters
    ----------
    release : Path
        The release's folder.
    output : Path
        A page outside any release's folder.
    """
    if output.suffix != ".html":
        raise ConfigError(f"{output}: a sheet is a page; give a file that ends in .html")
    refuse_inside_release(output.parent, output)
    stated = allow_list.check_statement(stated_folder(release))
    files.write_text(output, board_page.page_of(stated))
    count = len(board_page.questions(stated))
    yield f"{output}: {count} questions answered from {release / STATEMENT}; print it on one page. Not legal advice"


def stated_folder(release: Path) -> Path:
    """Return the folder of a release, refused where it holds no statement."""
    if not (release / STATEMENT).is_file():
        raise ConfigError(f"{release}: holds no {STATEMENT}; give the folder of a release")
    return release


def refuse_inside_release(folder: Path, output: Path) -> None:
    """Refuse to write into a release's folder, which stays as it was stored.

    Parameters
    ----------
    folder : Path
        Where files would be put.
    output : Path
        What was asked for, for the message.
    """
    if (folder / STATEMENT).exists():
        raise ConfigError(f"{output}: lies in a release's folder, which never changes; give a place outside it")
