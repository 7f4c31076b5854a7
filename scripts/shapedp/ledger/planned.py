"""What releases come to together whose costs were all fixed before any of them was drawn: the product of their
privacy-loss distributions.

The first spending line of a ledger may carry a plan: the costs of all releases that the settings asked for then. Each
later release that costs no more than a planned one which is not taken yet takes it, in the order of the ledger. Such a
release is drawn from the planned one's worst pair of laws by a kernel that depends on earlier answers alone, so that
any choice, order or early stop tells no more than all planned pairs together: docs/mathematics.md, (2.9). What lies
outside the plan is added as it is without one.

Gaussian releases compose exactly by mu, so this says more than the other bounds only where pure ones are among them.
The distributions are those of dp-accounting, which is optional (`pip install shapedp[accounting]`) and takes a third of
a second to import: it is imported where a total is computed that is stored, and discretised with what rounding does on
the safe side.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from shapedp.ledger.spending import ROUNDING, Charges
from shapedp.privacy.accounting.cost import GAUSSIAN, NONE, PURE, Cost, compose_mu, mu_of_each_curve

# Of the discretisation, from 0 to the largest loss that counts.
STEPS = 20_000
# Standard deviations of a Gaussian loss that these steps reach.
TAIL = 12.0
# What is taken off delta for rounding in the convolutions, which comes to less than 1e-10.
CONVOLVED = 1e-9
# Of all losses together: beyond it no bound tells anything.
LARGEST = 100.0


@dataclass(frozen=True)
class PlannedTotal:
    """What all planned releases, whether made or not, and those outside the plan come to: an epsilon.

    outside : how many releases lie outside the plan
    """

    epsilon: float
    plan: tuple[Cost, ...]
    outside: int


def is_available() -> bool:
    """Return whether dp-accounting is installed."""
    return find_spec("dp_accounting") is not None


def price_entry(entry: Mapping[str, Any], section: Mapping[str, Any]) -> Cost:
    """Return the Cost that an entry of `releases` asks for, to foretell what is spent; the release may spend less.

    Parameters
    ----------
    entry : mapping
        The entry.
    section : mapping
        The settings of its branch.
    """
    budget = entry["budget"]
    if "epsilon" in budget:
        return Cost(PURE, epsilon=budget["epsilon"])
    curve_mus = mu_of_each_curve(budget["mu"], section["curves"]["count"]) if "mu" in budget else [budget["mu_total"]]
    return Cost(GAUSSIAN, mu=compose_mu(curve_mus))


def price_plan(settings: Mapping[str, Any], branch: str) -> tuple[Cost, ...]:
    """Return what the settings plan to spend on a branch's population, which the first line of its ledger notes.

    It is the costs of releases of everybody that are charged to it.

    Parameters
    ----------
    settings : mapping
        The completed settings.
    branch : str
        `faces` or `shapes`.
    """
    populations = settings["privacy"]["population"]
    return tuple(
        price_entry(entry, settings[name])
        for name in ("faces", "shapes")
        if settings.get(name) and populations.get(name) == populations[branch]
        for entry in settings[name]["releases"]
        if "group" not in entry
    )


def select_outside(plan: Iterable[Cost], costs: Iterable[Cost]) -> list[Cost]:
    """Return the costs of releases that no plan foresaw, since only planned ones count by the sharper total.

    Each cost takes, in its turn, the least planned one that is not taken yet and suffices. Which one a release takes
    follows from the releases before it, as the proof of (2.9) asks.

    Parameters
    ----------
    plan : iterable of Cost
        The planned ones.
    costs : iterable of Cost
        Those of the ledger, oldest first.
    """
    free, outside = sorted(plan, key=_measure), []
    for cost in costs:
        sufficient = (
            index
            for index, planned in enumerate(free)
            if planned.kind == cost.kind and _measure(cost) <= _measure(planned) * (1 + ROUNDING)
        )
        if (index := next(sufficient, None)) is None:
            outside.append(cost)
        else:
            del free[index]
    return outside


def _measure(cost):
    """Return the mu of a Gaussian cost, the epsilon of a pure one."""
    return cost.mu if cost.kind == GAUSSIAN else cost.epsilon


def bound_total(plan: Sequence[Cost], charges: Charges, delta: float) -> PlannedTotal | None:
    """Return what all releases of a population come to together, by the sharper count of planned ones.

    It is None where a plan says nothing of them: no plan, a charge of a group or without guarantee, no pure release
    yet, or no dp-accounting.

    Parameters
    ----------
    plan : sequence of Cost
        What the ledger's first spending line planned; empty where it did not.
    charges : iterable of tuple
        (Cost, Group or None) of each release, oldest first.
    delta : float
        In (1e-9, 1).
    """
    charges = list(charges)
    costs = [cost for cost, _ in charges]
    kinds = {cost.kind for cost in costs}
    if not plan or len(costs) < 2 or any(group for _, group in charges) or NONE in kinds or PURE not in kinds:
        return None
    outside = select_outside(plan, costs)
    added = math.fsum(cost.epsilon for cost in outside if cost.kind == PURE)
    # Noise on whole numbers differs from the Gaussian's density by a factor e^eta at most, on either side.
    added += 2 * math.fsum(cost.eta or 0.0 for cost in costs)
    # a release may cost as much more than planned as the last digits of a sum
    widened = [scale_cost(cost, 1 + ROUNDING) for cost in plan] + [cost for cost in outside if cost.kind == GAUSSIAN]
    if not is_available() or _find_largest(widened) + added > LARGEST:
        return None
    return PlannedTotal(planned_epsilon(tuple(widened), delta) + added, tuple(plan), len(outside))


def scale_cost(cost: Cost, factor: float) -> Cost:
    """Return a cost whose mu or epsilon is so many times as large, so that a total stated of planned costs is true.

    It is then so for releases, too, that cost a last digit more than was planned.
    """
    if cost.kind == GAUSSIAN:
        return Cost(GAUSSIAN, mu=cost.mu * factor)
    return Cost(PURE, epsilon=cost.epsilon * factor)


def _find_largest(costs):
    """Return the largest loss of these costs together that counts."""
    mu = compose_mu([cost.mu for cost in costs if cost.kind == GAUSSIAN])
    return math.fsum(cost.epsilon for cost in costs if cost.kind == PURE) + mu**2 / 2 + TAIL * mu


@lru_cache(maxsize=8)
def planned_epsilon(costs: tuple[Cost, ...], delta: float, is_least: bool = False) -> float:
    """Return the epsilon at `delta` of planned releases together, which is less than their sum by composition.

    All were planned before any was drawn.

    Parameters
    ----------
    costs : tuple of Cost
        Of each release, Gaussian or pure, as planned.
    delta : float
        In (1e-9, 1).
    is_least : bool
        Whether to return what it is at least, for the worst mechanisms of these costs, in place of a bound.

    Returns
    -------
    float
    """
    from dp_accounting.pld import privacy_loss_distribution as pld

    mu = math.sqrt(math.fsum(cost.mu**2 for cost in costs if cost.kind == GAUSSIAN))
    pure = [cost.epsilon for cost in costs if cost.kind == PURE]
    rounding = {"value_discretization_interval": _find_largest(costs) / STEPS, "pessimistic_estimate": not is_least}
    # the randomized response of an epsilon is the worst of all mechanisms that keep it
    losses = [pld.from_randomized_response(2 / (1 + math.exp(epsilon)), 2, **rounding) for epsilon in pure]
    if mu:
        losses.append(pld.from_gaussian_mechanism(1 / mu, **rounding, use_connect_dots=not is_least))
    together = losses[0]
    for loss in losses[1:]:
        together = together.compose(loss)
    return float(together.get_epsilon_for_delta(delta if is_least else delta - CONVOLVED))
