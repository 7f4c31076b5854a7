"""What releases cost together: every release of a population, and the worst-placed person's share in them.

Three currencies, each of which is a sum under adaptive composition, docs/mathematics.md, (2.4) and (2.5):

    mu^2     Gaussian DP; a pure release enters with the mu that its epsilon implies
    rho      zero-concentrated DP: mu^2/2 for a Gaussian release, eps^2/2 for a pure one
    epsilon  pure DP; infinite once a Gaussian release is among them

That in rho is smaller than mu_T^2/2 as soon as a pure release is among them, while mu_T says more of what can be told
apart; where they are turned into (epsilon, delta) the statement takes the smaller one, or epsilon of the pure releases
beside the Gaussian ones' curve where that is smaller still, docs/mathematics.md, (2.8).

Groups. A release of one group costs only who is in that group; several partitions add up, since a person stands in
each. Within one, S_g is what the releases of group g cost together. Where it is public who is where, a person pays for
one group: max_g S_g. Where it is private, replacing a person may move them from a to b: the pair pays (S_a + S_b)/4, of
pure releases in full, or who stays pays max_g S_g. Proof: docs/mathematics.md, (2.7).
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields

from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.privacy.accounting.cost import GAUSSIAN, NONE, PURE, Cost

BISECTIONS = 50
ROUNDING = 1e-12  # relative; a cap met exactly is not exceeded because of the last digit of a sum
PUBLIC, PRIVATE = "public", "private"
MOVED = 1 / 4  # of mu^2 and of rho of a Gaussian release of one sum: what it costs who enters or leaves its group


@dataclass(frozen=True)
class Group:
    """The group whose mean a release is.

    membership : `public` (fixed, known to all) or `private` (replacing a person may move them)
    partition : names the whole assignment of people to groups, e.g. its digest; only groups of one and the same
        partition are taken to be disjoint. It stays in the ledger.
    """

    name: str
    membership: str
    partition: str

    def __post_init__(self):
        if self.membership not in (PUBLIC, PRIVATE) or not (self.name and self.partition):
            raise ConfigError(
                f"group '{self.name}': membership '{self.membership}', partition '{self.partition}'; "
                "needs a name, a partition, and a membership `public` or `private`"
            )


@dataclass(frozen=True)
class Cap:
    """The most a population may spend; None is no limit.

    mu_total : on all releases together, pure ones converted to Gaussian DP
    epsilon : on the sum of the pure releases; standing alone it admits no Gaussian release, which has no finite epsilon
    """

    mu_total: float | None = None
    epsilon: float | None = None

    def __post_init__(self):
        if not all(0 < limit < math.inf for limit in self.list_limits().values()):
            raise ConfigError(f"cap: {self.words()}: limits are positive numbers")

    def list_limits(self) -> dict[str, float]:
        """Return the limits that there are, by name."""
        return {key: value for key, value in asdict(self).items() if value is not None}

    def words(self) -> str:
        """Return the limits in words."""
        return ", ".join(f"{key} = {value:g}" for key, value in self.list_limits().items()) or "no limit"


UNCAPPED = Cap()
Charges = Iterable[tuple[Cost, Group | None]]


def is_higher(cap: Cap, recorded: Cap) -> bool:
    """Return whether some limit of `cap` lies above that of `recorded`; no limit lies above every limit."""
    pairs = [(cap.mu_total, recorded.mu_total), (cap.epsilon, recorded.epsilon)]
    return any(old is not None and (new is None or new > old) for new, old in pairs)


@dataclass(frozen=True)
class Total:
    """What some releases cost together, for the worst-placed person.

    mu, rho : of all releases that have a guarantee; epsilon : sum over the pure ones alone
    gaussian, pure, unprotected : how many releases of each kind
    """

    mu: float
    rho: float
    epsilon: float
    gaussian: int
    pure: int
    unprotected: int


def sum_charges(charges: Charges) -> Total:
    """Return what releases cost together, as the Total of the person who pays most in each currency."""
    charges = list(charges)
    kinds = [cost.kind for cost, _ in charges]
    pure = [(cost, group) for cost, group in charges if cost.kind == PURE]
    return Total(
        mu=math.sqrt(_find_worst(charges, 0)),
        rho=_find_worst(charges, 1),
        epsilon=_find_worst(pure, 2),
        gaussian=kinds.count(GAUSSIAN),
        pure=kinds.count(PURE),
        unprotected=kinds.count(NONE),
    )


def sum_gaussian_mu(charges: Charges) -> float:
    """Return mu of the Gaussian releases among the charges, for the worst-placed person: pure ones left out."""
    return sum_charges((cost, group) for cost, group in charges if cost.kind == GAUSSIAN).mu


def add_totals(totals: Iterable[Total]) -> Total:
    """Return what populations' totals come to for somebody who is charged with all of them, as sources of a pool."""
    parts = list(totals)
    sums = {field.name: sum(getattr(part, field.name) for part in parts) for field in fields(Total)}
    return Total(**{**sums, "mu": math.sqrt(math.fsum(part.mu**2 for part in parts))})


