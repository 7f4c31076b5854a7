"""Experiments on mean faces released as curves: over n, mu, phi and the number of curves; see curve_plan.py.

Errors are squared distances per point, x + y + z, of a face of unit area.
"""

import numpy as np

from shapedp.mechanisms import curve_mechanisms, kernel, smoothing
from shapedp.simulation import curve_population as people_of
from shapedp.simulation import curve_releases as releases
from shapedp.surfaces import curves as radial
from shapedp.surfaces import polar

PAPER_PEOPLE = 1000
SHOWN = 4  # people whose faces are put together again from their curves


def curve_size(version, mechanism, n, people, replicates, rng):
    """Errors of drawn releases of n people at the paper's mu, and what they are expected to be."""
    return _errors(version, mechanism, n, releases.PAPER_MU, people, replicates, rng)


def curve_budget(version, mechanism, mu, people, replicates, rng):
    """The same for 1,000 people at a total mu."""
    return _errors(version, mechanism, PAPER_PEOPLE, mu, people, replicates, rng)


def curve_phi(version, mechanism, factor, people, replicates, rng):
    """Expected noise, bias and sampling error for 1,000 people with the paper's phi times a factor; nothing drawn."""
    settings = releases.with_phi(factor)
    made, found = releases.for_settings(version, mechanism, PAPER_PEOPLE, releases.PAPER_MU, people, settings)
    return _constant(releases.expected(made, found, PAPER_PEOPLE), replicates)


def curve_count(curves, people, replicates, rng):
    """Root mean square distance (mm) of faces to the surface put together from that many of their radial curves.

    Between curves, and between the nose tip and the first curve, straight lines; weights r dr dtheta of the disk.
    """
    radii = polar.radii(people_of.RINGS)
    knots = np.arange(1, curves + 1) / curves
    found = []
    for f in people_of.some_surfaces(SHOWN):
        true = radial.extract(f, radii, people_of.SAMPLES)
        kept = radial.extract(f, knots, people_of.SAMPLES)
        tip = radial.extract(f, [1e-9], people_of.SAMPLES)
        found.append(_between(np.concatenate([tip, kept]), np.append(0, knots), radii) - true)
    squares = np.sum(np.square(found), axis=2).mean(axis=(0, 2))
    return _constant({"distance": np.sqrt(np.average(squares, weights=radii))}, replicates)


def curve_waves(people, replicates, rng):
    """Share of x, y and z curves' variance about their mean that is one period of a sine, averaged."""
    c = kernel.coefficients(people_of.population(people).curves)
    energy = np.square(c)[..., 1:]  # without the constant
    share = energy[..., :2].sum(axis=-1) / energy.sum(axis=-1)
    return _constant(dict(zip("xyz", share.mean(axis=(0, 1)), strict=True)), replicates)


def curve_sensitivity(people, replicates, rng):
    """Published Delta^2 = 4 tau^2/(n^2 phi) over the exact squared RKHS sensitivity, for x, y and z; the mu that
    `rkhs_paper` guarantees where 2.9661 is asked; and the least eigenvalue of the published kernel matrix, i = 0..m.
    """
    phi = releases.KERNEL["phi"]
    root = np.sqrt(kernel.spectrum(people_of.SAMPLES, releases.KERNEL["rho"], releases.KERNEL["alpha"]))
    exact = (smoothing.filters(people_of.SAMPLES, **releases.KERNEL) / root).max(axis=1)
    found = {name: 1 / (p * s**2) for name, p, s in zip("xyz", phi, exact, strict=True)}
    found["mu"] = releases.mechanism("published", "rkhs_paper", PAPER_PEOPLE, releases.PAPER_MU, people).mu
    column = kernel.column(people_of.SAMPLES, releases.KERNEL["rho"], releases.KERNEL["alpha"])
    places = np.arange(people_of.SAMPLES + 1)
    published = column[np.abs(places[:, None] - places) % people_of.SAMPLES]
    found["least_eigenvalue"] = np.linalg.eigvalsh(published)[0]
    return _constant(found, replicates)


def curve_split(people, replicates, rng):
    """Noise per point of `rkhs_paper`, bounds as published, for three splits of mu = 2.9661 over the 69 blocks."""
    limits, center = people_of.limits_of("published", people)
    equal = np.full(3, releases.PAPER_MU / np.sqrt(3 * people_of.CURVES))
    splits = {"paper": {"mu": releases.PAPER_SPLIT}, "equal": {"mu": equal}, "best": {"mu_total": releases.PAPER_MU}}
    found = {}
    for name, budget in splits.items():
        shape = people_of.template()[1].shape
        made = curve_mechanisms.make("rkhs_paper", shape, PAPER_PEOPLE, limits, center, budget, releases.KERNEL)
        found[name] = made.variances().sum(axis=1).mean()
        found[f"{name}_z"] = made.variances()[:, 2].mean()
    return _constant(found, replicates)


def _errors(version, name, n, mu, people, replicates, rng):
    found = releases.linear(version, name, people)
    made = releases.mechanism(version, name, n, mu, people)
    drawn = releases.errors(made, found, n, replicates, rng)
    return {"error": drawn, **_constant(releases.expected(made, found, n), replicates)}


def _constant(numbers, replicates):
    return {name: np.full(replicates, value) for name, value in numbers.items()}


def _between(values, knots, at):
    """Straight lines along axis 0 through values (K, ...) at rising knots (K,)."""
    right = np.clip(np.searchsorted(knots, at), 1, len(knots) - 1)
    share = ((at - knots[right - 1]) / (knots[right] - knots[right - 1]))[:, None, None]
    return (1 - share) * values[right - 1] + share * values[right]
