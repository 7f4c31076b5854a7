"""Rejection sampling for many data sets at once: the first accepted proposals of each, in their order."""

import numpy as np

from shapedp.errors import ShapedpError

# Numbers that one round may hold at once, and proposals after which a draw is given up.
_ROOM = 4_000_000
MOST_PROPOSALS = 100_000_000


class Exhausted(ShapedpError):
    """No draw was accepted in MOST_PROPOSALS; nothing else is returned in its place."""


def collect(manifold, sets, size, cost, attempt, most=MOST_PROPOSALS):
    """`size` accepted points for each of `sets` targets: (sets, size, *point).

    attempt(rows, width) proposes `width` points for each of the targets `rows` and returns them, (a, width, *point),
    with the mask (a, width) of those accepted; cost is the count of numbers it holds for one proposal
    most : proposals after which a draw is given up; inf where a share of them is accepted whatever the data are, since
        giving up would depend on the data
    """
    out = np.empty((sets, size, *manifold.point_shape), dtype=manifold.dtype)
    filled = np.zeros(sets, dtype=int)
    tried, rate = 0, 0.5
    while (filled < size).any():
        rows = np.flatnonzero(filled < size)[: max(1, _ROOM // cost)]
        width = _width((size - filled[rows]).max() / rate, len(rows) * cost)
        points, accepted = attempt(rows, width)
        _store(out, filled, rows, points, accepted)
        tried += accepted.size
        rate = max(accepted.mean(), rate / 4)
        if tried > most * sets * size:
            raise Exhausted(f"no draw in {most:,} proposals: use a smaller dimension or more records")
    return out


def _width(wanted, cost):
    """Proposals a target in one round: a few more than needed, within the room."""
    return int(np.clip(1.1 * wanted + 1, 1, max(1, _ROOM // cost)))


def _store(out, filled, rows, points, accepted):
    """Put the accepted points into the next free places of their targets."""
    place = filled[rows][:, None] + np.cumsum(accepted, axis=1) - 1
    keep = accepted & (place < out.shape[1])
    row, column = np.nonzero(keep)
    out[rows[row], place[row, column]] = points[row, column]
    filled[rows] = np.minimum(filled[rows] + accepted.sum(axis=1), out.shape[1])
