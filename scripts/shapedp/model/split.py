"""How one mu is split over the three moments of a model, and how many coordinates its modes come from; public.

With A, B, C the squared shares of M1, M2 and M3 in the joint sensitivity (docs/mathematics.md, (12.2)), B = C = A/4
cost M1 nothing: who moves M1 by all that is allowed, u -> -u, moves neither M2 nor M3. Beyond that M1 pays. Tried are
such ratios and numbers of coordinates; taken is what makes

    (noise + chance in mean and effects) x (variance of the leading modes lost to noise and chance)

least, both as expected of people like the public set, by a simulation with fixed seeds.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.mechanisms.moments import Moments

FIRST = 5  # modes that the split looks at
RATIOS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)  # 2C/A
COVARIATE_RATIOS = (0.05, 0.1, 0.2, 0.35, 0.5)  # 2B/A
WIDER = (1, 1.5, 2, 3)  # times the least number of coordinates
EXPLAINED = 0.03  # of people's variance that one covariate accounts for: a public guess
DRAWS, SEED = 12, 0
LEAST = 1e-4  # share of a variance below which it counts as none


@dataclass(frozen=True)
class Outlook:
    """What is expected of a split: squared error a point of mean and effects by noise and by chance, in unit-area
    faces, and the share of the leading modes' variance that is lost.
    """

    noise: np.ndarray
    sampling: np.ndarray
    lost: float

    @property
    def score(self):
        """What is made least."""
        return float(np.mean(np.log1p(self.noise / self.sampling)) + np.log(self.lost))


def best(variation, chosen, n, mu, covariates, modes):
    """Moments with the best split; chosen : choice.Choice of axes; modes : how many are asked for."""
    tried = [
        one
        for leading in leadings(variation, chosen, modes)
        for one in _of_leading(variation, chosen, n, mu, covariates, leading)
    ]
    return min(tried, key=lambda one: outlook(variation, chosen, one, covariates).score)


def leadings(variation, chosen, modes):
    """How many leading coordinates may give the modes: as many as asked for, and twice FIRST, so that the first ones
    can turn away from the public ones; or more.
    """
    most = int(np.sum(chosen.axes < len(variation.modes)))
    return sorted({min(most, round(max(modes, 2 * FIRST) * wider)) for wider in WIDER})


def _of_leading(variation, chosen, n, mu, covariates, leading):
    q, p = len(chosen.axes), len(covariates)
    for modes in RATIOS:
        for beside in COVARIATE_RATIOS if p else (0.0,):
            shares = np.array([4.0, 2 * beside, 2 * modes])  # of mu^2, were each alone: w^2 times alone^2
            yield Moments(n, q, leading, chosen.tau, np.ones(p), mu, shares / shares.sum())


def outlook(variation, chosen, moments, covariates):
    """The Outlook of these moments."""
    noise, sampling = errors(variation, chosen, moments, covariates)
    return Outlook(noise, sampling, lost(variation, chosen, moments))


def errors(variation, chosen, moments, covariates):
    """((1 + p,), (1 + p,)) squared noise and chance a point of the mean and of each coefficient, if covariates are
    unrelated and spread as public numbers say: docs/mathematics.md, (12.5).

    The mean lies from the reference as `Variation.pull` expects, and each covariate's effect b has b^2 v = EXPLAINED of
    people's variance; what they leave is what chance in who takes part is of.
    """
    n, (s1, s2, _) = moments.n, np.where(np.isfinite(moments.noise), moments.noise, 0.0)
    v = np.array([1.0, *(one.variance for one in covariates)])
    g, explained = 1 / (n * v), min(EXPLAINED, 1 / (2 * len(v))) * variation.spread
    squares = np.append(variation.pull(n, True)[0][chosen.axes].sum(), explained / v[1:])
    by_m2 = (squares.sum() + squares) / 2
    by_m2[0] -= squares[0]
    noise = (s1 * g) ** 2 * np.sum(np.sqrt(chosen.moments)) + (s2 * g) ** 2 * by_m2
    return noise, (variation.spread - len(covariates) * explained) * g


def lost(variation, chosen, moments):
    """Share of the variance of the best FIRST modes that the released ones miss, by noise and chance."""
    leading, n = moments.leading, moments.n
    covariance = variation.covariance[np.ix_(chosen.axes[:leading], chosen.axes[:leading])]
    back, rng = chosen.moments[:leading] ** 0.25, np.random.default_rng(SEED)
    sd = np.sqrt(np.diag(covariance))
    noise = np.outer(back, back) * moments.noise[2] / n + np.outer(sd, sd) * np.sqrt(2 / n)
    drawn = rng.normal(size=(DRAWS, leading, leading))
    upper = np.triu(drawn, 1) / np.sqrt(2)
    symmetric = upper + upper.transpose(0, 2, 1) + np.eye(leading) * drawn
    count = min(FIRST, leading)
    vectors = np.linalg.eigh(covariance + noise * symmetric)[1][:, :, -count:]
    held = np.einsum("dik,ij,djk->", vectors, covariance, vectors, optimize=True) / DRAWS
    return max(LEAST, 1 - float(held) / float(variation.spectrum[:count].sum()))
