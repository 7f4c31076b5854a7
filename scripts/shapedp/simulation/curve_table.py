"""Table 1 of the faces paper on a population of demo faces, as published and corrected.

Columns: (a) the point-wise mean of the vertices with noise on every coordinate; (b) private curves to the nearest
vertex of the point-wise mean, after the least-squares scale; (c) private curves to the non-private RKHS mean, point by
point. Mean squared distances of a face of unit area.
"""

import numpy as np
from scipy.spatial import cKDTree

from shapedp.accuracy import comparison
from shapedp.simulation import curve_population as people_of
from shapedp.simulation import curve_releases as releases

PEOPLE = 1000  # n of the paper; a smaller population stands in equal shares
CURVES = ("rkhs_paper", "rkhs", "matched", "matched_joint")


def curve_table(version, mu, people, replicates, rng):
    """{"pointwise a", "pointwise_literal a", "rkhs_paper b", "rkhs_paper c", ...: (R,)}; "mean b" and "smooth b"
    are the plain and the RKHS mean of the curves, without clipping and noise.
    """
    mean, ranges, bias = _vertices(version, people)
    found = {
        "pointwise a": _pointwise(ranges / PEOPLE, bias, mu, replicates, rng),
        "pointwise_literal a": _pointwise(ranges, bias, mu, replicates, rng),
    }
    _, center = people_of.limits_of(version, people)
    plain = people_of.population(people).curves.mean(axis=0)
    rkhs_mean, tree = releases.smoothed(plain, center), cKDTree(mean)
    for name, still in (("mean", plain), ("smooth", rkhs_mean)):
        found[f"{name} b"] = np.full(replicates, comparison.nearest_square(still, plain, tree))
    for name in CURVES:
        drawn = list(_draws(version, name, mu, people, replicates, rng))
        found[f"{name} b"] = np.array([comparison.nearest_square(one, plain, tree) for one in drawn])
        found[f"{name} c"] = np.array([comparison.mean_square(one, rkhs_mean) for one in drawn])
    return found


def _vertices(version, people):
    """(mean (v, 3), ranges (v, 3), what clamping moves the mean by (v, 3)) of the mesh's vertices."""
    if version == "published":
        found = people_of.population(people)
        return found.mean, found.upper - found.lower, np.zeros_like(found.mean)
    found = people_of.population(people, limits=people_of.reference_set())
    lower, upper = people_of.widened(people_of.population(*people_of.reference_set()))
    return found.mean, upper - lower, found.clamped_mean - found.mean


def _pointwise(scale, bias, mu, replicates, rng):
    """(R,) mean square error with noise N(0, (scale/mu_p)^2), mu_p = mu/sqrt(3 N)."""
    sd = scale * np.sqrt(scale.size) / mu
    return np.array(
        [np.mean(np.sum((bias + sd * rng.standard_normal(sd.shape)) ** 2, axis=1)) for _ in range(replicates)]
    )


def _draws(version, name, mu, people, replicates, rng):
    """Released curves (J, 3, m), one at a time, of the whole population."""
    made = releases.mechanism(version, name, PEOPLE, mu, people)
    mean = made.encode(people_of.population(people).curves).mean(axis=0)
    for _ in range(replicates):
        yield made.decode(mean + made.noise / PEOPLE * rng.standard_normal(mean.shape))
