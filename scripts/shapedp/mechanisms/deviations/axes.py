"""Orthonormal axes of the deviations from p0: along a closed contour by frequency, else without order.

p0's own detail is public and stays whatever axes are released: the axes are of deviations, not of outlines.
"""

import numpy as np
from scipy.linalg import null_space

LEAST = 1e-6  # length that a function must keep beside the slower ones to count as new


def plain(shapes):
    """(dim, k d) axes in no order, and a frequency of 0 for each."""
    axes = null_space(shapes.fixed()).T
    return axes, np.zeros(len(axes))


def along_contour(shapes):
    """(dim, k d) axes from slow to fast, and their frequencies: cosines and sines of the landmarks' number, x, y (, z)
    in turn, made orthogonal to what is no change of shape and to the slower ones.
    """
    k, d = shapes.p0.shape
    taken, frequencies = list(shapes.fixed()), []
    for f, wave in _waves(k):
        for axis in np.eye(d):
            left = _beside(np.outer(wave, axis).ravel(), np.array(taken))
            if left is not None:
                taken.append(left)
                frequencies.append(f)
    return np.array(taken[-len(frequencies) :]), np.array(frequencies, dtype=float)


def _waves(k):
    """(frequency, its wave of length 1) on k points of a circle."""
    turn = 2 * np.pi * np.arange(k) / k
    for f in range(1, k // 2 + 1):
        for wave in (np.cos(f * turn), np.sin(f * turn)):
            if np.linalg.norm(wave) > LEAST * k:
                yield f, wave / np.linalg.norm(wave)


def _beside(vector, taken):
    """The unit part of a vector orthogonal to the rows of `taken`, or None where hardly any is left."""
    for _ in range(2):  # once more, for what rounding left
        vector = vector - taken.T @ (taken @ vector)
    length = np.linalg.norm(vector)
    return vector / length if length > LEAST else None
