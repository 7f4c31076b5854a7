"""Seeded releases of a mean shape by every mechanism at matched guarantees, to be compared with the true mean; private.

Pure releases have epsilon = 1; the Gaussian one has the mu whose (epsilon, delta) curve passes through (1, 1e-6), which
is the weaker promise. Seeded, so that a table repeats; they spend nothing because they are not published.
"""

from dataclasses import replace

import numpy as np

from shapedp.manifolds.kendall import Kendall
from shapedp.mechanisms import contour, conversions, noise, shape_mechanisms

EPSILON, DELTA, SEED = 1.0, 1e-6, 409
ON_SHAPES = ("kng", "laplace", "gaussian")
POINTWISE = ("pointwise_laplace", *shape_mechanisms.PUBLISHED)


def asked(modes):
    """(mechanism, modes) of every comparison: all landmarks (0) and the contour basis; point-wise, landmarks alone."""
    return [(name, p) for name in ON_SHAPES for p in sorted({0, modes})] + [(name, 0) for name in POINTWISE]


def budget(name):
    """The budget at which mechanisms are compared."""
    return {"mu_total": conversions.gdp_mu(EPSILON, DELTA)} if name == "gaussian" else {"epsilon": EPSILON}


def guarantee(name):
    """What a release of this mechanism promises, in words."""
    if name in shape_mechanisms.PUBLISHED:
        return "none (as published)"
    if name == "gaussian":
        return f"mu = {budget(name)['mu_total']:.4g}: ({EPSILON:g}, {DELTA:g})"
    return f"epsilon = {EPSILON:g}"


def draws(name, shapes, modes, count, bandwidth=None):
    """(count, k) releases; shapes : shape_mechanisms.Shapes; smoothed along the contour where a bandwidth is given."""
    source, based = noise.SeededNoise(SEED), replace(shapes, modes=modes)
    return np.array(
        [shape_mechanisms.release(name, based, budget(name), source, bandwidth) for _ in range(count)],
    )


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
