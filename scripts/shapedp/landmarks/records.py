"""What one landmark file holds, and how the files of a cohort are brought to one array.

Nothing here lets one record decide about another: the layout is the public center's, where there is one.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from shapedp.base.errors import Rejected, join_first

MISSING = {"", "na", "nan", "n/a", "none", "-", "?"}
LEAST = 3  # landmarks of a shape
# Rows times what a table's header says of each; no file holds as many letters.
MOST_CELLS = 1 << 26
# Beyond it are placeholders for what is missing, and squares that overflow.
LARGEST = 1e30
MOST_SLIPS = 1000
# Landmark Editor and Morphologika write it for all coordinates of a landmark that is missing.
MARK = 9999.0


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


def parse_number(text, where):
    """Return a coordinate; NaN for `NA`, an empty cell and their like; a decimal comma is read as what it is."""
    word = (text or "").strip().strip('"')
    if word.lower() in MISSING:
        return np.nan
    try:
        return float(word.replace(",", "."))
    except ValueError as error:
        raise Rejected(
            "not_numeric", f"{where} holds {word[:40]!r} where a coordinate should stand; write NA where it is missing"
        ) from error


def refuse_too_many(rows, each, where):
    """Refuse a table that promises more cells than a file can hold, before room for them is made."""
    if rows * each > MOST_CELLS:
        words = f"{where} promises {rows} x {each} cells, more than {MOST_CELLS}, which no file holds; export it again"
        raise Rejected("truncated", words)


class Cells:
    """Reads coordinates one by one; a word counts as missing and is told: one person's slip of the pen stops nobody."""

    def __init__(self):
        self._slips = []

    def number(self, text, where):
        """Return a coordinate; NaN where it is missing or cannot be read, which a notice then tells."""
        try:
            return parse_number(text, where)
        except Rejected:
            self.tell(f"{where} {text.strip()[:40]!r}")
            return np.nan

    def row(self, words, where, width, slip):
        """Return one landmark's `width` coordinates; all missing, as `slip` tells, where there are more or fewer."""
        if len(words) != width:
            self.tell(slip)
            return [np.nan] * width
        return [self.number(word, where) for word in words]

    def tell(self, slip):
        """Keep what else is no coordinate, as many as are ever told."""
        if len(self._slips) < MOST_SLIPS:
            self._slips.append(slip)

    @property
    def notices(self):
        """Return one sentence about all cells that could not be read, for the operator; none without any."""
        words = (
            "read as missing, because a word stands where a coordinate should, or a row has too few or too many cells"
        )
        return describe_several(words, self._slips)


def describe_several(words, names):
    """Return one notice about several records at once, of which it names the first few; () where there are none."""
    if not names:
        return ()
    return (f"{words}: {join_first([str(name)[:80] for name in names])}",)


@dataclass(frozen=True)
class Layout:
    """count : landmarks; dimensions : 2 or 3; names : the landmarks' names in order, or None"""

    count: int
    dimensions: int
    names: tuple | None = None


def find_common_layout(records, names):
    """Return the layout that most records have: for public files, and where no public center says what it is."""
    shapes = Counter(record.shape for record in records if np.isfinite(record).any())
    if not shapes:
        raise Rejected("truncated", "no record has any coordinate that can be read")
    (count, dimensions), _ = max(shapes.items(), key=lambda count_of_shape: (count_of_shape[1], count_of_shape[0]))
    full = [tuple(n) for r, n in zip(records, names, strict=True) if n and r.shape == (count, dimensions)]
    return Layout(count, dimensions, full[0] if full and not _are_numbers(full[0]) else None)


def drop_marked(record):
    """Return the record, without each landmark that is marked as missing."""
    return np.where((record == MARK).all(axis=1, keepdims=True), np.nan, record)


def drop_partial(record):
    """Return the record with each landmark missing of which a coordinate is missing or too large to compute with."""
    # Written so that NaN is lacking, too: every comparison with NaN is False.
    lacking = ~(np.abs(record) < LARGEST)
    return np.where(lacking.any(axis=1, keepdims=True), np.nan, record)


def arrange(records, names, layout):
    """Return a cohort's records as one array (n, k, d), each landmark at its place, and what is wrong with each, or "".

    A record that does not fit the layout is all NaN.
    """
    placed, faults = np.full((len(records), layout.count, layout.dimensions), np.nan), []
    for out, record, own in zip(placed, records, names, strict=True):
        places = _place_landmarks(own, layout) if own else range(len(record)) if len(record) == layout.count else None
        large, fault = int((np.abs(record) >= LARGEST).any(axis=1).sum()), ""
        if record.shape[1] != layout.dimensions or places is None:
            fault = f"its {len(record)} landmarks of {record.shape[1]} coordinates do not fit "
            fault += f"the {layout.count} of {layout.dimensions}, by number or by name"
        else:
            out[list(places)] = drop_partial(record)
            fault = f"{large} of {len(record)} landmarks have a coordinate of {LARGEST:g} or more" if large else ""
        faults.append(fault)
    return placed, faults


def drop_landmarks(shapes, leave_out, where):
    """Return shapes (n, k, d) without the landmarks that the settings leave out, whose numbers count from 1.

    where : the file, for a complaint
    """
    count = shapes.shape[1]
    if beyond := [number for number in leave_out if number > count]:
        words = f"shapes.leave_out: names landmark {beyond[0]}, and {where} has {count}; correct the number"
        raise Rejected("no_such_landmark", words)
    if leave_out and count - len(leave_out) < LEAST:
        words = f"shapes.leave_out: {where} has {count} landmarks, of which a shape needs {LEAST}; leave out fewer"
        raise Rejected("too_few_landmarks", words)
    return np.delete(shapes, np.asarray(leave_out, dtype=int) - 1, axis=1)


def _place_landmarks(names, layout):
    """Return where each landmark of a record stands among those of the public center; None where the two do not fit.

    That is by the public names; by number, from 0 where there is a 0, else from 1; else in order.
    """
    if len(set(names)) != len(names) or len(names) > layout.count:
        return None
    if layout.names is not None and set(names) <= set(layout.names):
        return [layout.names.index(name) for name in names]
    if _are_numbers(names):
        first = 0 if "0" in names else 1
        places = [int(name) - first for name in names]
        complete = first == 0 or len(names) == layout.count or layout.count in (int(name) for name in names)
        return places if complete and max(places) < layout.count else None
    return range(layout.count) if len(names) == layout.count else None


def _are_numbers(names):
    # isdecimal, since "²" is a digit by `isdigit` and no number for `int`.
    return all(name.isdecimal() and len(name) < 10 for name in names)


def orient(array, layout=None):
    """Return ((n, k, d), notices) of an array of landmarks, whichever way round its program stores it.

    Python has (n, k, d), R (k, d, n), and R by way of HDF5 (n, d, k).
    """
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3:
        raise Rejected("wrong_shape", f"an array of shape {array.shape}, expected (n, k, 2) or (n, k, 3)")
    for axes, words in (((0, 1, 2), ()), ((2, 0, 1), "p x k x n"), ((0, 2, 1), "n x k x p")):
        turned = np.transpose(array, axes)
        count, dimensions = turned.shape[1:]
        plausible = dimensions in (2, 3) and count >= LEAST
        if (count, dimensions) == (layout.count, layout.dimensions) if layout else plausible:
            return turned, (f"the array's axes are R's ({words})",) if words else ()
    wanted = f"{layout.count} landmarks of {layout.dimensions} coordinates" if layout else "(n, k, 2) or (n, k, 3)"
    raise Rejected("wrong_shape", f"an array of shape {array.shape}, expected {wanted}")
