"""Whether a cohort differs from the public set, told from its release alone: post-processing, which costs nothing.

The public set's people hardly differ along harmonics. Released harmonic i of a cohort like them is normal about the
public mean's m_i, with variance v_i (1/n + 1/p) by the chance in who takes part and in who was public, and with the
noise's own. So sum_i (x_i - m_i)^2 / (that variance) is a chi-square; far above it, the cohort is another one.
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
    variance = SLACK * chance[axes] + noise[of_harmonics] ** 2
    statistic = np.sum((released[of_harmonics] - mean[axes]) ** 2 / variance)
    return bool(statistic > chdtri(len(axes), LEVEL))
