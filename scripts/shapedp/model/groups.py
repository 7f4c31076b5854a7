"""Two released surfaces compared: where their difference exceeds noise and sampling, at a false discovery rate.

At each point the difference d (3,) with covariance C (3, 3) gives d' C^-1 d, chi-square with 3 degrees of freedom if
nothing differs there. Benjamini and Hochberg (1995) choose the points; neighbouring points share their noise and are
positively dependent, which their rule allows (Benjamini and Yekutieli 2001).
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2, ncx2

RATE = 0.05


@dataclass(frozen=True)
class Comparison:
    """distance (N,) in mm; p_values (N,); exceeds (N,) bool; detectable (N,) mm found with power .8 by itself."""

    distance: np.ndarray
    p_values: np.ndarray
    exceeds: np.ndarray
    detectable: np.ndarray


def compare(difference, covariance, rate=RATE):
    """difference (N, 3) in mm; covariance (N, 3, 3) of noise and sampling of both."""
    whitened = np.linalg.solve(covariance, difference[..., None])[..., 0]
    p_values = chi2.sf(np.einsum("ni,ni->n", difference, whitened), 3)
    return Comparison(
        np.linalg.norm(difference, axis=1), p_values, discoveries(p_values, rate), detectable(covariance, rate)
    )


def discoveries(p_values, rate):
    """(N,) which hypotheses Benjamini and Hochberg reject."""
    order = np.argsort(p_values)
    below = p_values[order] <= rate * np.arange(1, len(order) + 1) / len(order)
    last = np.flatnonzero(below)
    chosen = np.zeros(len(order), dtype=bool)
    chosen[order[: last[-1] + 1 if len(last) else 0]] = True
    return chosen


def detectable(covariance, rate=RATE, power=0.8):
    """(N,) shift along the worst direction of each point that a test at `rate` finds with this power."""
    threshold = chi2.isf(rate, 3)
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if ncx2.sf(threshold, 3, middle) > power else (middle, high)
    return np.sqrt(high * np.linalg.eigvalsh(covariance)[:, -1])
