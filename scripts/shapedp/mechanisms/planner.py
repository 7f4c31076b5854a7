"""What a release will cost in accuracy, before any private data is touched: error as a function of n, mu and bounds.

The noise moves a point by K/(n mu), root mean square, K from the mechanism, the kernel and the public bounds. With a
public guess of how far people differ, the chance in who takes part is foretold too, as spread/sqrt(n). The pull towards
the reference by clipping and smoothing depends on the data and is not foretold.
"""

import math

import numpy as np

from shapedp.errors import ConfigError
from shapedp.mechanisms import curve_mechanisms

PEOPLE = (100, 300, 1000, 3000, 10_000)
BUDGETS = (0.5, 1.0, 2.0, 2.9661)


def strength(name, shape, bounds, reference, kernel_settings):
    """K: root mean square noise distance at a point, times n mu, with the best public split of the budget."""
    made = curve_mechanisms.make(name, shape, 2, bounds, reference, {"mu_total": 1.0}, kernel_settings)
    return 2 * math.sqrt(float(np.mean(made.variances(2).sum(axis=1))))


def noise(k, n, mu):
    """Root mean square distance that noise moves a point, in the unit of k."""
    _check(n=n, mu=mu)
    return k / (n * mu)


def error(k, n, mu, spread=0.0):
    """Root mean square distance of the released mean from the population's: noise and the sampling of n people.

    spread : root mean square distance of a person's point from the population's mean, in the unit of k; public, for
        instance that of a reference set; 0 asks about the noise alone
    """
    return math.hypot(noise(k, n, mu), spread / math.sqrt(n))


def people_needed(k, mu, target, spread=0.0):
    """The least n >= 2 with error at most `target`: 1/n solves (k/mu)^2 u^2 + spread^2 u = target^2."""
    _check(mu=mu, target=target)
    half = spread**2 / 2
    return max(2, math.ceil((half + math.hypot(half, k * target / mu)) / target**2))


def budget_needed(k, n, target, spread=0.0):
    """The least mu with error at most `target`."""
    _check(n=n, target=target)
    left = target**2 - spread**2 / n
    if left <= 0:
        raise ConfigError(
            f"plan: no mu is enough for {target:g} with n = {n}: chance alone moves the mean of so few people by "
            f"{spread / math.sqrt(n):.3g}; take more than {math.floor((spread / target) ** 2)} people"
        )
    return k / (n * math.sqrt(left))


def _check(**values):
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise ConfigError(f"plan: {name} must be a positive number, found {value}")


def table(strengths, unit):
    """Lines of a tab-separated table: noise for each mechanism, n and mu; strengths : {mechanism: K in `unit`}."""
    yield "\t".join(["mechanism", "n", "mu", f"noise_rms_{unit}"])
    for name, k in strengths.items():
        for n in PEOPLE:
            for mu in BUDGETS:
                yield f"{name}\t{n}\t{mu:g}\t{noise(k, n, mu):.4g}"
