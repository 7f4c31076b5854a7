"""What forecasts of all kinds of releases have in common."""

from collections.abc import Callable, Mapping
from typing import Any


def find_least(
    low: float,
    high: float,
    enough: Callable[[Any], bool],
    middle: Callable[[Any, Any], Any] = lambda low, high: (low + high) // 2,
    close: Callable[[Any, Any], bool] = lambda low, high: high - low <= 1,
) -> Any:
    """Return the least number, as of people or mu, that a plan's target takes, by bisection; None if the highest fails.

    Parameters
    ----------
    low, high : number
        One that is not enough, and the highest that is looked at.
    enough : callable
        Of an argument.
    middle : callable
        Of low and high, where to look next; by default among whole numbers.
    close : callable
        Of low and high, whether to stop.
    """
    # Checked first, so that what never suffices costs one look.
    if not enough(high):
        return None
    while not close(low, high):
        at = middle(low, high)
        low, high = (low, at) if enough(at) else (at, high)
    return high


def tell_too_few(entry: Mapping[str, Any], n: int, wanted: str = "") -> str:
    """Return the forecast's line about an entry that could not be released: too few people were measured for a mean.

    Parameters
    ----------
    entry : mapping
        Of `releases`.
    n : int
        How many people it is of.
    wanted : str
        At which times they had to be measured, in words.
    """
    kind = entry["kind"].replace("_", " ")
    return (
        f"{entry['name']}, {kind}: {n} people were measured{wanted}, and a mean needs at least 2, so it would be "
        "refused; check the columns of the sheet that the entry names"
    )
