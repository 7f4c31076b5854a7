"""Releases of a mean face drawn many at a time, their expected error in closed form, and the experiments made of them.

A release is affine in people's clipped curves: release = c + (1/n) sum_i D(x_i) + L z, D the clip and the filter, z
standard normal. For n people drawn with replacement from a population of N, whose mean is the truth, the squared
distance per point, x + y + z, of a face of unit area, is in expectation

    noise sum_j v_j^2  +  bias |c + mean D - truth|^2  +  sampling tr Cov(D)/n.

Drawn releases use multinomial counts of the population's people, so that n may be a million.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from shapedp.app.forecast import comparison
from shapedp.privacy.curves import bounds
from shapedp.releases import curve_mechanisms
from shapedp.reproduction import curve_population
from shapedp.surfaces import curve_mesh as radial
from shapedp.surfaces import polar

KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": (0.01, 0.01, 0.005)}  # alpha, phi: paper; rho is not given there
PAPER_SPLIT = np.array([0.2, 0.2, 0.55])  # mu of x, y, z for each curve
PAPER_MU = 2.9661  # sqrt(23 (0.2^2 + 0.2^2 + 0.55^2))
PEOPLE = 1000  # n of the paper; a smaller population stands in equal shares
SHOWN = 4  # people whose faces are put together again from their curves
CURVES = ("rkhs_paper", "rkhs", "matched", "matched_joint")


@dataclass(frozen=True)
class Linear:
    """The affine part of a mechanism on a population of N people; it depends neither on n nor on mu.

    deviations (N, J, 3, m) : D(x_i), in Fourier coefficients (points where the mechanism is point-wise)
    bias (J, 3, m) : mean D + center - truth in the same coordinates; spread : tr Cov(D) per point
    """

    deviations: np.ndarray
    bias: np.ndarray
    spread: float


def mechanism(version, name, n, mu_total, count, phi_factor=1.0, asked=None):
    """The Mechanism `name` for n people, bounds and center of the version taken for a population of `count`.

    phi_factor : on the paper's phi; asked : a budget in place of that of the version, which is the paper's shares of x,
    y, z with this total, or the best split in the corrected one
    """
    published = {"mu": PAPER_SPLIT * (mu_total / PAPER_MU)}
    asked = asked or (published if version == "published" else {"mu_total": mu_total})
    limits, center = curve_population.limits_of(version, count)
    settings = {**KERNEL, "phi": tuple(phi_factor * phi for phi in KERNEL["phi"])}
    shape = curve_population.template()[1].shape
    return curve_mechanisms.make(name, shape, n, limits, center, asked, settings)


@lru_cache(maxsize=1)
def linear(version, name, count, phi_factor=1.0):
    """The Linear of a mechanism, made once for all n and mu: back and gain are inverse in mu, which cancels in D."""
    made = mechanism(version, name, PEOPLE, PAPER_MU, count, phi_factor)
    curves = curve_population.population(count).curves
    deviations = made.back * made.encode(curves)
    truth = curves.mean(axis=0) - made.center
    mean = deviations.mean(axis=0)
    bias = mean - (bounds.coefficients(truth) if made.gives_curves else truth)
    spread = np.mean([_per_point(one - mean, made.gives_curves) for one in deviations])
    return Linear(deviations, bias, float(spread))


def expected(made, found, n):
    """{"noise", "bias", "sampling"} of the squared error per point, as in the module."""
    return {
        "noise": float(made.variances().sum(axis=1).mean()),
        "bias": _per_point(found.bias, made.gives_curves),
        "sampling": found.spread / n,
    }


def errors(made, found, n, replicates, rng):
    """(R,) squared errors per point of drawn releases of n drawn people."""
    size = len(found.deviations)
    counts = rng.multinomial(n, np.full(size, 1 / size), size=replicates) / n - 1 / size
    moved = (counts @ found.deviations.reshape(size, -1)).reshape(replicates, *made.gain.shape)
    noise = made.noise / n * made.back * rng.standard_normal(moved.shape)
    return _per_point(moved + noise + found.bias, made.gives_curves)


def smoothed(curves, center):
    """The RKHS mean: curves through the filter, about the center."""
    about = 0.0 if center is None else center
    return about + bounds.smooth(curves - about, bounds.filters(curves.shape[-1], **KERNEL))


def _per_point(x, fourier):
    """Squared length per point (...,) of (..., J, 3, m): coefficients are orthonormal in the mean over points."""
    squares = np.square(x)
    each = squares.sum(axis=-1) if fourier else squares.mean(axis=-1)
    found = each.sum(axis=-1).mean(axis=-1)
    return found if np.ndim(found) else float(found)


def curve_size(version, mechanism, n, people, replicates, rng):
    """Errors of drawn releases of n people at the paper's mu, and what they are expected to be."""
    return _errors(version, mechanism, n, PAPER_MU, people, replicates, rng)


