"""Means at levels of covariates for the tables of a model of shapes, drawn to what public people tell of them.

A model of shapes releases its mean and its effects as they were drawn: unbiased, so that others can pool and test them.
A table wants what is likeliest. Along each released axis the mean of everybody is seen with the error noise^2 + s/n, s
people's variance. The mean of m public people is another estimate of it, with the error s/m, if these are alike. By how
much more they differ is as likely beforehand to be one of many sizes, and follows from what is seen, as of mean faces:
docs/mathematics.md, (11.8). Then

    mean = public + t/(t + noise^2 + s/n) (seen - public),   t = s/m + what they differ by.

Effects are shrunk by (12.5), which takes off their noise and here leaves all chance in who took part: of size towards
its effect among public people, others towards 0.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.privacy.learned import likely_shares
from shapedp.releases.model.covariates import SIZE
from shapedp.releases.model.effects import Effects, noise_parts, shrink_effects


@dataclass(frozen=True)
class PublicMeans:
    """What public people tell of coordinates u (q,): their variances; their mean; how far u moves for one of log size,
    None where that is not known; count : how many they are
    """

    spread: np.ndarray
    mean: np.ndarray
    by_size: np.ndarray | None
    count: int


def draw_to_public(model, drawn, public):
    """Return coefficients (1 + p, q) for tables, as those of a model of shapes, and what these are expected to err by.

    That is covariances (1 + p, 1 + p, q) of the errors of everybody's mean (0) and of the effects, by noise and by
    chance in who took part; and how many times chance the mean is seen to lie off the public one beyond it, as it then
    likely does along the axes that are not released.

    Parameters
    ----------
    model : Released
        The model.
    drawn : (1 + p, q) array
        Its coefficients in u: the mean at z = (1, 0) from the center on, and effects.
    public : PublicMeans
        What public people tell.
    """
    average, n, (s1, s2, _) = model.average, model.people, model.moment_noise
    by_m1, parts = noise_parts(average, model.inverse, s1), [likely_shares.double_sizes(len(public.spread), 1)]
    # Along the leading axes the file says by how much more the mean errs, since what the clip took of it is unsure.
    times = np.ones(len(public.spread))
    times[: len(model.coordinate_unit)] = (model.coordinate_noise / model.coordinate_unit) ** 2
    seen, noise = average @ drawn - public.mean, by_m1[0, 0] * times + public.spread / n
    by_chance = public.spread / public.count
    both = by_chance + public.spread / n
    beyond = likely_shares.FAR[:, None, None] * both
    kept, doubts = likely_shares.find_likely_shares(seen, by_chance + beyond, noise, parts)
    sure_shares = likely_shares.find_shares_beyond_chance(seen, both, noise - public.spread / n, parts)
    excess = likely_shares.find_typical_excess(sure_shares * seen, both, parts[0])
    coefficients, errors = drawn.copy(), np.zeros((*by_m1.shape, len(noise)))
    errors[0, 0] = kept * noise + doubts * seen**2
    if model.covariates:
        center = np.zeros_like(drawn[1:])
        for k, covariate in enumerate(model.covariates):
            if covariate.name == SIZE and public.by_size is not None:
                center[k] = covariate.reach * public.by_size
        left, spread = np.tile(by_m1[:, :, None], len(noise)), np.diag(public.spread)
        fitted = Effects(drawn, average, model.inverse, s1, s2, spread, spread, drawn, left)
        shrunk = shrink_effects(fitted, public.spread, parts, center, by_chance=0.0)
        coefficients[1:], errors[1:, 1:] = shrunk.effects, np.moveaxis(shrunk.errors, 0, -1)
    coefficients[0] = public.mean + kept * seen - average[1:] @ coefficients[1:]
    return coefficients, errors, excess
