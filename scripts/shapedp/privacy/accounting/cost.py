"""What one release spends: its price in the currencies that add up, its split over blocks, and what it implies.

`ledger.spending` adds releases up. Proofs: docs/mathematics.md, (2.3), (2.5) and (2.6).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from shapedp.base.errors import ConfigError, RefusedRelease

NONE, GAUSSIAN, PURE = "none", "gdp", "pure"


@dataclass(frozen=True)
class Cost:
    """What one release spends: `gdp` with mu, `pure` with epsilon, or `none`: no guarantee at all.

    rho : of zCDP, as OpenDP certifies it, rounded up; None where mu^2/2 is all that is known
    eta : mu-GDP holds up to a factor e^eta at every point of what is drawn; 0 in real numbers
    """

    kind: str
    mu: float | None = None
    epsilon: float | None = None
    rho: float | None = None
    eta: float | None = None

    def __post_init__(self):
        amounts = {
            GAUSSIAN: (self.mu, self.epsilon),
            PURE: (self.epsilon, self.mu),
            NONE: (1.0, self.mu or self.epsilon),
        }
        if self.kind not in amounts:
            raise ConfigError(f"cost: kind '{self.kind}' is unknown; known: {', '.join(amounts)}")
        needed, excluded = amounts[self.kind]
        if excluded is not None or needed is None or not 0 < needed < math.inf:
            raise ConfigError(
                f"cost: found mu = {self.mu}, epsilon = {self.epsilon} for kind '{self.kind}'; "
                "`gdp` takes a finite mu > 0, `pure` a finite epsilon > 0, `none` neither"
            )

    def in_currencies(self) -> tuple[float, float, float]:
        """Return (mu^2, rho, epsilon) that this release alone spends: the amounts by which ledgers add up releases.

        One without guarantee is counted apart, as 0 here.
        """
        if self.kind == NONE:
            return 0.0, 0.0, 0.0
        if self.kind == GAUSSIAN:
            return self.mu**2, self.mu**2 / 2 if self.rho is None else self.rho, math.inf
        return gaussian_of_pure(self.epsilon) ** 2, self.epsilon**2 / 2, self.epsilon


def gaussian_of_pure(epsilon: float) -> float:
    """Return the mu for which an epsilon-DP release is mu-GDP: -2 Phi^-1(1/(1 + e^eps))."""
    return float(-2 * scipy.special.ndtri_exp(scipy.special.log_expit(-epsilon)))


def gdp_delta(mu: float, epsilon: float) -> float:
    """Return the delta at which a mu-GDP release is (epsilon, delta)-DP, as statements tell it to who knows that form.

    It is delta(epsilon) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2), exactly, from logarithms.

    Parameters
    ----------
    mu : float
        Of Gaussian differential privacy, positive.
    epsilon : float
        Where the curve is read.

    Returns
    -------
    float
        delta, between 0 and 1.
    """
    # Both terms may underflow where their difference does not: it is taken between their logarithms.
    log_first = scipy.special.log_ndtr(-epsilon / mu + mu / 2)
    log_second = epsilon + scipy.special.log_ndtr(-epsilon / mu - mu / 2)
    return float(-np.exp(log_first) * np.expm1(min(log_second - log_first, 0.0)))


def gdp_epsilon(mu: float, delta: float) -> float:
    """Return the least epsilon at which a mu-GDP release is (epsilon, delta)-DP, as statements tell it beside mu.

    Parameters
    ----------
    mu : float
        Of Gaussian differential privacy, positive.
    delta : float
        Between 0 and 1.
    """
    if gdp_delta(mu, 0.0) <= delta:
        return 0.0
    # Past this epsilon the first term alone is below delta, so that the root lies between 0 and it.
    high = mu**2 / 2 + mu * np.sqrt(2 * np.log(1 / delta)) + 1
    return float(scipy.optimize.brentq(lambda epsilon: gdp_delta(mu, epsilon) - delta, 0.0, high, xtol=1e-10))


def gdp_mu(epsilon: float, delta: float) -> float:
    """Return the mu of GDP that matches a budget (epsilon, delta), so that mechanisms are compared at one budget.

    Parameters
    ----------
    epsilon, delta : float
        The point, of approximate differential privacy.
    """
    # delta grows with mu at any epsilon, so that one root lies between the ends.
    return float(scipy.optimize.brentq(lambda mu: gdp_delta(mu, epsilon) - delta, 1e-6, 1e3, xtol=1e-12))


def zcdp_epsilon(rho: float, delta: float) -> float:
    """Return the least epsilon at delta that rho-zCDP gives: a bound on a population's total that statements compare.

    It is taken over the order of the Renyi divergence: Canonne, Kamath, Steinke 2020, proposition 12.

    Parameters
    ----------
    rho : float
        Of zero-concentrated differential privacy.
    delta : float
        Between 0 and 1.
    """

    def epsilon(log_order_less_one):
        less_one = np.exp(log_order_less_one)
        order = 1 + less_one
        return rho * order + np.log(1 / delta) / less_one + np.log(less_one / order) - np.log(order) / less_one

    return max(0.0, float(scipy.optimize.minimize_scalar(epsilon, bounds=(-15, 15), method="bounded").fun))


# mu of x, y and z of each of the paper's 23 curves.
PUBLISHED = (0.2, 0.2, 0.55)


def mu_of_each_curve(mu: ArrayLike, curves: int) -> NDArray[np.float64]:
    """Return (J, 3) the budget of each block as the paper spends it: the same (mu_x, mu_y, mu_z) for each curve.

    Parameters
    ----------
    mu : (3,) float
        Of x, y and z; positive.
    curves : int
        J, how many curves there are.
    """
    mu = np.asarray(mu, dtype=float)
    if mu.shape != (3,) or not np.all(mu > 0) or not np.all(np.isfinite(mu)):
        raise RefusedRelease(f"a budget for each curve is three positive numbers, got {mu.tolist()}")
    return np.tile(mu, (curves, 1))


def best_split(mu_total: float, costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how to share mu_total among blocks for the least noise: the mu_b of least sum of costs_b/mu_b^2.

    Their squares sum to mu_total^2, and are in proportion to sqrt(costs_b).

    Parameters
    ----------
    mu_total : float
        Of all blocks together.
    costs : array of float
        Noise variance of each block at mu = 1; public.

    Returns
    -------
    array of float
        In the shape of `costs`.
    """
    if not (mu_total > 0 and np.isfinite(mu_total)):
        raise RefusedRelease(f"mu_total must be a positive number, got {mu_total}")
    share = np.sqrt(costs)
    return mu_total * np.sqrt(share / share.sum())


def mu_of_blocks(budget: Mapping[str, Any], costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (J, 3) the mu that each block, x, y or z of a curve, is noised at: as settings give it, or the best split.

    Parameters
    ----------
    budget : mapping
        {"mu": (3,)} or {"mu_total": number}.
    costs : (J, 3) float
        As of `best_split`.
    """
    if "mu" in budget:
        return mu_of_each_curve(budget["mu"], len(costs))
    return best_split(budget["mu_total"], costs)


def compose_mu(mu: ArrayLike) -> float:
    """Return mu of the composition of all blocks: the root of the sum of their squares."""
    return float(np.sqrt(np.sum(np.square(mu))))


def published_budget(curves: int, mu: float) -> dict[str, list[float]]:
    """Return a total mu as the paper shares it, {"mu": (3,)} for each curve, to draw its mechanisms beside others.

    With 23 curves and 2.9661 these are the paper's .2, .2 and .55.

    Parameters
    ----------
    curves : int
        How many curves share the budget.
    mu : float
        Of all of them together.
    """
    whole = math.sqrt(curves * sum(share**2 for share in PUBLISHED))
    return {"mu": [share * mu / whole for share in PUBLISHED]}
