"""Whether a cohort differs from the public set, told from its release alone: post-processing, which costs nothing.

The public set's people hardly differ along harmonics. Released harmonic i of a cohort like them is normal about the
public mean's m_i, with variance v_i (1/n + 1/p) by the chance in who takes part and in who was public, and with the
noise's own. Far above what chance allows, the sum of z_i^2 = (x_i - m_i)^2 / (that variance) says that the cohort is
another one. People's harmonics move together, so that this sum is no chi-square of as many degrees as there are
harmonics, k: with S the covariance of z, its mean is k and its variance 2 ||S||^2, those of k/f times a chi-square of
f = k^2/||S||^2 degrees (Satterthwaite).
"""

import numpy as np
from scipy.special import chdtri

LEVEL = 1e-3  # of false alarms, were the public variances exact
SLACK = 1.5  # on these variances, which are known from few people


def differs(variation, chosen, n, released, noise):
    """Whether the harmonics of a release say so, or None where none is released.

    released : (k,) coordinates of the release along the chosen axes, its shrinkage undone; noise : (k,) their standard
    deviation; n : people
    """
    of_harmonics = chosen.axes >= len(variation.modes)
    if not of_harmonics.any():
        return None
    axes = chosen.axes[of_harmonics]
    inside, _ = variation.pull(n, False)
    mean = np.clip(variation.mean, -np.sqrt(variation.moments), np.sqrt(variation.moments))
    chance = inside - np.minimum(variation.mean**2, variation.moments)
    by_chance = SLACK * chance[axes]
    variance = by_chance + noise[of_harmonics] ** 2
    statistic = np.mean((released[of_harmonics] - mean[axes]) ** 2 / variance)
    degrees = freedom(variation.held_out[:, axes], np.sqrt(by_chance / variance))
    return bool(statistic > chdtri(degrees, LEVEL) / degrees)


def freedom(people, weights):
    """Degrees f of the chi-square that sum z_i^2 resembles: k, or less where coordinates move together.

    people : (p, k) public people's; few of them seem to move together more than they do, and f is too small: then less
    is told. weights : (k,) share of each standard deviation that is not the noise's
    """
    away = (people - people.mean(axis=0)).astype(float)
    away *= weights / np.maximum(np.linalg.norm(away, axis=0), 1e-300)
    together = away.T @ away
    np.fill_diagonal(together, 1.0)
    return len(together) ** 2 / np.sum(together**2)
