"""What a population has spent and has left, and what the releases of the settings would add to it."""

import math
from dataclasses import dataclass
from pathlib import Path

from shapedp.errors import RefusedRelease, ShapedpError
from shapedp.mechanisms import budgets
from shapedp.mechanisms.cost import GAUSSIAN, PURE, Cost, gaussian_of_pure
from shapedp.releases import spending
from shapedp.releases.ledger import Ledger

REFUSED = "it will be refused"


@dataclass(frozen=True)
class Budget:
    """A population, its cap, and its charges (Cost, Group or None) so far."""

    population: str
    cap: spending.Cap
    spent: spending.Total
    names: tuple = ()

    @property
    def left(self):
        """mu that one more release to everybody may have: the cap and the spent add up in quadrature."""
        if self.cap.mu_total is None:
            return math.inf
        return math.sqrt(max(0.0, self.cap.mu_total**2 - self.spent.mu**2))

    @property
    def pure_left(self):
        """epsilon that one more pure release may have, under a cap on epsilon; infinite without one."""
        return math.inf if self.cap.epsilon is None else max(0.0, self.cap.epsilon - self.spent.epsilon)

    def after(self, cost):
        """(mu left after a release of this cost, whether the caps allow it)."""
        left, fits = _less(self.left, cost)
        admitted = self.cap.epsilon is None or (
            cost.epsilon <= self.pure_left if cost.epsilon else self.cap.mu_total is not None
        )
        return left, fits and admitted


def _less(mu, cost):
    """(mu left of `mu` after a cost, whether it was enough)."""
    asked = cost.in_currencies()[0]
    return math.sqrt(max(0.0, mu**2 - asked)), asked * (1 - spending.ROUNDING) <= mu**2


def of(branch, privacy):
    """The budget of a branch's population, as its ledger stands now; of two caps, recorded and set, the lower holds."""
    population, asked = privacy["population"][branch], spending.Cap(**privacy["cap"][branch])
    with Ledger(privacy["ledger"]).reading(population) as book:
        agreed, spent = book.cap() or asked, spending.total(book.charges())
        names = tuple(intent["name"] for intent in book.intents() if intent["branch"] == branch)
    both = {
        key: min((cap for cap in (getattr(agreed, key), getattr(asked, key)) if cap is not None), default=None)
        for key in ("mu_total", "epsilon")
    }
    return Budget(population, spending.Cap(**both), spent, names)


def cost(entry, section):
    """What an entry of `releases` asks for; a mechanism may turn out to spend less."""
    asked = entry["budget"]
    if "epsilon" in asked:
        return Cost(PURE, epsilon=asked["epsilon"])
    each = budgets.of_each_curve(asked["mu"], section["curves"]["count"]) if "mu" in asked else [asked["mu_total"]]
    return Cost(GAUSSIAN, mu=budgets.total(each))


def lines(settings, results="results"):
    """What was spent, what will be and what is left, population by population."""
    for branch in ("faces", "shapes"):
        if settings[branch]:
            try:
                yield from _of_branch(branch, settings[branch], of(branch, settings["privacy"]), Path(results))
            except ShapedpError as error:
                yield f"{branch}: {error}"


def refuse_together(settings, results="results"):
    """Raise if the releases still to be made exceed a cap together: in which order jobs run is nobody's choice."""
    over = [line.strip() for line in lines(settings, results) if line.endswith(REFUSED)]
    if over:
        raise RefusedRelease(
            f"{'; '.join(over)}. Nothing was started and nothing spent: take releases out of the settings, ask for "
            "less, or, if the people concerned agree, raise the cap (shapedp ledger raise, then privacy.cap)"
        )


def _of_branch(branch, section, budget, results):
    yield f"{branch}: population '{budget.population}' has spent {spent(budget)}"
    if not section["releases"]:
        yield f"  {branch}.releases is empty: nothing will be spent"
    mu = budget.left
    for entry in section["releases"]:
        name = entry["name"]
        if (results / "release" / branch / name / "statement.json").exists():
            yield f"  '{name}' is released and spends nothing more"
        elif name in budget.names:
            yield f"  '{name}' is in the ledger: the same release is returned, and spends nothing"
        else:
            price = cost(entry, section)
            left, fits = _less(mu, price)
            mu = left if fits else mu
            then = f"will spend {amount(price)}; then mu = {left:.4g} is left"
            over = f"asks for {amount(price)}, more than the mu = {mu:.4g} left: {REFUSED}"
            yield f"  '{name}' {then if fits else over}"


def amount(cost):
    """A cost in words."""
    if cost.epsilon is None:
        return f"mu = {cost.mu:.4g}"
    return f"epsilon = {cost.epsilon:.4g} (as mu: {gaussian_of_pure(cost.epsilon):.4g})"


def spent(budget):
    """`mu = 1 of 3, so that mu = 2.83 is left`."""
    cap = budget.cap
    most = "no limit" if cap.mu_total is None else f"{cap.mu_total:g}"
    words = f"mu = {budget.spent.mu:.4g} of {most}"
    if cap.mu_total is not None:
        words += f"; mu = {budget.left:.4g} is left (mu adds up in quadrature)"
    if cap.epsilon is not None:
        words += f"; epsilon = {budget.spent.epsilon:.4g} of {cap.epsilon:g}, {budget.pure_left:.4g} left"
    return words