def find_left(cap: Cap, charges: Charges) -> tuple[float, float]:
    """Return (mu, epsilon) that a cap leaves for one more release to everybody; infinite where it sets no limit.

    Parameters
    ----------
    cap : Cap
        The most that may be spent.
    charges : iterable of tuple
        (Cost, Group or None) of each release so far.
    """
    charged = sum_charges(charges)
    mu = math.inf if cap.mu_total is None else math.sqrt(max(0.0, cap.mu_total**2 - charged.mu**2))
    return mu, math.inf if cap.epsilon is None else max(0.0, cap.epsilon - charged.epsilon)


def _find_worst(charges, currency):
    """Return the most, in one currency, that charges come to for one person: whoever stands in the costliest groups."""
    everyone, stays, moves = [], defaultdict(lambda: defaultdict(float)), defaultdict(lambda: defaultdict(float))
    for cost, group in charges:
        amount = cost.in_currencies()[currency]
        if group is None:
            everyone.append(amount)
            continue
        stays[group.partition, group.membership][group.name] += amount
        if group.membership == PRIVATE:
            moves[group.partition, group.membership][group.name] += amount * (MOVED if cost.kind == GAUSSIAN else 1)
    # Several partitions add up, since a person stands in each. Within one the pair pays for the two groups that it
    # moves between, or who stays pays for the dearest, (2.7).
    return math.fsum(everyone) + math.fsum(
        max(max(groups.values()), sum(sorted(moves[partition].values())[-2:])) for partition, groups in stays.items()
    )


def refuse_overspending(population: str, cap: Cap, charges: Charges, cost: Cost, group: Group | None = None) -> None:
    """Refuse a release that would take the population past its cap; the message names spent, asked and left.

    A release without guarantee has no amount to compare; it is labelled instead, here and in every later statement.

    Parameters
    ----------
    population : str
        Its name, for the message.
    cap : Cap
        The most that may be spent.
    charges : iterable of tuple
        (Cost, Group or None) of each release so far.
    cost : Cost
        Of the release.
    group : Group
        Which it is of; None: of everybody.
    """
    if cost.kind == NONE:
        return
    before, after = sum_charges(charges), sum_charges([*charges, (cost, group)])
    mu_amount = math.sqrt(cost.in_currencies()[0])
    for limit, amount, kind, symbol, key, rule in (
        (cap.mu_total, mu_amount, GAUSSIAN, "mu", "mu_total", "mu adds up in quadrature"),
        (cap.epsilon, cost.epsilon, PURE, "epsilon", "epsilon", "epsilon adds up"),
    ):
        if limit is None or amount is None or getattr(after, symbol) <= limit * (1 + ROUNDING):
            continue
        # The most that can still be asked for, by bisection: the total after a release grows with what it asks.
        left, high = 0.0, amount
        for _ in range(BISECTIONS):
            middle = (left + high) / 2
            sum_at = getattr(sum_charges([*charges, (Cost(kind, **{symbol: middle}), group)]), symbol)
            left, high = (middle, high) if sum_at <= limit else (left, middle)
        raise RefusedRelease(
            f"population '{population}': budget exceeded: spent {symbol} = {getattr(before, symbol):.6g}, this "
            f"release costs {amount:.6g}, left {left:.6g} of {key} = {limit:g} ({rule}); ask for less, or, if the "
            f"people concerned agree: shapedp ledger raise {population} --{key.replace('_', '-')} ... "
            '--reason "...", and the same number in privacy.cap. No noise was drawn'
        )
    if cost.kind == GAUSSIAN and cap.epsilon is not None and cap.mu_total is None:
        raise RefusedRelease(
            f"population '{population}': the cap is on epsilon alone ({cap.epsilon:g}; spent {before.epsilon:.6g}), "
            f"and a Gaussian release (this one costs mu = {cost.mu:.6g}) has no finite epsilon; set a cap on "
            "mu_total too, or release by a pure mechanism"
        )
