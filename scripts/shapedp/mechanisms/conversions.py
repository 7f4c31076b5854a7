"""The epsilon that a total implies at a given delta.

mu-GDP     delta(eps) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2)         (Dong, Roth, Su 2022, exact)
rho-zCDP   eps = rho a + (log(1/delta) + (a - 1) log(1 - 1/a) - log a)/(a - 1)   for any a > 1, hence the least
           (Canonne, Kamath, Steinke 2020, proposition 12)

Proof: docs/mathematics.md, (2.3).
"""

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import log_ndtr


def gdp_delta(mu, epsilon):
    """delta(epsilon) of mu-GDP, from logarithms."""
    kept, taken = log_ndtr(-epsilon / mu + mu / 2), epsilon + log_ndtr(-epsilon / mu - mu / 2)
    return float(-np.exp(kept) * np.expm1(min(taken - kept, 0.0)))


def gdp_epsilon(mu, delta):
    """The least epsilon >= 0 with delta(epsilon) <= delta."""
    if gdp_delta(mu, 0.0) <= delta:
        return 0.0
    high = mu**2 / 2 + mu * np.sqrt(2 * np.log(1 / delta)) + 1  # past it the first term alone is below delta
    return float(brentq(lambda epsilon: gdp_delta(mu, epsilon) - delta, 0.0, high, xtol=1e-10))


def gdp_mu(epsilon, delta):
    """The mu whose curve passes through (epsilon, delta)."""
    return float(brentq(lambda mu: gdp_delta(mu, epsilon) - delta, 1e-6, 1e3, xtol=1e-12))


def zcdp_epsilon(rho, delta):
    """The least epsilon over the order a of the Renyi divergence."""

    def epsilon(log_order_less_one):
        less_one = np.exp(log_order_less_one)
        order = 1 + less_one
        return rho * order + np.log(1 / delta) / less_one + np.log(less_one / order) - np.log(order) / less_one

    return max(0.0, float(minimize_scalar(epsilon, bounds=(-15, 15), method="bounded").fun))
