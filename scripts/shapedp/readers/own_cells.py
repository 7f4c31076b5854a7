"""What a record's own cells say of a person: a covariate of a model, or the number that a change is counted by.

Settings name columns without regard to case, for faces and landmarks alike.
"""

import math
import re
from collections.abc import Iterable, Mapping

DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")


def cell(texts: Mapping[str, str], column: str) -> str:
    """What a record's cells, by column, hold in one of them; "" where it is not there.

    Where names differ by their case alone, the one that is written the same counts.
    """
    if column in texts:
        return texts[column]
    return next((text for name, text in texts.items() if name.casefold() == column.casefold()), "")


def number(text: str) -> float:
    """The finite number that a cell holds, with a point or a decimal comma; NaN for what is none."""
    word = str(text).strip()
    try:
        found = float(word.replace(",", ".") if DECIMAL_COMMA.fullmatch(word) else word)
    except ValueError:
        return math.nan
    return found if math.isfinite(found) else math.nan


def lacking(asked: Iterable[str], columns: Iterable[str]) -> list[str]:
    """Those of the names in settings that are no columns, in order."""
    there = {name.casefold() for name in columns}
    return sorted(name for name in asked if name.casefold() not in there)
