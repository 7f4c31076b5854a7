"""For each bound that the list of proofs marks as tight, a pair of people who move the sum by it: the share reached."""

import math
from types import SimpleNamespace

import numpy as np

from shapedp.privacy import differences, integer_sums
from shapedp.privacy.curves import learned
from shapedp.privacy.learned import clips
from shapedp.privacy.shapes import private_center

TAU, MU = 0.7, 0.9


def share_of_noise():
    """Return Δ over the deviation of the Gaussian part of the noise that is drawn, over mu."""
    scale = integer_sums.gaussian_scale(integer_sums.SENSITIVITY, MU)
    return integer_sums.SENSITIVITY / math.sqrt(scale**2 - integer_sums.ROUNDED**2) / MU


def share_of_means():
    """Return how far a row at the bound and its opposite lie apart as whole numbers, over the sensitivity."""
    row = np.array([0.6, 0.8, 0.0]) * TAU
    first, second = integer_sums.to_grid(np.array([row, -row]), TAU)
    return math.dist(first, second) / integer_sums.SENSITIVITY


def share_of_coordinates():
    """Return the length of N coordinates at mu/sqrt N, over mu."""
    return float(np.linalg.norm(np.full(300, MU / math.sqrt(300)))) / MU


def share_of_budgets():
    """Return what four shares of a quarter spend, over the whole."""
    return sum(0.25 * MU**2 for _ in range(4)) / MU**2


def share_of_movers():
    """Return what who moves between two groups of equal totals pays, over half of the larger."""
    return ((MU**2 + MU**2) / 4) / (max(MU**2, MU**2) / 2)


def share_of_filter():
    """Return the gain of the filter times the root of phi where the eigenvalue is phi, over a half."""
    eigenvalue = phi = 0.01
    return math.sqrt(eigenvalue) / (eigenvalue + phi) * math.sqrt(phi) / 0.5


def share_of_moment():
    """Return how far z z* of two shapes at right angles lie apart, over the sensitivity of the code."""
    z, w = np.eye(3)[:2]
    asked = SimpleNamespace(basis=np.eye(4)[:, :3])
    return float(
        np.linalg.norm(np.outer(z, z) - np.outer(w, w))
    ) / private_center.PrivateCenter.moment_sensitivity.fget(asked)


def share_of_terms():
    """Return how far people below and beyond all lengths that are told apart move the first sum, over 2G."""
    first, second = learned.spread_integers(np.array([0.4, 17.0]))[:, 0]
    return float(second - first) / integer_sums.SENSITIVITY


def share_of_squares():
    """Return how far a person at none and another at the bound, along the strongest axis, move the sum of 2w - 1."""
    asked = differences.SpreadStatistic(lambda rows: rows, np.array([0.2, 0.9, 0.4]), n=2, mu=MU)
    first, second = asked.integers(np.array([[0, 0, 0], [0, integer_sums.GRID, 0]]))[:, 0]
    return float(second - first) / integer_sums.SENSITIVITY


def share_of_products():
    """Return how far v v' of two people at right angles lie apart, over the sensitivity of the third sum alone."""
    v, w = TAU * np.eye(2)
    alone = integer_sums.Moments.alone.fget(SimpleNamespace(zeta=1.0, tau=TAU))[2]
    return float(np.linalg.norm(np.outer(v, v) - np.outer(w, w)) / alone)


def share_of_model():
    """Return how far two people move the three weighted sums of a model, over Δ: opposite covariates, turned faces."""
    weights, kappa = np.array([0.3, 0.2, 1.5]), 0.5
    z, other = np.array([1, kappa]), np.array([1, -kappa])
    turn = max(-1.0, -(weights[0] ** 2) * float(z @ other) / (2 * weights[2] ** 2 * TAU**2))
    u, turned = TAU * np.array([1, 0]), TAU * np.array([turn, math.sqrt(1 - turn**2)])
    pairs = ((z, u, other, turned), (z, z, other, other), (u, u, turned, turned))
    apart = [np.linalg.norm(np.outer(a, b) - np.outer(c, d)) for a, b, c, d in pairs]
    return float(np.linalg.norm(weights * apart)) / integer_sums.joint_sensitivity(weights, math.hypot(1, kappa), TAU)


def share_of_directions():
    """Return how far a person near and one as far as is told apart move who lies far, over 2G."""
    lengths = np.array([0.1, 100.0])
    first, second = differences.FarShares(lambda rows: lengths, 2, MU, clips.FAR_IN_MEANS).integers(np.zeros((2, 1)))
    return math.dist(first, second) / integer_sums.SENSITIVITY


WITNESSES = {
    "2.1": share_of_noise,
    "2.5": share_of_budgets,
    "2.7": share_of_movers,
    "3.3": share_of_means,
    "3.7": share_of_filter,
    "3.9": share_of_coordinates,
    "4.1": share_of_means,
    "7.7": share_of_means,
    "7.8": share_of_moment,
    "11.1": share_of_means,
    "11.4": share_of_terms,
    "11.6": share_of_products,
    "12.2": share_of_model,
    "14.2": share_of_squares,
    "14.6": share_of_means,
    "14.8": share_of_directions,
}
