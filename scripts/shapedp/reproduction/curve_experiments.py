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
# The paper's n; a smaller population stands for it in equal shares.
PEOPLE = 1000
# The faces of so many people are put together again from their curves.
SHOWN = 4
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


def make_mechanism(version, name, n, mu_total, count, phi_factor=1.0, budget=None):
    """Return the mechanism `name` for n people, with settings as published or corrected, for an experiment.

    Bounds and center of that version are of a population of `count`. phi_factor : on the paper's phi; budget : in place
    of that of the version, which is the paper's shares of x, y, z with this total, or the best split in the corrected
    one
    """
    published = {"mu": PAPER_SPLIT * (mu_total / PAPER_MU)}
    budget = budget or (published if version == "published" else {"mu_total": mu_total})
    limits, center = curve_population.learn_bounds(version, count)
    settings = {**KERNEL, "phi": tuple(phi_factor * phi for phi in KERNEL["phi"])}
    shape = curve_population.template()[1].shape
    return curve_mechanisms.make(name, shape, n, limits, center, budget, settings)


@lru_cache(maxsize=1)
def compute_linear(version, name, count, phi_factor=1.0):
    """Return the affine part of a mechanism (Linear), made once, by which releases are drawn fast for all n and mu.

    It depends on neither: back and gain are inverse in mu, which cancels in D.
    """
    curve_mechanism = make_mechanism(version, name, PEOPLE, PAPER_MU, count, phi_factor)
    curves = curve_population.population(count).curves
    deviations = curve_mechanism.back * curve_mechanism.encode(curves)
    truth = curves.mean(axis=0) - curve_mechanism.center
    mean = deviations.mean(axis=0)
    bias = mean - (bounds.coefficients(truth) if curve_mechanism.gives_curves else truth)
    spread = np.mean([_average_square(deviation - mean, curve_mechanism.gives_curves) for deviation in deviations])
    return Linear(deviations, bias, float(spread))


def predict_errors(curve_mechanism, affine, n):
    """Return a release's expected squared error per point by its parts, without drawing: {"noise", "bias", "sampling"}.

    The formula is at the module's head.
    """
    return {
        "noise": float(curve_mechanism.variances().sum(axis=1).mean()),
        "bias": _average_square(affine.bias, curve_mechanism.gives_curves),
        "sampling": affine.spread / n,
    }


def draw_errors(curve_mechanism, affine, n, replicates, rng):
    """Return (R,) squared errors per point of drawn releases of n drawn people, to set beside `predict_errors`."""
    size = len(affine.deviations)
    counts = rng.multinomial(n, np.full(size, 1 / size), size=replicates) / n - 1 / size
    sampling_shift = (counts @ affine.deviations.reshape(size, -1)).reshape(replicates, *curve_mechanism.gain.shape)
    noise = curve_mechanism.noise / n * curve_mechanism.back * rng.standard_normal(sampling_shift.shape)
    return _average_square(sampling_shift + noise + affine.bias, curve_mechanism.gives_curves)


def smooth_curves(curves, center):
    """Return the RKHS mean: curves through the filter, about the center."""
    about = 0.0 if center is None else center
    return about + bounds.smooth(curves - about, bounds.filters(curves.shape[-1], **KERNEL))


def _average_square(x, fourier):
    """Return the squared length per point (...,) of (..., J, 3, m), points or coefficients: the unit of errors.

    Coefficients are orthonormal in the mean over points.
    """
    squares = np.square(x)
    squared_length = squares.sum(axis=-1) if fourier else squares.mean(axis=-1)
    mean_square = squared_length.sum(axis=-1).mean(axis=-1)
    return mean_square if np.ndim(mean_square) else float(mean_square)


def curve_size(version, mechanism, n, people, replicates, rng):
    """Measure the curves' mean against n: return errors of drawn releases at the paper's mu, and the expected ones."""
    return _measure_errors(version, mechanism, n, PAPER_MU, people, replicates, rng)


