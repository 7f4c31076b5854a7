"""What releases come to together whose budgets are all fixed before any of them is drawn: their privacy-loss
distributions, convolved.

Gaussian releases compose exactly by mu, so this says more than the other bounds only where pure ones are among them.
The distributions are those of dp-accounting, which is optional (`pip install shapedp[accounting]`): discretised, with
what rounding does on the safe side. docs/mathematics.md, (2.8).
"""

import math
from collections.abc import Sequence
from importlib.util import find_spec

from shapedp.privacy.accounting.cost import GAUSSIAN, PURE, Cost

STEPS = 20_000  # of the discretisation, from 0 to the largest loss that counts
TAIL = 12.0  # standard deviations of a Gaussian loss that these steps reach


def is_available() -> bool:
    """Return whether dp-accounting is installed."""
    return find_spec("dp_accounting") is not None


def planned_epsilon(costs: Sequence[Cost], delta: float, is_least: bool = False) -> float:
    """Return epsilon at `delta` of releases that were all planned before any was drawn.

    Parameters
    ----------
    costs : sequence of Cost
        Of each release, Gaussian or pure, as planned.
    delta : float
        In (0, 1).
    is_least : bool
        Whether to return what it is at least, for the worst mechanisms of these costs, in place of a bound.

    Returns
    -------
    float
    """
    from dp_accounting.pld import privacy_loss_distribution as pld

    mu = math.sqrt(math.fsum(cost.mu**2 for cost in costs if cost.kind == GAUSSIAN))
    pure = [cost.epsilon for cost in costs if cost.kind == PURE]
    largest = math.fsum(pure) + mu**2 / 2 + TAIL * mu
    rounding = {"value_discretization_interval": largest / STEPS, "pessimistic_estimate": not is_least}
    # the randomized response of an epsilon is the worst of all mechanisms that keep it
    losses = [pld.from_randomized_response(2 / (1 + math.exp(epsilon)), 2, **rounding) for epsilon in pure]
    if mu:
        losses.append(pld.from_gaussian_mechanism(1 / mu, **rounding, use_connect_dots=not is_least))
    together = losses[0]
    for loss in losses[1:]:
        together = together.compose(loss)
    return float(together.get_epsilon_for_delta(delta))
