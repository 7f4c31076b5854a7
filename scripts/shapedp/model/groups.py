"""Two released surfaces compared: where their difference exceeds noise and sampling, at a false discovery rate.

At each point the difference d with covariance C, in 3 (or 2) coordinates, gives d' C^-1 d, chi-square with as many
degrees of freedom if nothing differs there. Benjamini and Hochberg (1995) choose the points; neighbouring points share
their noise and are positively dependent, which their rule allows (Benjamini and Yekutieli 2001).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.stats import chi2, ncx2

RATE = 0.05
SHIFT, SHARE = 1.0, 0.1  # mm over a share of the face, such as a cheek: for how many people it takes to find that


@dataclass(frozen=True)
class Comparison:
    """distance (N,); p_values (N,); exceeds (N,) bool; detectable (N,) : shift found with power .8 by itself."""

    distance: np.ndarray
    p_values: np.ndarray
    exceeds: np.ndarray
    detectable: np.ndarray


def compare(difference, covariance, rate=RATE):
    """difference (N, d); covariance (N, d, d) of noise and sampling of both."""
    whitened = np.linalg.solve(covariance, difference[..., None])[..., 0]
    p_values = chi2.sf(np.einsum("ni,ni->n", difference, whitened), difference.shape[-1])
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
    return np.sqrt(_noncentrality(covariance.shape[-1], rate, power) * np.linalg.eigvalsh(covariance)[..., -1])


@cache
def _noncentrality(d, rate, power):
    """Of chi-square with d degrees of freedom, for a test at `rate` to have this power."""
    threshold = chi2.isf(rate, d)
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if ncx2.sf(threshold, d, middle) > power else (middle, high)
    return high


def people_needed(fields, people, shift, share, most=10_000_000):
    """The least n of both groups with which a shift over this share of the points is found, in the median over them.

    fields : ((noise, sampling), ...) covariances (..., d, d) of the groups' means with so many people. Noise falls as
    1/n^2, sampling as 1/n. Where a share is found, Benjamini and Hochberg test its points at that share of their rate.
    """

    def found(n):
        total = sum(
            noise * (had / n) ** 2 + sampling * (had / n) for (noise, sampling), had in zip(fields, people, strict=True)
        )
        return np.median(detectable(total, RATE * share)) <= shift

    low, high = 1, 2
    while not found(high) and high < most:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def words(people):
    """What so many people, who are needed for SHIFT over SHARE of the face, can find."""
    return (
        f"to find a shift of {SHIFT:g} mm over {SHARE:.0%} of the face 8 times in 10: about {people:,} people a group"
    )
