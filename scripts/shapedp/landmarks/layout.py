"""Files brought to one array: what a record of another layout becomes, and which landmark stands where.

Nothing here lets one record decide about another: the layout is the public center's, where there is one.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from shapedp.errors import Rejected
from shapedp.landmarks.parsed import several


@dataclass(frozen=True)
class Layout:
    """count : landmarks; dimensions : 2 or 3; names : the landmarks' names in order, or None"""

    count: int
    dimensions: int
    names: tuple | None = None


def common(records, names):
    """The layout that most records have: for public files, and where no public center says what it is."""
    shapes = Counter(record.shape for record in records if np.isfinite(record).any())
    if not shapes:
        raise Rejected("truncated", "no record has any coordinate that can be read")
    (count, dimensions), _ = max(shapes.items(), key=lambda item: (item[1], item[0]))
    full = [tuple(n) for r, n in zip(records, names, strict=True) if n and r.shape == (count, dimensions)]
    return Layout(count, dimensions, full[0] if full and not _numbered(full[0]) else None)


def arrange(records, names, ids, layout):
    """(records (n, k, d), notices): a record that does not fit the layout is all NaN."""
    placed = [_place(record, own, layout) for record, own in zip(records, names, strict=True)]
    odd = [f"{one} {record.shape}" for one, record, at in zip(ids, records, placed, strict=True) if at is None]
    empty = np.full((layout.count, layout.dimensions), np.nan)
    words = f"not {layout.count} landmarks of {layout.dimensions} coordinates, so all of them count as missing"
    return np.array([empty if one is None else one for one in placed]), several(words, odd)


def _place(record, names, layout):
    """(k, d) with each landmark at its place, NaN where it has no row, or None where the places cannot be told."""
    if record.shape[1] != layout.dimensions:
        return None
    places = _places(names, layout) if names else range(len(record)) if len(record) == layout.count else None
    if places is None:
        return None
    out = np.full((layout.count, layout.dimensions), np.nan)
    out[list(places)] = record
    return out


def _places(names, layout):
    """Place of each landmark: by the public names; by number, from 0 where there is a 0, else from 1; else in order."""
    if len(set(names)) != len(names) or len(names) > layout.count:
        return None
    if layout.names is not None and set(names) <= set(layout.names):
        return [layout.names.index(name) for name in names]
    if _numbered(names):
        first = 0 if "0" in names else 1
        places = [int(name) - first for name in names]
        complete = first == 0 or len(names) == layout.count or layout.count in (int(name) for name in names)
        return places if complete and max(places) < layout.count else None
    return range(layout.count) if len(names) == layout.count else None


def _numbered(names):
    return all(name.isdigit() and len(name) < 10 for name in names)


def oriented(array, layout=None):
    """(n, k, d) of an array in Python's order (n, k, d), R's (k, d, n), or R's as HDF5 turns it (n, d, k).

    array : two or three axes; notices : what was turned
    """
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3:
        raise Rejected("wrong_shape", f"an array of shape {array.shape}, expected (n, k, 2) or (n, k, 3)")
    for axes, words in (((0, 1, 2), ()), ((2, 0, 1), "p x k x n"), ((0, 2, 1), "n x k x p")):
        turned = np.transpose(array, axes)
        fits = turned.shape[1:] == (layout.count, layout.dimensions) if layout else _plausible(turned.shape)
        if fits:
            return turned, (f"the array's axes are R's ({words})",) if words else ()
    wanted = f"{layout.count} landmarks of {layout.dimensions} coordinates" if layout else "(n, k, 2) or (n, k, 3)"
    raise Rejected("wrong_shape", f"an array of shape {array.shape}, expected {wanted}")


def _plausible(shape):
    return shape[2] in (2, 3) and shape[1] >= 3
