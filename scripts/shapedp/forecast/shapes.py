"""The forecast of a mean shape, from public numbers alone: n, the center, the radius and the modes."""

import math

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.forecast import tables
from shapedp.mechanisms import sensitivity, tangent_gaussian
from shapedp.mechanisms.cost import GAUSSIAN, PURE, Cost

PURE_MECHANISMS = (sensitivity.LAPLACE, sensitivity.KNG)
UNIT = "of the shape's size"
FARTHEST = math.pi / 2  # radian; no two shapes lie farther apart: a release with noise of that size says nothing


def rows(space, r, n, left, pure_left, spread=None):
    """tables.Row of each mechanism and budget, as a share of the shape's size (root of its summed squares).

    spread : root mean square distance of a record from the mean of a public set, in radian, or None
    """
    sampling = None if spread is None else min(r, spread) / math.sqrt(n)
    for mu in tables.amounts(left):
        noise = min(FARTHEST, tangent_gaussian.standard_deviation(r, n, mu) * math.sqrt(space.dim))
        yield tables.Row("gaussian", Cost(GAUSSIAN, mu=mu), noise, sampling, UNIT)
    for name in PURE_MECHANISMS:
        for epsilon in tables.amounts(pure_left):
            try:
                noise = expected_radius(space, name, r, n, epsilon)
            except RefusedRelease:
                continue
            yield tables.Row(name, Cost(PURE, epsilon=epsilon), noise, sampling, UNIT)


def expected_radius(space, name, r, n, epsilon):
    """Root mean square distance of a draw with density exp(-distance/sigma) in D dimensions: sigma sqrt(D (D + 1)).

    Flat space, records at the center: what curvature and the ball take away is left out, so it is rather too large.
    """
    sigma = sensitivity.scale(space, name, r, n, epsilon).sigma
    return min(FARTHEST, sigma * math.sqrt(space.dim * (space.dim + 1)))


def spread(space, mean, records):
    """Root mean square distance of records from their mean."""
    return float(np.sqrt(np.sum(space.dist(mean, records) ** 2) / (len(records) - 1)))


def snippet(left):
    """The lines that make a release of it, to be added to the settings."""
    mu = min(1.0, tables.amounts(left)[0] if left < 1 else 1.0)
    return f"    - {{name: mean_shape, mechanism: gaussian, budget: {{mu_total: {mu:g}}}}}"
