"""What releases cost together: every release of a population, and the worst-placed person's share in them.

Three currencies, each additive under adaptive composition, so that a total is a sum:

    mu^2     Gaussian DP: mu_T^2 = sum mu_i^2; a pure release enters as mu = 2 Phi^-1(e^eps / (1 + e^eps)), because the
             trade-off curve of eps-DP is a pair of chords of the curve of that mu, hence nowhere below it
    rho      zero-concentrated DP: mu^2/2 for a Gaussian release, eps^2/2 for a pure one (Bun and Steinke 2016)
    epsilon  pure DP: eps_T = sum eps_i; infinite once a Gaussian release is among them

Both mixed bounds are sound. That in rho is smaller than mu_T^2/2 as soon as a pure release is among them, while mu_T
says more of what can be told apart; where they are turned into (epsilon, delta) the statement takes the smaller one.

Groups. A release of one group costs only who is in that group. Several partitions add up: a person stands in each.
Within one, S_g is what the releases of group g cost together, in one currency:

    public     who is where is fixed and known; a person pays for one group: max_g S_g (parallel composition)
    private    replacing a person, (x, a) by (y, b), may move them. If a = b they pay S_a. If not, a loses x and b gains
               y, and both groups' releases count. A release adds Gaussian noise to the sum of its members' clipped
               coordinates, integer rows no longer than B, divides by a declared size, and is calibrated to 2 B, the
               exchange of a row for another; here a row is taken out, or put in, so that the sum moves by at most B.
               That release is (mu/2)-GDP and (rho/4)-zCDP for this pair, and the pair pays (S_a + S_b)/4, at most half
               of the larger one. The worst-placed person stays: max_g S_g again.
               This is of means, which are one sum of bounded rows; a model's three sums move by more than half, and the
               settings refuse models of private groups. Nothing is claimed of pure releases when a row is missing:
               they count in full in both groups.

Proofs: docs/mathematics.md, (2.4), (2.5) and (2.7).
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from shapedp.errors import ConfigError, RefusedRelease
from shapedp.mechanisms.accounting.cost import GAUSSIAN, NONE, PURE, Cost

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
        if not all(0 < limit < math.inf for limit in self.given().values()):
            raise ConfigError(f"cap: {self.words()}: limits are positive numbers")

    def given(self) -> dict[str, float]:
        """The limits that there are, by name."""
        return {key: value for key, value in asdict(self).items() if value is not None}

    def words(self) -> str:
        """The limits in words."""
        return ", ".join(f"{key} = {value:g}" for key, value in self.given().items()) or "no limit"


UNCAPPED = Cap()
Charges = Iterable[tuple[Cost, Group | None]]


def exceeds(cap: Cap, recorded: Cap) -> bool:
    """Whether some limit of `cap` lies above that of `recorded`; no limit lies above every limit."""
    pairs = [(cap.mu_total, recorded.mu_total), (cap.epsilon, recorded.epsilon)]
    return any(old is not None and (new is None or new > old) for new, old in pairs)


def refuse_edited(population: str, cap: Cap, recorded: Cap, since: str | None) -> None:
    """Refuse settings whose cap lies above the recorded one: an edited number raises nothing."""
    if exceeds(cap, recorded):
        raise RefusedRelease(
            f"population '{population}': privacy.cap says {cap.words()}, the ledger {recorded.words()} since {since}; "
            f"an edited number does not raise a cap. Set privacy.cap back to {recorded.words()}, or, if the people "
            f'concerned agree: shapedp ledger raise {population} --mu-total ... --reason "..." (every later '
            "statement shows both). No noise was drawn"
        )


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


def total(charges: Charges) -> Total:
    """Total of charges (Cost, Group or None)."""
    charges = list(charges)
    kinds = [cost.kind for cost, _ in charges]
    pure = [(cost, group) for cost, group in charges if cost.kind == PURE]
    return Total(
        mu=math.sqrt(_worst(charges, 0)),
        rho=_worst(charges, 1),
        epsilon=_worst(pure, 2),
        gaussian=kinds.count(GAUSSIAN),
        pure=kinds.count(PURE),
        unprotected=kinds.count(NONE),
    )


def _worst(charges, currency):
    """The largest sum that one replaced person can be charged in a currency."""
    everyone, stays, moves = [], defaultdict(lambda: defaultdict(float)), defaultdict(lambda: defaultdict(float))
    for cost, group in charges:
        amount = cost.in_currencies()[currency]
        if group is None:
            everyone.append(amount)
            continue
        stays[group.partition, group.membership][group.name] += amount
        if group.membership == PRIVATE:
            moves[group.partition, group.membership][group.name] += amount * (MOVED if cost.kind == GAUSSIAN else 1)
    return math.fsum(everyone) + math.fsum(
        max(max(groups.values()), sum(sorted(moves[partition].values())[-2:])) for partition, groups in stays.items()
    )


def refuse_overspending(population: str, cap: Cap, charges: Charges, cost: Cost, group: Group | None = None) -> None:
    """Raise if the release would take the population past its cap; the message names spent, asked and left.

    A release without guarantee has no amount to compare; it is labelled instead, here and in every later statement.
    """
    if cost.kind == NONE:
        return
    before, after = total(charges), total([*charges, (cost, group)])
    if cap.mu_total is not None and after.mu > cap.mu_total * (1 + ROUNDING):
        asked = math.sqrt(cost.in_currencies()[0])
        left = _left(cap.mu_total, asked, lambda mu: total([*charges, (Cost(GAUSSIAN, mu=mu), group)]).mu)
        _refuse(population, "mu", "mu_total", before.mu, asked, left, cap.mu_total, "mu adds up in quadrature")
    if cap.epsilon is None:
        return
    if cost.kind == PURE and after.epsilon > cap.epsilon * (1 + ROUNDING):
        left = _left(
            cap.epsilon, cost.epsilon, lambda epsilon: total([*charges, (Cost(PURE, epsilon=epsilon), group)]).epsilon
        )
        _refuse(population, "epsilon", "epsilon", before.epsilon, cost.epsilon, left, cap.epsilon, "epsilon adds up")
    if cost.kind == GAUSSIAN and cap.mu_total is None:
        raise RefusedRelease(
            f"population '{population}': the cap is on epsilon alone ({cap.epsilon:g}; spent {before.epsilon:.6g}), "
            f"and a Gaussian release (asked mu = {cost.mu:.6g}) has no finite epsilon; set a cap on mu_total too, or "
            "release by a pure mechanism"
        )


def _left(cap, asked, spent):
    """The most that can still be asked for, below `asked`; spent(amount) is the total after it, and grows with it."""
    low, high = 0.0, asked
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if spent(middle) <= cap else (low, middle)
    return low


def _refuse(population, symbol, key, spent, asked, left, cap, rule):
    raise RefusedRelease(
        f"population '{population}': budget exceeded: spent {symbol} = {spent:.6g}, asked {asked:.6g}, left {left:.6g} "
        f"of {key} = {cap:g} ({rule}); ask for less, or, if the people concerned agree: shapedp ledger raise "
        f'{population} --{key.replace("_", "-")} ... --reason "...", and the same number in privacy.cap. '
        "No noise was drawn"
    )