def curve_budget(version, mechanism, mu, people, replicates, rng):
    """Measure the curves' mean against mu: return errors of drawn releases of 1,000 people, and the expected ones."""
    return _measure_errors(version, mechanism, PEOPLE, mu, people, replicates, rng)


def curve_phi(version, mechanism, factor, people, replicates, rng):
    """Measure how smoothing trades noise for bias: expected noise, bias, sampling error at a factor of the paper's phi.

    They are of 1,000 people; nothing is drawn.
    """
    curve_mechanism, affine = _prepare(version, mechanism, PEOPLE, PAPER_MU, people, factor)
    return _repeat(predict_errors(curve_mechanism, affine, PEOPLE), replicates)


def curve_count(curves, people, replicates, rng):
    """Measure what so few radial curves show of a face: the distance (mm) of the surface put together from them.

    It is the root mean square. Between curves, and between the nose tip and the first curve, straight lines; weights r
    dr dtheta of the disk.
    """
    radii = polar.radii(curve_population.RINGS)
    knots = np.append(0, np.arange(1, curves + 1) / curves)
    upper_knot = np.clip(np.searchsorted(knots, radii), 1, curves)
    share = ((radii - knots[upper_knot - 1]) / (knots[upper_knot] - knots[upper_knot - 1]))[:, None, None]
    gaps = []
    for f in map(curve_population.surface, range(SHOWN)):
        exact_curves = radial.extract(f, radii, curve_population.SAMPLES)
        knot_curves = radial.extract(f, knots[1:], curve_population.SAMPLES)
        values = np.concatenate([radial.extract(f, [1e-9], curve_population.SAMPLES), knot_curves])
        gaps.append((1 - share) * values[upper_knot - 1] + share * values[upper_knot] - exact_curves)
    squares = np.sum(np.square(gaps), axis=2).mean(axis=(0, 2))
    return _repeat({"distance": np.sqrt(np.average(squares, weights=radii))}, replicates)


def curve_waves(people, replicates, rng):
    """Measure how much of face curves' x, y and z is one period of a sine, which the faces paper says they are.

    It is the share of each curve's variance about its mean, averaged.
    """
    c = bounds.coefficients(curve_population.population(people).curves)
    # The constant coefficient is left out: it is no wave.
    energy = np.square(c)[..., 1:]
    share = energy[..., :2].sum(axis=-1) / energy.sum(axis=-1)
    return _repeat(dict(zip("xyz", share.mean(axis=(0, 1)), strict=True)), replicates)


def curve_sensitivity(people, replicates, rng):
    """Measure the paper's bounds: its squared sensitivity over the exact one, its true mu, its kernel.

    The first is published Delta^2 = 4 tau^2/(n^2 phi) over the exact squared RKHS sensitivity, for x, y and z; the
    second the mu that `rkhs_paper` guarantees where 2.9661 is asked; the third the least eigenvalue of the published
    kernel matrix, i = 0..m.
    """
    phi = KERNEL["phi"]
    root = np.sqrt(bounds.spectrum(curve_population.SAMPLES, KERNEL["rho"], KERNEL["alpha"]))
    exact = (bounds.filters(curve_population.SAMPLES, **KERNEL) / root).max(axis=1)
    numbers = {name: 1 / (p * s**2) for name, p, s in zip("xyz", phi, exact, strict=True)}
    numbers["mu"] = make_mechanism("published", "rkhs_paper", PEOPLE, PAPER_MU, people).mu
    column = bounds.kernel_column(curve_population.SAMPLES, KERNEL["rho"], KERNEL["alpha"])
    places = np.arange(curve_population.SAMPLES + 1)
    kernel_matrix = column[np.abs(places[:, None] - places) % curve_population.SAMPLES]
    numbers["least_eigenvalue"] = np.linalg.eigvalsh(kernel_matrix)[0]
    return _repeat(numbers, replicates)