def curve_budget(version, mechanism, mu, people, replicates, rng):
    """The same for 1,000 people at a total mu."""
    return _errors(version, mechanism, PEOPLE, mu, people, replicates, rng)


def curve_phi(version, mechanism, factor, people, replicates, rng):
    """Expected noise, bias and sampling error for 1,000 people with the paper's phi times a factor; nothing drawn."""
    made, found = _parts(version, mechanism, PEOPLE, PAPER_MU, people, factor)
    return _constant(expected(made, found, PEOPLE), replicates)


def curve_count(curves, people, replicates, rng):
    """Root mean square distance (mm) of faces to the surface put together from that many of their radial curves.

    Between curves, and between the nose tip and the first curve, straight lines; weights r dr dtheta of the disk.
    """
    radii = polar.radii(curve_population.RINGS)
    knots = np.append(0, np.arange(1, curves + 1) / curves)
    right = np.clip(np.searchsorted(knots, radii), 1, curves)
    share = ((radii - knots[right - 1]) / (knots[right] - knots[right - 1]))[:, None, None]
    found = []
    for f in map(curve_population.surface, range(SHOWN)):
        true = radial.extract(f, radii, curve_population.SAMPLES)
        kept = radial.extract(f, knots[1:], curve_population.SAMPLES)
        values = np.concatenate([radial.extract(f, [1e-9], curve_population.SAMPLES), kept])
        found.append((1 - share) * values[right - 1] + share * values[right] - true)
    squares = np.sum(np.square(found), axis=2).mean(axis=(0, 2))
    return _constant({"distance": np.sqrt(np.average(squares, weights=radii))}, replicates)


def curve_waves(people, replicates, rng):
    """Share of x, y and z curves' variance about their mean that is one period of a sine, averaged."""
    c = bounds.coefficients(curve_population.population(people).curves)
    energy = np.square(c)[..., 1:]  # without the constant
    share = energy[..., :2].sum(axis=-1) / energy.sum(axis=-1)
    return _constant(dict(zip("xyz", share.mean(axis=(0, 1)), strict=True)), replicates)


def curve_sensitivity(people, replicates, rng):
    """Published Delta^2 = 4 tau^2/(n^2 phi) over the exact squared RKHS sensitivity, for x, y and z; the mu that
    `rkhs_paper` guarantees where 2.9661 is asked; and the least eigenvalue of the published kernel matrix, i = 0..m.
    """
    phi = KERNEL["phi"]
    root = np.sqrt(bounds.spectrum(curve_population.SAMPLES, KERNEL["rho"], KERNEL["alpha"]))
    exact = (bounds.filters(curve_population.SAMPLES, **KERNEL) / root).max(axis=1)
    found = {name: 1 / (p * s**2) for name, p, s in zip("xyz", phi, exact, strict=True)}
    found["mu"] = mechanism("published", "rkhs_paper", PEOPLE, PAPER_MU, people).mu
    column = bounds.kernel_column(curve_population.SAMPLES, KERNEL["rho"], KERNEL["alpha"])
    places = np.arange(curve_population.SAMPLES + 1)
    published = column[np.abs(places[:, None] - places) % curve_population.SAMPLES]
    found["least_eigenvalue"] = np.linalg.eigvalsh(published)[0]
    return _constant(found, replicates)


