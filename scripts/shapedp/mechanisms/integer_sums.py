"""Sums of bounded vectors on an integer grid: exact in any order, so that no rounding can leak or add up.

Each person's coordinates are cut towards zero on a grid of bound/2^24, so that a person's integer vector is no longer
than 2^24: made so in integers. The sum is exact, one replaced person changes it by at most 2 * 2^24, and nothing is to
be added to the sensitivity for rounding. A row with a number that is not finite counts as zero, the reference: cast to
an integer it would be -2^63, whose square is 0 in 64 bits and would pass the check.

Proof: docs/mathematics.md, (4.1).
"""

import numpy as np

GRID = 1 << 24  # steps from 0 to the bound
SENSITIVITY = 2 * GRID
NOISE = 2.0  # standard deviation on a sum in units in which the bound is mu: mu = 2 bound/noise


def integers(coordinates, bound):
    """(n, N) integer rows no longer than GRID, from coordinates (n, N) no longer than `bound` up to rounding.

    A row that is longer all the same, by a fault of whoever should have clipped it, is cut back to the bound here.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        steps = coordinates * (GRID / bound)
    steps[~np.isfinite(steps).all(axis=1)] = 0.0
    far = _far(steps)
    with np.errstate(over="ignore"):
        steps[far] *= (GRID / np.linalg.norm(steps[far], axis=1))[:, None]
    whole = np.trunc(steps).astype(np.int64)
    longer = _squares(whole) > GRID**2
    while longer.any():  # rounding in the clip: a hair too long
        steps[longer] *= 1 - 2.0**-40
        whole[longer] = np.trunc(steps[longer]).astype(np.int64)
        longer[longer] = _squares(whole[longer]) > GRID**2
    return whole


def _far(rows):
    """Which rows are longer than the bound by more than rounding; in floating point, which holds them all.

    Their squares may not fit into 64 bits, and hairs of 2^-40 would take for ever to make up for more than a hair.
    """
    with np.errstate(over="ignore"):
        return np.einsum("ij,ij->i", rows, rows, dtype=float) > (1 + 2.0**-38) * GRID**2


def _squares(whole):
    return np.einsum("ij,ij->i", whole, whole)


def discretisation(bound, noise):
    """Relative error of mu by the grid: (g/sigma)^2/24, g = bound/GRID, sigma = noise on each coordinate of a sum."""
    return (bound / GRID / noise) ** 2 / 24


def noised_mean(sums, bound, n, noise, source):
    """(coordinates of the mean with Gaussian noise of standard deviation noise/n, rho of zCDP).

    noise : standard deviation on each coordinate of the sum, in the units of `bound`
    """
    step = bound / GRID
    noised, rho = source.gaussian_integers(sums, noise / step, SENSITIVITY)
    return noised * (step / n), rho
