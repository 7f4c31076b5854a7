"""What one landmark file holds, before the files of a cohort are brought to one array."""

import re
from dataclasses import dataclass

import numpy as np

from shapedp.errors import Rejected

MISSING = {"", "na", "nan", "n/a", "none", "-", "?"}
SHOWN = 5  # names in a sentence
PLAIN = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Parsed:
    """records : arrays (k_i, 2 or 3), NaN where a coordinate is missing; ids : one name each, or None

    names : names of the landmarks of each record where the file gives them, or None
    notices : what a person should know, a sentence each
    """

    records: list
    ids: list | None = None
    names: list | None = None
    notices: tuple = ()


def number(text, where):
    """A coordinate; NaN for `NA`, an empty cell and their like; a decimal comma is read as what it is."""
    word = (text or "").strip().strip('"')
    if word.lower() in MISSING:
        return np.nan
    try:
        return float(word.replace(",", "."))
    except ValueError as error:
        raise Rejected(
            "not_numeric", f"{where} holds {word[:40]!r} where a coordinate should stand; write NA where it is missing"
        ) from error


class Cells:
    """Reads a file's coordinates one by one; a word that is no number is missing, and kept to be told: one person's
    slip of the pen stops nobody else.
    """

    def __init__(self):
        self._slips = []

    def number(self, text, where):
        """A coordinate, NaN where it is missing or a word."""
        try:
            return number(text, where)
        except Rejected:
            self.tell(f"{where} {text.strip()[:40]!r}")
            return np.nan

    def tell(self, slip):
        """Keep what else is no coordinate."""
        self._slips.append(slip)

    @property
    def notices(self):
        """One sentence about all slips."""
        return several(
            "a word stands where a coordinate should, or a row has not its cells, and is read as missing", self._slips
        )


def count(text):
    """A number of landmarks or specimens, or None."""
    return int(text) if PLAIN.fullmatch(text.strip()) else None


def several(words, names):
    """One notice about the records called `names`: () where there are none."""
    if not names:
        return ()
    shown = ", ".join(str(name)[:80] for name in names[:SHOWN])
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return (f"{words}: {shown}{more}",)
