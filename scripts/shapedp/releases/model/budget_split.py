"""How the budget of a model is split over its three moments, and from how many coordinates the modes come.

Both follow from public numbers. With A, B, C the squared shares of M1, M2 and M3 in the joint sensitivity, B = C = A/4
cost M1 nothing: who moves M1 by all that is allowed, u -> -u, moves neither M2 nor M3. Beyond that M1 pays. Tried are
such ratios and numbers of coordinates; taken is what makes

    product over mean and effects of (noise + chance)/chance x variance of the leading modes lost to noise and chance

least, both as expected of people like the public set, by a simulation with fixed seeds.
"""

from itertools import product

import numpy as np

from shapedp.privacy.integer_sums import Moments
from shapedp.releases.model import covariates as covariates_of

# Modes that the split looks at.
FIRST = 5
# Tried values of 2C/A, see the module.
RATIOS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
# Tried values of 2B/A.
COVARIATE_RATIOS = (0.05, 0.1, 0.2, 0.35, 0.5)
# Tried times the least number of coordinates that the modes come from.
WIDER = (1, 1.5, 2, 3)
# Of people's variance that one covariate accounts for: a public guess.
EXPLAINED = 0.03
DRAWS, SEED = 12, 0
# Share of a variance below which it counts as none: its logarithm would outweigh all else in the score.
LEAST = 1e-4


def choose_split(variation, chosen, n, mu, covariates, modes):
    """Return the Moments with the split of mu over the three sums that errs least in a model's mean, effects and modes.

    It follows from public numbers alone, as the module says.

    The modes may come from as many leading coordinates as modes are asked for, and twice FIRST, so that the first modes
    can turn away from the public ones; or from more.

    Parameters
    ----------
    variation : Variation
        How public people vary.
    chosen : face_variation.ReleasePlan
        The axes.
    n : int
        People.
    mu : float
        Of the release.
    covariates : sequence of Covariate
    modes : int
        How many are asked for.
    """
    q, p, longest = len(chosen.axes), len(covariates), covariates_of.bound_length(covariates)
    most = int(np.sum(chosen.axes < len(variation.modes)))
    leadings = sorted({min(most, round(max(modes, 2 * FIRST) * wider)) for wider in WIDER})
    candidates = []
    for leading, third, second in product(leadings, RATIOS, COVARIATE_RATIOS if p else (0.0,)):
        # Shares of mu^2, were each sum alone: w^2 times the square of what one person moves that sum by.
        shares = np.array([4.0, 2 * second, 2 * third])
        candidates.append(Moments(n, q, leading, chosen.tau, np.ones(p), mu, shares / shares.sum(), longest))

    def score(moments):
        noise, sampling = forecast_errors(variation, chosen, moments, covariates)
        return float(np.sum(np.log1p(noise / sampling)) + np.log(find_lost_share(variation, chosen, moments)))

    return min(candidates, key=score)


def forecast_errors(variation, chosen, moments, covariates):
    """Return squared noise and chance a point of the mean and each coefficient, for `choose_split` to judge a split.

    See docs/mathematics.md, (12.7). Covariates are taken to be unrelated and spread as public numbers say. The mean
    lies from the reference as `Variation.pull` expects, and each covariate's effect b has b^2 v = EXPLAINED of people's
    variance; what they leave is what chance in who takes part is of.

    Returns
    -------
    noise, chance : (1 + p,) float
    """
    n, (s1, s2, _) = moments.n, np.where(np.isfinite(moments.noise), moments.noise, 0.0)
    v = np.array([1.0, *(covariate.variance for covariate in covariates)])
    g, explained = 1 / (n * v), min(EXPLAINED, 1 / (2 * len(v))) * variation.spread
    squares = np.append(variation.pull(n, True)[0][chosen.axes].sum(), explained / v[1:])
    by_m2 = (squares.sum() + squares) / 2
    by_m2[0] -= squares[0]
    noise = (s1 * g) ** 2 * np.sum(np.sqrt(chosen.moments)) + (s2 * g) ** 2 * by_m2
    return noise, (variation.spread - len(covariates) * explained) * g


def find_lost_share(variation, chosen, moments):
    """Return how much of the best FIRST modes' variance the released ones would miss, by which `choose_split` judges.

    It is a share, lost by noise and chance.
    """
    leading, n = moments.leading, moments.n
    covariance = variation.covariance[np.ix_(chosen.axes[:leading], chosen.axes[:leading])]
    back, rng = chosen.moments[:leading] ** 0.25, np.random.default_rng(SEED)
    sd = np.sqrt(np.diag(covariance))
    noise = np.outer(back, back) * moments.noise[2] / n + np.outer(sd, sd) * np.sqrt(2 / n)
    drawn = rng.normal(size=(DRAWS, leading, leading))
    upper = np.triu(drawn, 1) / np.sqrt(2)
    symmetric = upper + upper.transpose(0, 2, 1) + np.eye(leading) * drawn
    # No more modes can be compared than there are coordinates.
    count = min(FIRST, leading)
    vectors = np.linalg.eigh(covariance + noise * symmetric)[1][:, :, -count:]
    held = np.einsum("dik,ij,djk->", vectors, covariance, vectors, optimize=True) / DRAWS
    return max(LEAST, 1 - float(held) / float(variation.spectrum[:count].sum()))
