"""The error table of the faces paper: how far releases of each mechanism lie from the means that are not private.

(a) of the point-wise mean: mean square distance, point by point; (b) of the curves to the nearest point of the
point-wise mean, after the least-squares scale a; (c) of the curves to the RKHS mean, point by point. Computed on the
private side, with seeded noise: it spends nothing because it is not published.
"""

import numpy as np
from scipy.spatial import cKDTree


def points(curves):
    """(J m, 3) the points of curves (J, 3, m)."""
    return np.moveaxis(curves, 1, 2).reshape(-1, 3)


def mean_square(one, other):
    """Mean over points of the squared distance between corresponding points of two sets of curves."""
    return float(np.mean(np.sum((points(one) - points(other)) ** 2, axis=1)))


def nearest_square(curves, target, tree):
    """Mean over the points a V_j of the squared distance to the nearest target point, a the least-squares scale.

    target : curves whose points stand in the tree, in correspondence with `curves` for the scale
    """
    mine, theirs = points(curves), points(target)
    a = np.sum(mine * theirs) / np.sum(mine**2)
    return float(np.mean(tree.query(a * mine)[0] ** 2))


def errors(mechanism, sums, pointwise_mean, rkhs_mean, source, draws):
    """(draws, 2) squared errors of seeded releases: to the point-wise mean, and to the RKHS mean.

    A release by points is compared point by point (a); curves by their nearest points (b); both with (c).
    """
    tree = cKDTree(points(pointwise_mean))
    rows = []
    for _ in range(draws):
        released = mechanism.draw(sums, source)
        if mechanism.gives_curves:
            to_mean = nearest_square(released, pointwise_mean, tree)
        else:
            to_mean = mean_square(released, pointwise_mean)
        rows.append((to_mean, mean_square(released, rkhs_mean)))
    return np.array(rows)


def summary(samples):
    """(mean, standard error) of each column."""
    return samples.mean(axis=0), samples.std(axis=0, ddof=1) / np.sqrt(len(samples))
