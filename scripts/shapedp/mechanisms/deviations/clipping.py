"""What clipping does to a mean, from public people who had no part in their axes: foretold, for no noise hides it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Fold:
    """People left out: x (f, dim) their deviations from what the others say of p0; moments (q,), axes (dim, q) as
    columns, of the others; spread : how much larger their squares are than about the mean of all there are.
    """

    x: np.ndarray
    moments: np.ndarray
    axes: np.ndarray
    spread: float

    @property
    def roots(self):
        """Of the moments."""
        return np.sqrt(self.moments)

    @cached_property
    def coordinates(self):
        """(f, q) along the axes."""
        return self.x @ self.axes

    @property
    def squares(self):
        """(f, q) of the coordinates."""
        return self.coordinates**2

    @cached_property
    def lengths(self):
        """(f, q) of u with the first 1, 2, ... axes."""
        return np.sqrt(np.cumsum(self.squares / self.roots, axis=1))


def bounds(folds, quantile):
    """(q,) for each fold the quantile of the others' lengths: nobody has part in the bound that clips them."""
    for own in folds:
        others = np.concatenate([one.lengths for one in folds if one is not own])
        yield np.quantile(others, quantile, axis=0, method="higher")


def of(folds, limits):
    """(how far clipping moves the mean, squared, less what chance adds; what one person loses, squared; by which share
    a mean that lies elsewhere is pulled back): (q,) each.

    Of a person whose share s of u is clipped, a step of the mean keeps 1 - s, and nothing along u itself.

    limits : (q,) bound on ||u|| for the first 1, 2, ... axes, a fold
    """
    count, people = folds[0].axes.shape[1], sum(len(fold.x) for fold in folds)
    moved, lost, pulled = 0.0, np.zeros(count), np.zeros(count)
    for fold, bound in zip(folds, limits, strict=True):
        share = 1 - np.minimum(1.0, bound / np.maximum(fold.lengths, np.finfo(float).tiny))
        lost += (share**2 * np.cumsum(fold.squares, axis=1)).sum(axis=0)
        pulled += (share + (share > 0) * (1 - share) / np.arange(1, count + 1)).sum(axis=0)
        upto = np.tril(np.ones((count, fold.axes.shape[1]), bool))
        moved = moved + ((share.T @ fold.coordinates) * upto) @ fold.axes.T
    systematic = (moved**2).sum(axis=1) / people**2 - lost / people**2
    return np.maximum(systematic, 0.0), lost / people, pulled / people
