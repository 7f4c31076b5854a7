"""Attack a mechanism on two neighbouring data sets, and bound from below what it gave away.

Many outputs of either data set are compared by a statistic; on one half of them the best threshold is chosen, on the
other half its error rates are counted. With Clopper-Pearson bounds a on the false alarms and b on the misses, no mu-GDP
mechanism has mu below Phi^-1(1 - a) - Phi^-1(b), and no epsilon-DP one epsilon below log((1 - b)/a) or
log((1 - a)/b): with confidence 99.9 %. Which of the two is used is chosen on the first half as well.

See docs/mathematics.md, (9.1).
"""

from typing import NamedTuple

import numpy as np
import scipy

from shapedp.privacy.manifolds.sphere import Sphere

CONFIDENCE = 0.999
THRESHOLDS = 200
# Quantiles between which thresholds are looked for: farther out the counts are too small to bound rates.
LOWEST, HIGHEST = 0.02, 0.98


class Finding(NamedTuple):
    """Lower bounds, from the same attack: mu of GDP and epsilon of pure DP."""

    mu: float
    epsilon: float


def bound_rate(hits, trials):
    """Return the Clopper-Pearson upper bound on the rate behind `hits` of `trials`, with half of the failure chance."""
    tail = (1 - CONFIDENCE) / 2
    return np.where(hits < trials, scipy.stats.beta.ppf(1 - tail, hits + 1, np.maximum(trials - hits, 1)), 1.0)


def bound_privacy_loss(first, second):
    """Return what an attack proves that a mechanism gave away, at least: lower bounds on mu and epsilon.

    They are from a statistic's values on outputs of two neighbouring data sets. On one half of the values the
    thresholds are chosen, on the other half their error rates are counted.

    Parameters
    ----------
    first, second : (b,) float
        The statistic on outputs of either data set; large values speak for the second.

    Returns
    -------
    Finding
        Bounds that hold with confidence CONFIDENCE.
    """
    # a threshold that is judged by the values it was chosen on would see more than there is
    (learn_a, judge_a), (learn_b, judge_b) = (np.split(values, [len(values) // 2]) for values in (first, second))
    candidates = np.quantile(np.concatenate([learn_a, learn_b]), np.linspace(LOWEST, HIGHEST, THRESHOLDS))
    alarms, misses = _rates(learn_a, learn_b, candidates)
    at_mu = candidates[np.argmax(scipy.stats.norm.isf(alarms) - scipy.stats.norm.ppf(misses))]
    side, place = np.unravel_index(np.argmax(_ratios(alarms, misses)), (2, len(candidates)))
    a, b = _rates(judge_a, judge_b, np.array([at_mu, candidates[place]]))
    epsilon = np.log(max(_ratios(a, b)[side, 1], 1.0))
    return Finding(float(scipy.stats.norm.isf(a[0]) - scipy.stats.norm.ppf(b[0])), float(epsilon))


def _ratios(alarms, misses):
    """Return factors (2, b) by which an output is more likely under one data set: above the threshold, and below it."""
    return np.stack([(1 - misses) / alarms, (1 - alarms) / misses])


def _rates(first, second, thresholds):
    """Return how often tests `value > threshold` err at most: (b,) false alarms and misses, for the bounds."""
    alarms = len(first) - np.searchsorted(np.sort(first), thresholds, side="right")
    misses = np.searchsorted(np.sort(second), thresholds, side="right")
    return bound_rate(alarms, len(first)), bound_rate(misses, len(second))


SPHERE = Sphere(2)


def integrate_privacy_loss(first, second, p0, radius, order=240):
    """Return the exact privacy loss of a law on S^2, to set beside its epsilon: sup |log f(x; D) - log f(x; D')|.

    It is over a ball, by quadrature: Gauss-Legendre in the distance t from p0, the trapezium rule in the angle, weight
    sin t.

    Parameters
    ----------
    first, second : callable
        Unnormalised log densities, points (b, 3) -> (b,), of the two neighbouring data sets.
    p0 : (3,) float
        The ball's center.
    radius : float
        The ball's radius; pi covers the sphere.
    order : int
        Nodes in either direction.

    Returns
    -------
    float
        The privacy loss, which an epsilon-DP mechanism keeps at or below epsilon.
    """
    nodes, weights = np.polynomial.legendre.leggauss(order)
    t, weights = radius * (nodes + 1) / 2, radius * weights / 2
    angle = 2 * np.pi * np.arange(order) / order
    basis = SPHERE.tangent_basis(p0)
    direction = np.cos(angle)[:, None] * basis[0] + np.sin(angle)[:, None] * basis[1]
    points = SPHERE.exp(p0, t[:, None, None] * direction)
    measure, normalised = (weights * np.sin(t))[:, None], []
    for density in (first, second):
        log = density(points.reshape(-1, 3)).reshape(points.shape[:2])
        top = log.max()
        normalised.append(log - (top + np.log((measure * np.exp(log - top)).sum() * 2 * np.pi / order)))
    return float(np.abs(normalised[0] - normalised[1]).max())


def climb_gradient_expansion(manifold, p0, r, rng, climbers=200, steps=600):
    """Return the largest |log_x y - log_x z| that a search finds in B_r(p0), to test the bound that sensitivities use.

    That is 2r · `sensitivity.expansion`.

    Parameters
    ----------
    manifold : Manifold
        Where the points lie.
    p0 : (*point) array
        The ball's center.
    r : float
        The ball's radius.
    rng : numpy.random.Generator
        Of starts and steps.
    climbers, steps : int
        How many starts, and how many steps from each.

    Returns
    -------
    float
        A lower bound of the supremum.
    """

    def difference(points):
        x, y, z = np.moveaxis(points, 1, 0)
        return manifold.norm(x, manifold.log(x, y) - manifold.log(x, z))

    return climb(manifold, p0, r, difference, 3, rng, climbers, steps)


def climb(manifold, p0, r, objective, count, rng, climbers, steps):
    """Return the largest value that random hill climbing finds, to test a proved bound by trying to exceed it.

    It starts from many places. Each climber holds `count` points of the ball; its steps shrink from r to r/1000.

    Parameters
    ----------
    manifold : Manifold
        Where the points lie.
    p0 : (*point) array
        The ball's center.
    r : float
        The ball's radius.
    objective : callable
        Points (climbers, count, *point) -> (climbers,) values.
    count : int
        Points of one climber.
    rng : numpy.random.Generator
        Of starts and steps.
    climbers, steps : int
        How many starts, and how many steps from each.

    Returns
    -------
    float
        The largest value of all climbers.
    """
    axes = (climbers, count)
    points = manifold.exp(p0, r * manifold.random_tangent(p0, rng, axes) * (1 - 1e-12))
    best = objective(points)
    for size in r * np.geomspace(1, 1e-3, steps):
        candidates, _ = manifold.to_ball(manifold.exp(points, size * manifold.random_tangent(points, rng)), p0, r)
        value = objective(candidates)
        better = value > best
        points, best = (
            np.where(better[:, None, *(None,) * manifold.point_ndim], candidates, points),
            np.maximum(best, value),
        )
    return float(best.max())
