"""Releases of a mean face drawn many at a time, and their expected error in closed form.

A release is affine in people's clipped curves: release = c + (1/n) sum_i D(x_i) + L z, D the clip and the filter, z
standard normal. For n people drawn with replacement from a population of N, whose mean is the truth, the squared
distance per point, x + y + z, is in expectation

    noise sum_j v_j^2  +  bias |c + mean D - truth|^2  +  sampling tr Cov(D)/n.

Drawn releases use multinomial counts of the population's people, so that n may be a million.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from shapedp.mechanisms import curve_mechanisms, kernel, smoothing
from shapedp.simulation import curve_population as people

KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": (0.01, 0.01, 0.005)}  # alpha, phi: paper; rho is not given there
PAPER_SPLIT = np.array([0.2, 0.2, 0.55])  # mu of x, y, z for each curve
PAPER_MU = 2.9661  # sqrt(23 (0.2^2 + 0.2^2 + 0.55^2))


@dataclass(frozen=True)
class Linear:
    """The affine part of a mechanism on a population of N people; it depends neither on n nor on mu.

    deviations (N, J, 3, m) : D(x_i), in Fourier coefficients (points where the mechanism is point-wise)
    bias (J, 3, m) : mean D + center - truth in the same coordinates; spread : tr Cov(D) per point
    """

    deviations: np.ndarray
    bias: np.ndarray
    spread: float


def budget(version, mu_total):
    """The paper's shares of x, y, z with this total; the best split in the corrected version."""
    if version == "published":
        return {"mu": PAPER_SPLIT * (mu_total / PAPER_MU)}
    return {"mu_total": mu_total}


def mechanism(version, name, n, mu_total, count, kernel_settings=None):
    """The Mechanism `name` for n people, bounds and center of the version taken for a population of `count`."""
    limits, center = people.limits_of(version, count)
    settings = kernel_settings or KERNEL
    shape = people.template()[1].shape
    return curve_mechanisms.make(name, shape, n, limits, center, budget(version, mu_total), settings)


@lru_cache(maxsize=1)
def linear(version, name, count):
    """The Linear of a mechanism, made once for all n and mu: back and gain are inverse in mu, which cancels in D."""
    return _linear(mechanism(version, name, 1000, PAPER_MU, count), count)


def expected(made, found, n):
    """{"noise", "bias", "sampling"} of the squared error per point, as in the module."""
    return {
        "noise": float(made.variances().sum(axis=1).mean()),
        "bias": _per_point(found.bias, made.fourier),
        "sampling": found.spread / n,
    }


def errors(made, found, n, replicates, rng):
    """(R,) squared errors per point of drawn releases of n drawn people."""
    size = len(found.deviations)
    counts = rng.multinomial(n, np.full(size, 1 / size), size=replicates) / n - 1 / size
    moved = (counts @ found.deviations.reshape(size, -1)).reshape(replicates, *made.gain.shape)
    noise = made.noise / n * made.back * rng.standard_normal(moved.shape)
    return _per_point(moved + noise + found.bias, made.fourier)


def smoothed(curves, center, settings=None):
    """The RKHS mean: curves through the filter, about the center."""
    about = 0.0 if center is None else center
    return about + smoothing.smooth(curves - about, smoothing.filters(curves.shape[-1], **(settings or KERNEL)))


def with_phi(factor):
    """The kernel's settings with phi times a factor."""
    return {**KERNEL, "phi": tuple(factor * phi for phi in KERNEL["phi"])}


def _linear(made, count):
    taken = people.population(count).curves
    deviations = made.back * made.encode(taken)
    truth = taken.mean(axis=0) - made.added_back
    mean = deviations.mean(axis=0)
    bias = mean - (kernel.coefficients(truth) if made.fourier else truth)
    spread = np.mean([_per_point(one - mean, made.fourier) for one in deviations])
    return Linear(deviations, bias, float(spread))


def for_settings(version, name, n, mu_total, count, settings):
    """(mechanism, its Linear) with another kernel."""
    made = mechanism(version, name, n, mu_total, count, settings)
    return made, _linear(made, count)


def _per_point(x, fourier):
    """Squared length per point (...,) of (..., J, 3, m): coefficients are orthonormal in the mean over points."""
    squares = np.square(x)
    each = squares.sum(axis=-1) if fourier else squares.mean(axis=-1)
    found = each.sum(axis=-1).mean(axis=-1)
    return found if np.ndim(found) else float(found)
