"""What a release will cost in accuracy, before any private data is touched: noise as a function of n, mu and bounds.

Only the noise is predicted. Its root mean square distance at a point is K/(n mu), K from the mechanism, the kernel
and the public bounds; the pull towards the reference by clipping and smoothing depends on the data and is not foretold.
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


def people_needed(k, mu, target):
    """The least n with noise at most `target`."""
    _check(mu=mu, target=target)
    return max(2, math.ceil(k / (mu * target)))


def budget_needed(k, n, target):
    """The least mu with noise at most `target`."""
    _check(n=n, target=target)
    return k / (n * target)


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