def curve_split(people, replicates, rng):
    """Noise per point of `rkhs_paper`, bounds as published, for three splits of mu = 2.9661 over the 69 blocks."""
    equal = np.full(3, PAPER_MU / np.sqrt(3 * curve_population.CURVES))
    splits = {"paper": {"mu": PAPER_SPLIT}, "equal": {"mu": equal}, "best": {"mu_total": PAPER_MU}}
    found = {}
    for name, asked in splits.items():
        made = mechanism("published", "rkhs_paper", PEOPLE, PAPER_MU, people, asked=asked)
        found[name] = made.variances().sum(axis=1).mean()
        found[f"{name}_z"] = made.variances()[:, 2].mean()
    return _constant(found, replicates)


def _errors(version, name, n, mu, people, replicates, rng):
    made, found = _parts(version, name, n, mu, people)
    drawn = errors(made, found, n, replicates, rng)
    return {"error": drawn, **_constant(expected(made, found, n), replicates)}


def _parts(version, name, n, mu, people, phi_factor=1.0):
    """(mechanism, its Linear)."""
    return mechanism(version, name, n, mu, people, phi_factor), linear(version, name, people, phi_factor)


def _constant(numbers, replicates):
    return {name: np.full(replicates, value) for name, value in numbers.items()}


def curve_table(version, mu, people, replicates, rng):
    """{"pointwise a", "pointwise_literal a", "rkhs_paper b", "rkhs_paper c", ...: (R,)} of Table 1 of the faces paper:
    (a) the point-wise mean of the vertices with noise; (b) private curves to its nearest vertex; (c) private curves to
    the RKHS mean. "mean b" and "smooth b" are the plain and the RKHS mean of the curves, without clipping and noise.
    """
    limits = None if version == "published" else curve_population.REFERENCE
    population = curve_population.population(people, limits=limits)
    mean, curves = population.mean, population.curves
    if version == "published":
        ranges, bias = population.upper - population.lower, np.zeros_like(mean)
    else:
        lower, upper = curve_population.widened(curve_population.population(*limits))
        ranges, bias = upper - lower, population.clamped_mean - mean
    found = {}
    for name, scale in (("pointwise", ranges / PEOPLE), ("pointwise_literal", ranges)):
        sd = scale * np.sqrt(scale.size) / mu  # (scale/mu_p), mu_p = mu/sqrt(3 N)
        released = (bias + sd * rng.standard_normal(sd.shape) for _ in range(replicates))
        found[f"{name} a"] = np.array([np.mean(np.sum(one**2, axis=1)) for one in released])
    _, center = curve_population.limits_of(version, people)
    plain = curves.mean(axis=0)
    rkhs_mean, tree = smoothed(plain, center), scipy.spatial.cKDTree(mean)
    for name, still in (("mean", plain), ("smooth", rkhs_mean)):
        found[f"{name} b"] = np.full(replicates, comparison.mean_squared_nearest(still, plain, tree))
    for name in CURVES:
        made = mechanism(version, name, PEOPLE, mu, people)
        drawn = list(releases(made, curves, replicates, rng))
        found[f"{name} b"] = np.array([comparison.mean_squared_nearest(one, plain, tree) for one in drawn])
        found[f"{name} c"] = np.array([comparison.mean_squared_distance(one, rkhs_mean) for one in drawn])
    return found


def releases(made, curves, replicates, rng):
    """Released curves (J, 3, m), one at a time, of the whole population."""
    mean = made.encode(curves).mean(axis=0)
    for _ in range(replicates):
        yield made.decode(mean + made.noise / PEOPLE * rng.standard_normal(mean.shape))
