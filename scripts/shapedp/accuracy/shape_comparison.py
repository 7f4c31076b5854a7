"""Seeded releases of a mean shape by every mechanism at matched guarantees, to be compared with the true mean; private.

Pure releases have epsilon = 1; the Gaussian one has the mu whose (epsilon, delta) curve passes through (1, 1e-6), which
is the weaker promise. Seeded, so that a table repeats; they spend nothing because they are not published.
"""

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.manifolds.kendall import Kendall
from shapedp.mechanisms import contour, conversions, noise, shape_mechanisms
from shapedp.mechanisms.cost import PURE
from shapedp.mechanisms.shapes.ball import Ball

EPSILON, DELTA, SEED = 1.0, 1e-6, 409
BUDGET = {"epsilon": EPSILON, "mu_total": conversions.gdp_mu(EPSILON, DELTA)}  # each mechanism takes one of them


def compared(ball):
    """The mechanisms, each in all landmarks and in the ball's modes, where its conditions on the radius allow it.

    Those that work in the contour basis come first.
    """
    named = sorted(shape_mechanisms.MECHANISMS.items(), key=lambda item: not item[1].in_basis)
    asked = [(name, modes) for name, one in named for modes in sorted({0, ball.modes if one.in_basis else 0})]
    return [one for one in (_legal(name, ball, modes) for name, modes in asked) if one]


def _legal(name, ball, modes):
    """The mechanism, or None where it refuses the ball."""
    try:
        return made(name, ball, modes)
    except RefusedRelease:
        return None


def made(name, ball, modes):
    """The mechanism at the budget of the comparison, in a basis of its own."""
    return shape_mechanisms.make(name, Ball(ball.n, ball.p0, ball.r, modes), BUDGET)


def guarantee(mechanism):
    """What a release of this mechanism promises, in words."""
    if mechanism.calibration != "proved":
        return "none (as published)"
    cost = mechanism.cost()
    return f"epsilon = {cost.epsilon:g}" if cost.kind == PURE else f"mu = {cost.mu:.4g}: ({EPSILON:g}, {DELTA:g})"


def draws(mechanism, z, count, bandwidth=None):
    """(count, k) releases of the shapes z (n, k); smoothed along the contour where a bandwidth is given."""
    source = noise.SeededNoise(SEED)
    return np.array([mechanism.publishable(z, source, bandwidth) for _ in range(count)])


def figures(mean, drawn):
    """{distance, distance_se : mean distance to the mean, its standard error; crossings a release; share without}."""
    distance = Kendall(mean.shape[-1]).dist(mean, drawn)
    crossings = contour.crossings(drawn)
    return {
        "distance": distance.mean(),
        "distance_se": distance.std(ddof=1) / np.sqrt(len(distance)),
        "crossings": crossings.mean(),
        "share_without_crossings": np.mean(crossings == 0),
    }
