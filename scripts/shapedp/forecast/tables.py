"""A forecast as a table and in words: of each possible release its guarantee, its error, and what it leaves."""

from dataclasses import dataclass

from shapedp.forecast import budgets
from shapedp.mechanisms.cost import Cost
from shapedp.releases import guarantees, strengths

SHARES = (0.25, 0.5, 1.0, 2.0)  # mu, or epsilon, of the releases that are forecast


@dataclass(frozen=True)
class Row:
    """A possible release: its noise, the chance in who takes part, its bias, and how far from the mean the public
    reference alone would lie (None: not known); root mean square, in `unit`. unlike : the bias where the cohort's mean
    lies a public share of people's spread from the public set's; group : of whom, "" for everybody.
    """

    mechanism: str
    cost: Cost
    noise: float
    sampling: float | None
    unit: str
    bias: float | None = None
    reference: float | None = None
    unlike: float | None = None
    group: str = ""


def amounts(left):
    """The budgets to look at: the usual ones, and all that is left where that is a number."""
    rounded = float(f"{left * (1 - 5e-4):.3g}")
    return sorted({*SHARES, *([rounded] if 0 < rounded < max(SHARES) * 10 else [])})


def lines(rows, budget):
    """Lines of a tab-separated table."""
    yield "\t".join(
        [
            *("group", "mechanism", "mu", "epsilon", "strength", "right_guesses"),
            *("noise", "bias", "bias_unlike", "sampling", "public_reference", "unit", "left_mu", "allowed"),
        ]
    )
    for row in rows:
        stated = guarantees.of_cost(row.cost)
        left, allowed = budget.after(row.cost)
        numbers = [stated["right_guesses"], row.noise, row.bias, row.unlike, row.sampling, row.reference]
        shown = ["" if number is None else f"{number:.4g}" for number in numbers]
        epsilon = "" if row.cost.epsilon is None else f"{row.cost.epsilon:g}"
        cells = [row.group, row.mechanism, f"{stated['mu']:.4g}", epsilon, strengths.of(stated)[0], *shown, row.unit]
        yield "\t".join([*cells, f"{left:.4g}", "yes" if allowed else "no"])


def words(rows, budget):
    """The same in sentences, mechanism by mechanism, group by group."""
    shown = None
    for row in rows:
        if (row.group, row.mechanism) != shown:
            shown = row.group, row.mechanism
            yield f"{row.mechanism}{', group ' + row.group if row.group else ''}:"
        stated = guarantees.of_cost(row.cost)
        left, allowed = budget.after(row.cost)
        pull = "" if row.bias is None else f", bias {row.bias:.3g} {row.unit}"
        pull += "" if row.unlike is None else f", {row.unlike:.3g} for people unlike the public ones"
        pull += "" if row.reference is None else f" (the public reference alone: {row.reference:.3g})"
        beside = "" if row.sampling is None else f" beside {row.sampling:.3g} {row.unit} of chance"
        rest = f"leaves mu = {left:.3g}" if allowed else "refused: over the cap"
        yield (
            f"  {budgets.amount(row.cost)}: {strengths.of(stated)[0]}, right guesses {stated['right_guesses']:.0%}; "
            f"noise {row.noise:.3g} {row.unit}{pull}{beside}; {rest}"
        )
