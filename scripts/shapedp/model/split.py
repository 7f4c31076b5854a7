"""How one mu is split over the three moments of a model, and how many coordinates its modes come from; public.

With A, B, C the squared shares of M1, M2 and M3 in the joint sensitivity (docs/mathematics.md, (12.2)), B = C = A/2
cost M1 nothing: who moves M1 by all that is allowed, u -> -u, moves neither M2 nor M3. Beyond that M1 pays. Tried are
such ratios and numbers of coordinates; taken is what makes

    (noise + chance in mean and effects) x (variance of the leading modes lost to noise and chance)

least, both as expected of people like the public set, by a simulation with fixed seeds.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.mechanisms.moments import Moments

FIRST = 5  # modes that the split looks at
RATIOS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)  # C/A
COVARIATE_RATIOS = (0.05, 0.1, 0.2, 0.35, 0.5)  # B/A
WIDER = (1, 1.5, 2, 3)  # times the least number of coordinates
EFFECT = 0.25  # of people's variance that a covariate is taken to account for, where the noise on M2 is weighed
DRAWS, SEED = 12, 0


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
    unrelated and spread as public numbers say.
    """
    n, (s1, s2, _) = moments.n, np.where(np.isfinite(moments.noise), moments.noise, 0.0)
    spread = variation.spread
    g = 1 / (n * np.array([1.0, *(one.variance for one in covariates)]))
    effects = EFFECT * spread * np.sum(1 / np.array([one.variance for one in covariates])) if covariates else 0.0
    noise = (s1 * g) ** 2 * np.sum(np.sqrt(chosen.moments)) + (s2 * g) ** 2 / 2 * effects
    return noise, spread * g


def lost(variation, chosen, moments):
    """Share of the variance of the best FIRST modes that the released ones miss, by noise and chance."""
    leading, n = moments.leading, moments.n
    axes = chosen.axes[:leading]
    covariance = np.cov(variation.held_out[:, axes].astype(float).T)
    covariance = np.atleast_2d(covariance)
    back, rng = chosen.moments[:leading] ** 0.25, np.random.default_rng(SEED)
    sd = np.sqrt(np.diag(covariance))
    everybody = np.cov(variation.held_out[:, : len(variation.modes)].astype(float).T)
    best_values = np.linalg.eigvalsh(np.atleast_2d(everybody))[::-1]
    count = min(FIRST, leading)
    held = []
    for _ in range(DRAWS):
        noise = np.outer(back, back) * moments.noise[2] / n + np.outer(sd, sd) * np.sqrt(2 / n)
        upper = np.triu(rng.normal(size=(leading, leading)), 1) / np.sqrt(2)
        found = covariance + noise * (upper + upper.T + np.diag(rng.normal(size=leading)))
        vectors = np.linalg.eigh(found)[1][:, ::-1][:, :count]
        held.append(np.einsum("ik,ij,jk->", vectors, covariance, vectors))
    return max(1e-4, 1 - float(np.mean(held)) / float(best_values[:count].sum()))
