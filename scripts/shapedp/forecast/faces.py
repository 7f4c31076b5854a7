"""The forecast of a mean face, from public numbers alone: template, bounds, n, the public reference set."""

import math

import numpy as np

from shapedp.accuracy import planner, predictions
from shapedp.forecast import tables
from shapedp.mechanisms.cost import GAUSSIAN, Cost

FORECAST = ("matched_joint", "matched", "rkhs", "rkhs_paper")


def rows(shape, scale, limits, kernel_settings, n, left, spread=None):
    """tables.Row of each mechanism and budget, in mm of the template's size.

    shape : (J, 3, m); scale : mm of the unit; limits : bounds.Bounds; left : mu
    spread : root mean square distance of a person's point from the mean of a public set, in mm, or None
    """
    sampling = None if spread is None else spread / math.sqrt(n)
    names = FORECAST if limits.lower is None else (*FORECAST, "pointwise")
    for name in names:
        for mu in tables.amounts(left):
            noise = scale * expected_noise(name, shape, limits, kernel_settings, n, mu)
            yield tables.Row(name, Cost(GAUSSIAN, mu=mu), noise, sampling, "mm")


def shaped_rows(variation, scale, n, left):
    """tables.Row of the mechanism `shaped`, whose bias is foretold too, if the cohort is like the public set."""
    for mu in tables.amounts(left):
        told = predictions.predict(variation, n, mu, scale)
        yield tables.Row("shaped", Cost(GAUSSIAN, mu=mu), told.noise, told.sampling, "mm", told.bias, told.reference)


def expected_noise(name, shape, limits, kernel_settings, n, mu):
    """Root mean square distance that noise moves a point of the released mean, in the unit of the curves."""
    return planner.noise(planner.strength(name, shape, limits, None, kernel_settings), n, mu)


def spread(read_rows, people):
    """Root mean square distance of a person's point from the mean of `people` rows; read_rows(start, stop)."""
    total = squares = 0.0
    for start in range(people):
        curves = read_rows(start, start + 1)[0]
        total, squares = total + curves, squares + curves**2
    variance = (squares - total**2 / people) / (people - 1)
    return math.sqrt(float(np.mean(variance.sum(axis=1))))


def snippet(left, mechanism):
    """The line that makes a release of it, to be added to the settings."""
    mu = min(1.0, tables.amounts(left)[0] if left < 1 else 1.0)
    return f"    - {{name: mean_face, mechanism: {mechanism}, budget: {{mu_total: {mu:g}}}}}"
