"""What a cost means: the numbers that a statement gives for it."""

import math
from dataclasses import asdict

from scipy.special import expit, ndtr, ndtri

from shapedp.mechanisms import conversions
from shapedp.mechanisms.cost import PURE, gaussian_of_pure

DELTAS = tuple(10.0**-power for power in range(1, 13))
STATED_DELTA = 1e-6
FALSE_ALARMS = 0.05


def of_cost(cost):
    """Kind and parameters of a release's own guarantee, with what they imply."""
    if cost.kind == PURE:
        mu, rho = gaussian_of_pure(cost.epsilon), cost.epsilon**2 / 2
        return {"kind": "pure", "epsilon": cost.epsilon, "mu": mu, "rho": rho, **_tests_pure(cost.epsilon)}
    pairs = [[0.0, conversions.gdp_delta(cost.mu, 0.0)]]
    pairs += [[conversions.gdp_epsilon(cost.mu, delta), delta] for delta in DELTAS if delta < pairs[0][1]]
    return {
        "kind": "gdp",
        "mu": cost.mu,
        "rho": cost.mu**2 / 2,
        "epsilon_delta": pairs,
        **_tests_gaussian(cost.mu),
    }


def of_total(total):
    """The totals of a population, as JSON: in each currency, and the smallest epsilon at the stated delta."""
    numbers = asdict(total)
    if total.gaussian + total.pure:
        numbers["at_delta"] = _at_delta(total)
    return numbers


def _at_delta(total):
    """The least of the sound ways to epsilon at STATED_DELTA, and which one it is."""
    ways = {
        "gdp": conversions.gdp_epsilon(total.mu, STATED_DELTA),
        "zcdp": conversions.zcdp_epsilon(total.rho, STATED_DELTA),
    }
    if not total.gaussian:
        ways["pure"] = total.epsilon
    way = min(ways, key=ways.get)
    return {"delta": STATED_DELTA, "epsilon": ways[way], "by": way}


def _tests_gaussian(mu):
    """Right guesses between two equally likely people, Phi(mu/2); hits at 5 % false alarms, Phi(mu + Phi^-1(.05))."""
    return {"right_guesses": float(ndtr(mu / 2)), "hits": float(ndtr(mu + ndtri(FALSE_ALARMS)))}


def _tests_pure(epsilon):
    """Right guesses e^eps/(1 + e^eps); hits at 5 % false alarms, by the trade-off curve of eps-DP."""
    hits = min(math.exp(min(epsilon, 700)) * FALSE_ALARMS, 1 - math.exp(-epsilon) * (1 - FALSE_ALARMS))
    return {"right_guesses": float(expit(epsilon)), "hits": hits}
