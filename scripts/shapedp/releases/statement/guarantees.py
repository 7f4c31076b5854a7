"""What a cost means: the numbers that a statement gives for it, and their strength in plain words.

The words are for people who have never heard of differential privacy.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, fields
from math import inf
from typing import Any

import scipy

from shapedp.ledger.planned import PlannedTotal
from shapedp.ledger.spending import Total
from shapedp.privacy.accounting.cost import GAUSSIAN, PURE, Cost, gaussian_of_pure, gdp_delta, gdp_epsilon, zcdp_epsilon

DELTAS = tuple(10.0**-power for power in range(1, 13))
# The delta at which totals are given as one epsilon.
STATED_DELTA = 1e-6
# How often an opponent may be wrong about people whose record it is not.
FALSE_ALARMS = 0.05


def describe_cost(cost: Cost) -> dict[str, Any]:
    """Return kind and parameters of a release's own guarantee, and what an opponent can do at most, for the statement.

    That is right guesses between two equally likely people, and hits at 5 % false alarms. Pure: e^eps/(1 + e^eps), and
    the trade-off curve of eps-DP. Gaussian: Phi(mu/2) + eta/2, and misses of at least e^-eta G_mu(e^eta .05); see
    docs/mathematics.md, (4.3).
    """
    rho = cost.in_currencies()[1]
    if cost.kind == PURE:
        epsilon, mu = cost.epsilon, gaussian_of_pure(cost.epsilon)
        # e^700 is the largest that a float holds; the other bound is met long before.
        hits = min(math.exp(min(epsilon, 700)) * FALSE_ALARMS, 1 - math.exp(-epsilon) * (1 - FALSE_ALARMS))
        guesses = float(scipy.special.expit(epsilon))
        return {"kind": "pure", "epsilon": epsilon, "mu": mu, "rho": rho, "right_guesses": guesses, "hits": hits}
    mu, eta = cost.mu, cost.eta or 0.0
    pairs = [[0.0, gdp_delta(mu, 0.0)]]
    pairs += [[gdp_epsilon(mu, delta), delta] for delta in DELTAS if delta < pairs[0][1]]
    # What rounding does to any probability, a factor e^eta at most, is counted in.
    pairs = [[epsilon + 2 * eta, min(1.0, delta * math.exp(eta))] for epsilon, delta in pairs]
    misses = math.exp(-eta) * scipy.special.ndtr(-scipy.special.ndtri(min(1.0, FALSE_ALARMS * math.exp(eta))) - mu)
    guesses = min(1.0, float(scipy.special.ndtr(mu / 2)) + eta / 2)
    numbers = {"kind": "gdp", "mu": mu, "rho": rho, "epsilon_delta": pairs}
    return numbers | {"right_guesses": guesses, "hits": float(1 - misses)}


def describe_total(
    total: Total, gaussian_mu: float | None = None, planned_total: PlannedTotal | None = None
) -> dict[str, Any]:
    """Return what all releases of a population cost together, to be stated: in each currency, and as least epsilon.

    That is the least proved at STATED_DELTA, with its proof.

    Parameters
    ----------
    total : Total
        Of all releases.
    gaussian_mu : float or None
        mu of the Gaussian ones alone, where it is known: beside it the pure ones' epsilon adds up, (2.8).
    planned_total : PlannedTotal or None
        What all that was planned before the first of them comes to, (2.9).
    """
    numbers = asdict(total)
    if total.gaussian + total.pure:
        ways = {"gdp": gdp_epsilon(total.mu, STATED_DELTA), "zcdp": zcdp_epsilon(total.rho, STATED_DELTA)}
        if not total.gaussian:
            ways["pure"] = total.epsilon
        elif total.pure and gaussian_mu:
            ways["mixed"] = total.epsilon + gdp_epsilon(gaussian_mu, STATED_DELTA)
        if planned_total:
            ways["planned"] = planned_total.epsilon
        # Each of these bounds holds, so the least of them does.
        way = min(ways, key=ways.get)
        numbers["at_delta"] = {"delta": STATED_DELTA, "epsilon": ways[way], "by": way}
        if way == "planned":
            others = min(epsilon for other_way, epsilon in ways.items() if other_way != way)
            numbers["at_delta"] |= {"unplanned": others, "plan": _describe_plan(planned_total)}
    return numbers


def _describe_plan(planned_total):
    """Return the planned costs by kind, and how many releases lie outside the plan, to recompute the epsilon from."""
    return {
        "mu": sorted(cost.mu for cost in planned_total.plan if cost.kind == GAUSSIAN),
        "epsilon": sorted(cost.epsilon for cost in planned_total.plan if cost.kind == PURE),
        "outside": planned_total.outside,
    }


def describe_worst(totals: Sequence[Total]) -> dict[str, Any]:
    """Return the most that any of several groups of people has come to, in each currency, for a pooled statement."""
    return describe_total(
        Total(**{currency.name: max(getattr(total, currency.name) for total in totals) for currency in fields(Total)})
    )


# What a person brings, by branch.
RECORDS = {"faces": "face", "shapes": "shape", "points": "point"}
STRENGTHS = (  # up to this share of right guesses: our word, and what it means for the opponent
    (0.55, "strong", "hardly better than a coin"),
    (0.65, "fair", "a little better than a coin"),
    (0.8, "moderate", "clearly better than a coin, and still often wrong"),
    (0.95, "weak", "usually right"),
    (inf, "very weak", "nearly always right"),
)
WEAK = ("weak", "very weak")
SHOWN_DELTAS = (1e-5, 1e-6, 1e-8)


def strength(guarantee: dict[str, Any]) -> list[str]:
    """Return (our word, what it means for the opponent) for a guarantee."""
    return next(words for limit, *words in STRENGTHS if guarantee["right_guesses"] <= limit)


def strength_section(statement: dict[str, Any]) -> list[str]:
    """Return the paragraphs of the statement that say how strong the promise is, for people new to privacy."""
    guarantee = statement["guarantee"]
    if guarantee["kind"] == "none":
        return ["## How strongly", "Not at all, formally."]
    unit = RECORDS[statement["release"]["branch"]]
    label, meaning = strength(guarantee)
    if guarantee["kind"] == "pure":
        parameters = (
            f"pure differential privacy, epsilon = {guarantee['epsilon']:.6g}. It implies mu = {guarantee['mu']:.4g} "
            f"(Gaussian) and rho = {guarantee['rho']:.4g} (zero-concentrated)."
        )
    else:
        near = [min(guarantee["epsilon_delta"], key=lambda pair: abs(pair[1] / delta - 1)) for delta in SHOWN_DELTAS]
        parameters = (
            f"Gaussian differential privacy, mu = {guarantee['mu']:.6g}; zero-concentrated, rho = "
            f"{guarantee['rho']:.6g}; (epsilon, delta) for instance "
            f"{', '.join(f'({epsilon:.4g}, {delta:.0e})' for epsilon, delta in near)}."
        )
    return [
        "## How strongly",
        f"We call this **{label}**. Suppose an opponent knows all records but one, and that the missing one is one of "
        "two, equally likely. By tossing a coin they would be right 50% of the time; with this release they are right "
        f"at most **{guarantee['right_guesses']:.1%}** of the time: {meaning}.",
        f"Or suppose they hold a {unit} and ask of one person after the other whether it is theirs, and that they "
        "accept being wrong about 5 in 100 people whose it is not. Of 100 people whose it is, they then recognise at "
        f"most {guarantee['hits'] * 100:.1f}; guessing would find 5.",
        "No opponent does better, whatever they know and however they compute. Our words go by right guesses: up to "
        "55% is strong, up to 65% fair, up to 80% moderate, up to 95% weak, and more is very weak.",
        f"For specialists: {parameters}",
    ]