def curve_split(people, replicates, rng):
    """Measure what the paper's split of mu costs: noise per point for three splits of 2.9661 over the 69 blocks.

    It is of `rkhs_paper`, bounds as published.
    """
    equal = np.full(3, PAPER_MU / np.sqrt(3 * curve_population.CURVES))
    splits = {"paper": {"mu": PAPER_SPLIT}, "equal": {"mu": equal}, "best": {"mu_total": PAPER_MU}}
    noise = {}
    for name, budget in splits.items():
        curve_mechanism = make_mechanism("published", "rkhs_paper", PEOPLE, PAPER_MU, people, budget=budget)
        noise[name] = curve_mechanism.variances().sum(axis=1).mean()
        noise[f"{name}_z"] = curve_mechanism.variances()[:, 2].mean()
    return _repeat(noise, replicates)


def _measure_errors(version, name, n, mu, people, replicates, rng):
    curve_mechanism, affine = _prepare(version, name, n, mu, people)
    squared_errors = draw_errors(curve_mechanism, affine, n, replicates, rng)
    return {"error": squared_errors, **_repeat(predict_errors(curve_mechanism, affine, n), replicates)}


def _prepare(version, name, n, mu, people, phi_factor=1.0):
    """Return (mechanism, its Linear)."""
    return make_mechanism(version, name, n, mu, people, phi_factor), compute_linear(version, name, people, phi_factor)


def _repeat(numbers, replicates):
    return {name: np.full(replicates, value) for name, value in numbers.items()}


def curve_table(version, mu, people, replicates, rng):
    """Measure Table 1 of the faces paper: squared errors of private means, {"pointwise a", "rkhs_paper b", ...: (R,)}.

    Columns: (a) the point-wise mean of the vertices with noise; (b) private curves to its nearest vertex; (c) private
    curves to the RKHS mean. "mean b" and "smooth b" are the plain and the RKHS mean of the curves, without clipping and
    noise.
    """
    limits = None if version == "published" else curve_population.REFERENCE
    population = curve_population.population(people, limits=limits)
    mean, curves = population.mean, population.curves
    if version == "published":
        ranges, bias = population.upper - population.lower, np.zeros_like(mean)
    else:
        reference_count, reference_seed = limits
        reference = curve_population.population(reference_count, reference_seed)
        lower, upper = curve_population.widen_range(reference)
        ranges, bias = upper - lower, population.clamped_mean - mean
    squared_errors = {}
    for name, scale in (("pointwise", ranges / PEOPLE), ("pointwise_literal", ranges)):
        # The budget mu is split over 3 N coordinates: sd = scale/mu_p with mu_p = mu/√(3 N).
        sd = scale * np.sqrt(scale.size) / mu
        released = (bias + sd * rng.standard_normal(sd.shape) for _ in range(replicates))
        squared_errors[f"{name} a"] = np.array([np.mean(np.sum(release**2, axis=1)) for release in released])
    _, center = curve_population.learn_bounds(version, people)
    plain = curves.mean(axis=0)
    rkhs_mean, tree = smooth_curves(plain, center), scipy.spatial.cKDTree(mean)
    for name, mean_curves in (("mean", plain), ("smooth", rkhs_mean)):
        squared_errors[f"{name} b"] = np.full(replicates, comparison.mean_squared_nearest(mean_curves, plain, tree))
    for name in CURVES:
        curve_mechanism = make_mechanism(version, name, PEOPLE, mu, people)
        releases_drawn = list(draw_releases(curve_mechanism, curves, replicates, rng))
        squared_errors[f"{name} b"] = np.array(
            [comparison.mean_squared_nearest(release, plain, tree) for release in releases_drawn]
        )
        squared_errors[f"{name} c"] = np.array(
            [comparison.mean_squared_distance(release, rkhs_mean) for release in releases_drawn]
        )
    return squared_errors


def draw_releases(curve_mechanism, curves, replicates, rng):
    """Yield mean faces (J, 3, m) as a mechanism would release them, for the reproduction of the faces paper.

    They are of the whole population, each with noise of its own, drawn in floating point: no release is made so.
    """
    mean = curve_mechanism.encode(curves).mean(axis=0)
    for _ in range(replicates):
        yield curve_mechanism.decode(mean + curve_mechanism.noise / PEOPLE * rng.standard_normal(mean.shape))
