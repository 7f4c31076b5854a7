"""Which points of a cloud lie behind others, seen from outside along lines through the eye inside the head.

A point is hidden if another point lies farther out on nearly the same line: nostril pockets, folds, the far side of a
lip. Such points have no place of their own in a flattening.
"""

import numpy as np
from scipy.spatial import cKDTree

SIDEWAYS = 0.9  # typical spacings: how near two lines of sight count as one
DEEPER = 2.0  # sideways distances: slope beyond which the outer point hides the inner one
NEIGHBOURS = 14


def hidden(directions, distances, spacing):
    """(n,) mask of hidden points; directions (n, 3) of length 1, distances (n,) from the eye, spacing of the points."""
    angle, index = cKDTree(directions).query(directions, NEIGHBOURS + 1)
    sideways = angle[:, 1:] * distances[:, None]
    outward = distances[index[:, 1:]] - distances[:, None]
    covers = (sideways < SIDEWAYS * spacing) & (outward > np.maximum(DEEPER * sideways, spacing))
    return covers.any(axis=1)
