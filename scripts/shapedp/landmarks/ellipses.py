"""The noise at a planar landmark as an ellipse."""

import numpy as np


def ellipse(covariance):
    """(half axes, larger first, angle of the larger in degrees) of one standard deviation; covariance (2, 2)."""
    values, vectors = np.linalg.eigh(covariance)
    small, large = np.sqrt(np.maximum(values, 0.0))
    return float(large), float(small), float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))
