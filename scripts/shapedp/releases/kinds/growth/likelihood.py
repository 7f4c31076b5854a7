"""Fit a curve of growth to noised sums: the likeliest, averaged over how much of people's variance it explains."""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from shapedp.releases.kinds.growth.functions import Floats, Functions

# Of the axes in which people differ most. They share one omega, and those after them another (15.4).
FIRST_AXES = 20
# Shares of people's variance that a function may explain, over which the likelihood averages.
OMEGAS = np.geomspace(1e-5, 0.3, 45)
# Weight of even ages where noise leaves open how people fill the range; and the share of people that is taken to fill
# it evenly, so that no age is without anybody.
EVEN, LEFT_EVEN = 1e-3, 0.02
# Times omega that curves may turn by near an end of the range besides, all levels together (15.5).
TURNED = 1.0


def estimate_share(deviations: Floats, variances: Floats, sizes: Floats) -> tuple[float, Floats]:
    """Return the share of people's variance that functions explain, by which coefficients are shrunk, and its doubt.

    The share is averaged by the likelihood.

    Parameters
    ----------
    deviations : (...) float
        Noised coefficients, taken as N(0, omega sizes + variances), entry by entry.
    variances, sizes : (...) float
        Of noise and chance; and public people's.

    Returns
    -------
    omega : float
    doubt : (...) float
        What not knowing omega adds to the variance of each entry's estimate.
    """
    signal = OMEGAS.reshape(-1, *[1] * deviations.ndim) * sizes
    total = signal + variances
    log = -0.5 * np.sum((np.log(total) + deviations**2 / total).reshape(len(OMEGAS), -1), axis=1)
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    kept = signal / total
    mean = np.tensordot(weights, kept, axes=1)
    return float(weights @ OMEGAS), np.tensordot(weights, (kept - mean) ** 2, axes=1) * deviations**2


@dataclass(frozen=True)
class Fit:
    """Of some functions: coefficients (p, q) of z along axes; covariances (q, p, p) of what is not known of each axis'
    coefficients; missed (q, p, p) of which smoothing takes what part away; omegas (p, q) of people's variance that each
    function was found to explain.
    """

    coefficients: Floats
    covariances: Floats
    missed: Floats
    omegas: Floats


def fit_functions(
    m1: Floats,
    m2: Floats,
    sizes: Floats,
    residual: Floats,
    kappa: Floats,
    s1: float = 0.0,
    s2: float = 0.0,
    chance: Floats | None = None,
    left: float = 1.0,
) -> Fit:
    """Return the Fit to noised sums m1 (p, q), m2 (p, p): the curve of age, shrunk as noise s1, s2 and chance ask.

    First each coefficient by itself tells omega, then all of an axis are estimated together.

    Parameters
    ----------
    m1 : (p, q) float
        The noised sum of u z', without what a clip adds to it about the share that it leaves of means.
    m2 : (p, p) float
        The moment of z, each person by that share.
    sizes, residual : (q,) float
        Public variances of people; theirs about the curve.
    kappa : (p,) float
        Lengths of z's parts.
    s1, s2 : float
        Standard deviations of the noise on both sums.
    chance : (p, p) float, optional
        The moment of z, each person by the share's square; m2 itself where there is no clip.
    left : float
        That share on average, by which noise on m2 counts.
    """
    # M2 is that of people on a grid of ages (`find_possible_moments`), or of public ones with a ridge: it can be
    # inverted.
    inverse = np.linalg.inv(m2)
    plain = inverse @ m1
    covariances = (inverse if chance is None else inverse @ chance @ inverse)[None] * residual[:, None, None]
    if s1:
        covariances = covariances + inverse @ _find_noise_of_sums(left * plain, s1, s2) @ inverse
    known = np.diagonal(covariances, axis1=1, axis2=2).T
    # Omega is told in lengths that all functions share, whatever their kappa.
    scale = kappa[:, None] ** 2
    omegas, doubt = np.empty_like(plain), np.empty_like(plain)
    for part in filter(len, np.split(np.arange(len(sizes)), [FIRST_AXES])):
        for j in range(len(plain)):
            omega_and_doubt = estimate_share(plain[j, part] * kappa[j], known[j, part] * scale[j], sizes[part])
            omegas[j, part], doubt[j, part] = omega_and_doubt
    prior = np.concatenate([np.zeros((1, len(sizes))), 1 / (omegas[1:] * sizes / scale[1:])]).T
    precision = np.linalg.inv(covariances)
    with_prior, every = precision.copy(), np.arange(len(m2))
    with_prior[:, every, every] += prior
    unknown = np.linalg.inv(with_prior)
    coefficients = np.einsum("qab,qbc,cq->aq", unknown, precision, plain)
    missed = unknown * prior[:, None]
    unknown[:, every[1:], every[1:]] += (doubt[1:] / scale[1:]).T
    return Fit(coefficients, unknown, missed, omegas)


def _find_noise_of_sums(b: Floats, s1: float, s2: float) -> Floats:
    """Return the covariance (q, p, p) of the noise in a fit's normal equations, axis by axis, to weigh them by: (12.3).

    The equations of coefficients b are M2 b = M1, and both sums are noised.
    """
    p = len(b)
    covariance = s1**2 * np.eye(p) + s2**2 / 2 * (
        np.sum(b**2, axis=0)[:, None, None] * np.eye(p) + np.einsum("aq,bq->qab", b, b)
    )
    covariance[:, 0, 0] -= s2**2 * b[0] ** 2
    return covariance


def find_possible_moments(m2: Floats, functions: Functions, n: int, noise: float) -> tuple[Floats, Floats]:
    """Return the nearest moments to the noised m2 that n people of the public range can have, for a fit to divide by.

    They are drawn towards ages that fill the range evenly where noise leaves it open.

    Parameters
    ----------
    m2 : (p, p) float
        The noised moment of z.
    functions : Functions
        Which z is of.
    n : int
        People.
    noise : float
        Standard deviation of the noise on the diagonal of m2.

    Returns
    -------
    m2 : (p, p) float
    people : (g,) float
        How many lie at each of `functions.places`.
    """
    z = functions.at_places
    # Entries off the diagonal have 1/sqrt(2) of the noise, (12.1), and weigh by as much more.
    upper = np.triu_indices(len(m2))
    twice = np.where(upper[0] == upper[1], 1.0, math.sqrt(2.0)) / max(noise, 1e-9)
    rows = np.array([np.outer(function_values, function_values)[upper] for function_values in z]).T * twice[:, None]
    even = np.where(functions.places[1] == 0, 0.0 if functions.by else 1.0, 1.0)
    even *= n / even.sum()
    pull = EVEN / math.sqrt(n)
    system = np.concatenate([rows, np.full((1, len(z)), 1e3 / n), pull * np.eye(len(z))])
    try:
        people = scipy.optimize.nnls(system, np.concatenate([m2[upper] * twice, [1e3], pull * even]))[0]
    except RuntimeError:
        # The iteration came to no end, so that nothing is known of ages: a release must not fail by what noise drew.
        people = even
    people = (1 - LEFT_EVEN) * people * (n / max(people.sum(), 1e-300)) + LEFT_EVEN * even
    return (z.T * people) @ z, people
