"""People who are drawn where nobody's scans are given: the cells of their sample sheet, and their scans."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

# What draws people is imported late: it takes numpy, which the workflow starts without.


def cells_of_drawn(seed: int, count: int, word: str) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield ((column, text), ...) of each of `count` drawn people, which are known without making their scans.

    Parameters
    ----------
    seed : int
        Of their faces.
    count : int
        How many.
    word : str
        What settings call them: demo, built_in or formula.
    """
    from shapedp.surfaces.human_face.demo import scans

    for index in range(count):
        yield tuple(scans.truth(seed, index, word).person.cells().items())


def make_scans(folder: Path, count: int, seed: int, **options: Any) -> None:
    """Write the scans of drawn people into a folder, beside their sample sheet, for the demo.

    Parameters
    ----------
    folder : Path
        Of the scans.
    count : int
        People.
    seed : int
        Of their faces.
    options
        As `human_face.demo.scans.make_scans` takes them.
    """
    from shapedp.surfaces.human_face.demo import scans

    scans.make_scans(folder, count, seed, **options)
