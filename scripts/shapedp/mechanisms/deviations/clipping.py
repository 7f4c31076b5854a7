"""What clipping does to a mean, from public people who had no part in their axes: foretold, for no noise hides it."""

import numpy as np


def of(folds, clips, people):
    """(how far clipping moves the mean, squared, less what chance adds; what one person loses, squared; by which share
    a mean that lies elsewhere is pulled back): (q,) each.

    Of a person whose share s of u is clipped, a step of the mean keeps 1 - s, and nothing along u itself.

    folds : ((coordinates (f, q), their squares, lengths of u (f, q), axes (dim, q) as columns), ...)
    clips : (q,) for the first 1, 2, ... axes
    """
    count = len(clips)
    moved, lost, pulled = 0.0, np.zeros(count), np.zeros(count)
    for coordinates, squares, lengths, axes in folds:
        share = 1 - np.minimum(1.0, clips / np.maximum(lengths, np.finfo(float).tiny))
        lost += (share**2 * np.cumsum(squares, axis=1)).sum(axis=0)
        pulled += (share + (share > 0) * (1 - share) / np.arange(1, count + 1)).sum(axis=0)
        upto = np.tril(np.ones((count, axes.shape[1]), bool))
        moved = moved + ((share.T @ coordinates) * upto) @ axes.T
    systematic = (moved**2).sum(axis=1) / people**2 - lost / people**2
    return np.maximum(systematic, 0.0), lost / people, pulled / people
