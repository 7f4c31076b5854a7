"""What a release will cost in accuracy, before any private data is touched: error as a function of n, mu and bounds.

The noise moves a point by K/(n mu), root mean square, K from the mechanism, the kernel and the public bounds. With a
public guess of how far people differ, the chance in who takes part is foretold too, as spread/sqrt(n). The pull towards
the reference by clipping and smoothing depends on the data and is not foretold.
"""

import math

import numpy as np

from shapedp.errors import ConfigError
from shapedp.mechanisms import bounds as bounds_of
from shapedp.mechanisms import curve_mechanisms

PLANNED = 300  # people that settings are compared with


def strength(name, shape, bounds, reference, kernel_settings):
    """K: root mean square noise distance at a point, times n mu, with the best public split of the budget."""
    made = curve_mechanisms.make(name, shape, 2, bounds, reference, {"mu_total": 1.0}, kernel_settings)
    return 2 * math.sqrt(float(np.mean(made.variances().sum(axis=1))))


def noise(k, n, mu):
    """Root mean square distance that noise moves a point, in the unit of k."""
    check(n=n, mu=mu)
    return k / (n * mu)


def error(k, n, mu, spread=0.0):
    """Root mean square distance of the released mean from the population's: noise and the sampling of n people.

    spread : root mean square distance of a person's point from the population's mean, in the unit of k; public, for
        instance that of a reference set; 0 asks about the noise alone
    """
    return math.hypot(noise(k, n, mu), spread / math.sqrt(n))


def people_needed(k, mu, target, spread=0.0):
    """The least n >= 2 with error at most `target`: 1/n solves (k/mu)^2 u^2 + spread^2 u = target^2."""
    check(mu=mu, target=target)
    half = spread**2 / 2
    return max(2, math.ceil((half + math.hypot(half, k * target / mu)) / target**2))


def check(**values):
    """Refuse what is no positive number."""
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise ConfigError(f"plan: {name} must be a positive number, found {value}")


def variants(shape, tau, kernel_settings):
    """(setting, value, K) with one setting changed a time, by the joint mechanism with bounds from numbers.

    shape : (J, 3, m) as asked for; tau : (3,) bounds on x, y, z
    """
    count, rows = shape[0], []
    for curves in (count // 2, count, 2 * count):
        rows.append(("curves", f"{curves}", _with_numbers((curves, *shape[1:]), tau, kernel_settings)))
    for factor in (0.1, 1.0, 10.0):
        phi = [factor * one for one in kernel_settings["phi"]]
        words = ", ".join(f"{one:g}" for one in phi)
        rows.append(("phi", words, _with_numbers(shape, tau, {**kernel_settings, "phi": phi})))
    for factor in (0.5, 1.0, 2.0):
        scaled = factor * np.asarray(tau)
        words = ", ".join(f"{one:.3g}" for one in scaled)
        rows.append(("tau", words, _with_numbers(shape, scaled, kernel_settings)))
    return rows


def _with_numbers(shape, tau, kernel_settings):
    return strength("matched_joint", shape, bounds_of.from_numbers(tau, shape[0]), None, kernel_settings)
