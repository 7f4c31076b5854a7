"""The forecast of a mean face or a mean shape, as a table and in words, from public numbers alone.

Of each possible release its guarantee, its error, what it leaves, and a verdict: whether it is worth making beside the
public reference, which costs nothing (`mechanisms.worth`). For a face: template, bounds, n, what was learned of a
public set; for a shape: n, the center, the radius and the modes. What is no better than the reference goes to a table
of its own.
"""

import itertools
import math
from dataclasses import dataclass, replace
from functools import partial

from shapedp.app.forecast import budgets
from shapedp.base.errors import RefusedRelease
from shapedp.privacy import worth
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.accounting.cost import GAUSSIAN, PURE, Cost
from shapedp.privacy.shapes import gaussian
from shapedp.privacy.shapes.learned import KNorm, Shaped
from shapedp.releases.statement import guarantees
from shapedp.releases.statement.guarantees import strength

# mu, or epsilon, of the releases that are forecast.
SHARES = (0.25, 0.5, 1.0, 2.0)
SHRUNK = " with shrink: true"
UNIT = "of the shape's size"
COLUMNS = (
    *("group", "mechanism", "mu", "epsilon", "strength", "right_guesses", "noise", "bias", "bias_unlike", "sampling"),
    *("public_reference", "unit", "left_mu", "allowed", "verdict", "worth_it_from_n"),
)
HEADS = "budget", "guarantee", "error", "reference", "chance", "left", "verdict"
# Share by which noise must be larger to be called so: the table has three digits.
NOISIER = 0.005
# Records of a release: a mean of one person is that person.
FEWEST = 2
# Radian; no two shapes lie farther apart: a release with noise of that size says nothing.
FARTHEST = math.pi / 2


@dataclass(frozen=True)
class Row:
    """A possible release: its noise, the chance in who takes part, its bias, and how far from the mean the public
    reference alone would lie (None: not known); root mean square, in `unit`. unlike : the bias where the cohort's mean
    lies a public share of people's spread from the public set's; group : of whom, "" for everybody; verdict : of
    `worth`; from_n : from how many people on it is worth it, None where that is not known.
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
    verdict: str = worth.OPEN
    from_n: int | None = None

    @property
    def error(self) -> float:
        """Return how far the release lies from the people's own mean: noise and bias, root mean square."""
        return math.hypot(self.noise, self.bias or 0.0)


def choose_amounts(left):
    """Return the budgets that a forecast offers: the usual ones, and all that is left (rounded down), if limited."""
    if not 0 < left < max(SHARES) * 10:
        return sorted(SHARES)
    # Rounded down: rounded up, the budget would be more than is left.
    step = 10.0 ** (math.floor(math.log10(left)) - 2)
    return sorted({*SHARES, float(f"{math.floor(left / step) * step:.3g}")})


def format_table(rows, budget):
    """Yield the lines of the forecast as a tab-separated table, for programs to read.

    Parameters
    ----------
    rows : iterable of Row
        Possible releases.
    budget : budgets.Budget
        Of their population, of which the table says what each release leaves.
    """
    yield "\t".join(COLUMNS)
    for row in rows:
        guarantee = guarantees.describe_cost(row.cost)
        left, allowed = budget.after(row.cost)
        epsilon = "" if row.cost.epsilon is None else f"{row.cost.epsilon:g}"
        price = row.group, row.mechanism, f"{guarantee['mu']:.4g}", epsilon, strength(guarantee)[0]
        numbers = guarantee["right_guesses"], row.noise, row.bias, row.unlike, row.sampling, row.reference
        numbers_shown = ("" if number is None else f"{number:.4g}" for number in numbers)
        turning_point = "" if row.from_n is None else str(row.from_n)
        remainder = row.unit, f"{left:.4g}", "yes" if allowed else "no", row.verdict, turning_point
        yield "\t".join([*price, *numbers_shown, *remainder])


def format_readable_table(rows, budget):
    """Yield the lines of the forecast's table for people: releases, guarantees, errors, what is left, verdicts.

    Parameters
    ----------
    rows : sequence of Row
        Possible releases, those by one mechanism together.
    budget : budgets.Budget
        Of their population.
    """
    if not rows:
        return
    groups = any(row.group for row in rows)
    cells = [[*(["group"] if groups else []), "mechanism", *HEADS]]
    previous, has_noisier = None, False
    for row in rows:
        is_same_mechanism = previous is not None and (previous.group, previous.mechanism) == (row.group, row.mechanism)
        is_noisier = is_same_mechanism and row.noise > previous.noise * (1 + NOISIER)
        has_noisier = has_noisier or is_noisier
        cells.append(
            [*([row.group or "everybody"] if groups else []), row.mechanism, *_format_cells(row, budget, is_noisier)]
        )
        previous = row
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    for line in cells:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
    unit = rows[0].unit
    yield f"error: noise and bias together, in {unit}; reference: how far the public reference alone would lie off;"
    yield (
        "chance: what is added to either by who happens to take part; left: what remains of the cap, as mu. "
        "Lengths are root mean square."
    )
    if has_noisier:
        yield "* more noise than with the smaller budget: more directions are released, each with noise; bias falls."


def _format_cells(row, budget, is_noisier):
    """Return the words of one row of `format_readable_table`, under HEADS."""
    guarantee_stated = guarantees.describe_cost(row.cost)
    left, allowed = budget.after(row.cost)
    error = f"{row.error:.3g}{'*' if is_noisier else ''}"
    lengths = ("" if number is None else f"{number:.3g}" for number in (row.reference, row.sampling))
    guarantee = f"{strength(guarantee_stated)[0]}, {guarantee_stated['right_guesses']:.0%} right guesses"
    left_shown = f"{left:.3g}" if allowed else "over the cap"
    return (
        budgets.describe_cost(row.cost),
        guarantee,
        error,
        *lengths,
        left_shown,
        worth.word_verdict(row.verdict, row.from_n, short=True),
    )


def _describe_row(row, budget):
    """Return a sentence on a Row for the forecast in words, without its mechanism and group."""
    guarantee = guarantees.describe_cost(row.cost)
    left, allowed = budget.after(row.cost)
    bias = "" if row.bias is None else f", bias {row.bias:.3g}"
    bias += "" if row.unlike is None else f", {row.unlike:.3g} for people unlike the public ones"
    bias += "" if row.reference is None else f" (the public reference alone: {row.reference:.3g})"
    chance = "" if row.sampling is None else f" beside {row.sampling:.3g} of chance"
    remainder = f"leaves mu = {left:.3g}" if allowed else "refused: over the cap"
    return (
        f"  {budgets.describe_cost(row.cost)}: {strength(guarantee)[0]}, right guesses "
        f"{guarantee['right_guesses']:.0%}; "
        f"noise {row.noise:.3g} {row.unit}{bias}{chance}; {remainder}: {worth.word_verdict(row.verdict, row.from_n)}"
    )


def split_useful(rows):
    """Return (the rows that may be worth making, those that are no better than the public reference, which is free)."""
    useful_and_not = [], []
    for row in rows:
        useful_and_not[row.verdict == worth.NO_BETTER].append(row)
    return useful_and_not


def describe_left_out(no_better, path):
    """Yield a line that tells where the forecast's rows no better than the reference stand, where there are any.

    Parameters
    ----------
    no_better : list of Row
        Releases that are foretold to be no better than the public reference.
    path : path
        The table that holds them.
    """
    if no_better:
        names = ", ".join(dict.fromkeys(row.mechanism for row in no_better))
        yield f"No better than the public reference, which costs nothing: {len(no_better)} by {names} ({path})."


def advise(rows, name):
    """Return what to release, in a sentence, and the lines of the settings that do it, for a user to copy.

    It is the release of everybody by the least budget that is worth it. No weak guarantee is advised: what only such a
    one makes worth it takes more people.

    Parameters
    ----------
    rows : list of Row
    name : str
        Of the release.
    """
    rows = [
        row for row in rows if not row.group and strength(guarantees.describe_cost(row.cost))[0] not in guarantees.WEAK
    ]
    worth_making = [row for row in rows if row.verdict == worth.WORTH]
    if worth_making:
        best = min(worth_making, key=lambda row: guarantees.describe_cost(row.cost)["mu"])
        reference = "" if best.reference is None else f", where the public reference lies {best.reference:.3g} off"
        what = (
            f"release by {best.mechanism} with {budgets.describe_cost(best.cost)}: its error is {best.error:.3g} "
            f"{best.unit}"
        )
        entry_lines = [
            "To release, add below `releases` of this branch (in place of []), and start target `release`:",
            format_entry(best, name),
        ]
        return f"What to do: {what}{reference}.", entry_lines
    turning_points = [row.from_n for row in rows if row.from_n]
    from_n = f"; from n = {min(turning_points)} on one is" if turning_points else ""
    advice = (
        f"No release here is surely worth it under a guarantee that is not weak{from_n}: publish the public reference,"
    )
    condition = f" (from n = {min(turning_points)} on one would be)" if turning_points else ""
    sentence = (
        f"What to do: publish the public reference: no release is surely nearer to your people's mean{condition}."
    )
    possible = [row for row in rows if row.verdict == worth.OPEN]
    if not possible:
        return sentence, [advice, "which costs nothing."]
    # The default mechanism first, then the largest budget.
    by_default = lambda row: (row.mechanism == Shaped.name, guarantees.describe_cost(row.cost)["mu"])  # noqa: E731
    alternative = "or, if you hold that your people differ from the public ones, take the line below into `releases`:"

    return sentence, [advice, alternative, format_entry(max(possible, key=by_default), name)]


def list_face_rows(inputs, n, left, sizes=None, entry_budgets=()):
    """Yield the Row of each mechanism and budget for a mean face, from which an operator chooses, in mm.

    It is of the template's size.

    Parameters
    ----------
    inputs : predictions.Inputs
        Public numbers.
    n : int
        People.
    left : float
        mu that one more release may have.
    sizes : mapping
        {group: how many} of further rows; a group of fewer than FEWEST is not released.
    entry_budgets : iterable of tuple
        (mechanism, budget as an entry of `releases` has it) of further rows.
    """
    counts = {"": n} | {group: count for group, count in (sizes or {}).items() if count >= FEWEST}
    for (group, n), name in itertools.product(counts.items(), inputs.names):
        for mu in _merge_amounts(choose_amounts(left), entry_budgets, name, "mu_total"):
            yield _forecast_face(inputs, name, n, mu, group)


def _merge_amounts(usual_amounts, entry_budgets, mechanism, key):
    """Return the budgets that a forecast has rows of: the usual ones, and those that the settings' releases ask for."""
    return sorted(
        {*usual_amounts, *(budget[key] for name, budget in entry_budgets if name == mechanism and key in budget)}
    )


def _forecast_face(inputs, name, n, mu, group=""):
    """Return the Row of a mean face of n people at mu: what it would err by, and whether it is worth making."""
    prediction = inputs.predict(name, n, mu)
    verdict, turning_point = inputs.worth(name, n, mu)
    return Row(
        name,
        Cost(GAUSSIAN, mu=mu),
        noise=prediction.noise,
        sampling=prediction.sampling,
        unit="mm",
        bias=prediction.bias,
        reference=prediction.reference,
        unlike=prediction.unlike,
        group=group,
        verdict=verdict,
        from_n=turning_point,
    )


def forecast_at_time(entry, inputs, n, budget):
    """Yield what the forecast says of a mean face of one time, which is of its own n people.

    Parameters
    ----------
    entry : mapping
        The entry of `releases`.
    inputs : predictions.Inputs
        Public numbers.
    n : int
        People who have a scan of that time.
    budget : budgets.Budget
        Of their population.
    """
    name, release_words = entry["mechanism"], f"{entry['name']}, mean face of {n} people at '{entry['time']}'"
    is_unforeseeable = "bounds" in entry or entry.get("reference") == "none" or "mu_total" not in entry["budget"]
    if n < FEWEST:
        yield f"{release_words}: a mean needs at least {FEWEST}, so it would be refused"
    elif is_unforeseeable or name not in inputs.names:
        yield (
            f"{release_words}, by {name}: no forecast can be made for its mechanism, budget or bounds; its noise "
            "falls with 1/n"
        )
    else:
        yield f"{release_words}, by {name}:"
        yield _describe_row(_forecast_face(inputs, name, n, entry["budget"]["mu_total"]), budget)


def format_entry(row, name):
    """Return the line of the settings that makes the release of this Row, for a user to copy; name : of the release."""
    mechanism, shrunk = row.mechanism.removesuffix(SHRUNK), row.mechanism.endswith(SHRUNK)
    budget = f"mu_total: {row.cost.mu:g}" if row.cost.epsilon is None else f"epsilon: {row.cost.epsilon:g}"
    shrink = ", shrink: true" if shrunk else ""
    return f"    - {{name: {name}, mechanism: {mechanism}, budget: {{{budget}}}{shrink}}}"


def list_shape_rows(ball, left, pure_left, spread=None, sizes=None, entry_budgets=()):
    """Yield the Row of each mechanism and budget for a mean shape, from which an operator chooses.

    Errors are a share of the shape's size (root of its summed squares).

    Parameters
    ----------
    ball : privacy.shapes.base.Ball
        n, the center, the radius and the modes.
    left, pure_left : float
        mu and epsilon that one more release may have.
    spread : float
        Root mean square distance of a record from the mean of a public set, in radian; None where there is no such set.
    sizes : mapping
        {group: how many} of further rows; a group of fewer than FEWEST is not released.
    entry_budgets : iterable of tuple
        (mechanism, budget as an entry of `releases` has it) of further rows.
    """
    yield from _forecast_learned(ball, {"mu_total": left, "epsilon": pure_left}, entry_budgets)
    if ball.planar:
        yield from _forecast_published(ball, left, pure_left, spread, entry_budgets)
    for group, n in (sizes or {}).items():
        if n >= FEWEST:
            group_rows = list_shape_rows(replace(ball, n=n), left, pure_left, spread, entry_budgets=entry_budgets)
            yield from (replace(row, group=group) for row in group_rows)


def _forecast_learned(ball, left, entry_budgets):
    """Yield a Row of `shaped` and `knorm`, the mechanisms that know a public set, shrunk and not.

    It has the bias and the error of the center alone. A budget with which no radius can be released has no row.
    """
    for mechanism, shrinks in itertools.product((Shaped, KNorm), (False, True)):
        budget = "epsilon" if mechanism is KNorm else "mu_total"
        for amount in _merge_amounts(choose_amounts(left[budget]), entry_budgets, mechanism.name, budget):
            candidate = mechanism(ball, {budget: amount}, shrinks)
            try:
                candidate.check()
            except RefusedRelease:
                continue
            choice = candidate.coordinates.choice
            noise, bias, sampling = (
                min(FARTHEST, math.sqrt(square)) for square in (choice.noise, choice.bias, choice.sampling)
            )
            name, unlike = candidate.name + SHRUNK * shrinks, math.sqrt(choice.bias + choice.unlike)
            verdict = candidate.worth().verdict
            turning_point = worth.find_least_people(candidate.worth) if ball.public is not None else None
            yield Row(
                name,
                candidate.cost(),
                noise=noise,
                sampling=sampling,
                unit=UNIT,
                bias=bias,
                reference=choice.center_error,
                unlike=unlike,
                verdict=verdict,
                from_n=turning_point,
            )


def _forecast_published(ball, left, pure_left, spread, entry_budgets):
    """Yield a Row of each mechanism of the papers, beside which an operator sees what learning from a public set gains.

    They release all of a shape with white noise and know no public set.
    """
    space, r, n = ball.space, ball.r, ball.n
    sampling = None if spread is None else min(r, spread) / math.sqrt(n)
    known = Shaped(ball, {"mu_total": 1.0}, False).coordinates.variation
    white = lambda n, mu: min(FARTHEST, gaussian.standard_deviation(r, n, mu) * math.sqrt(space.dim))  # noqa: E731
    candidates = [
        ("gaussian", Cost(GAUSSIAN, mu=mu), partial(white, mu=mu))
        for mu in _merge_amounts(choose_amounts(left), entry_budgets, "gaussian", "mu_total")
    ]

    def radius(epsilon, n):
        """Return how far a draw of the Laplace law lies from its center, root mean square: the noise in a Row.

        Its density is exp(-distance/sigma) in D dimensions, which gives sigma sqrt(D (D + 1)). Flat space, records at
        the center: what curvature and the ball take away is left out, so it is rather too large.
        """
        sigma = sensitivity.scale(space, sensitivity.LAPLACE, r, n, epsilon).sigma
        return min(FARTHEST, sigma * math.sqrt(space.dim * (space.dim + 1)))

    # KNG has no row: no release by it is private.
    for epsilon in _merge_amounts(choose_amounts(pure_left), entry_budgets, sensitivity.LAPLACE, "epsilon"):
        candidates.append((sensitivity.LAPLACE, Cost(PURE, epsilon=epsilon), partial(radius, epsilon)))
    for name, cost, noise_at in candidates:
        try:
            noise = noise_at(n)
        except RefusedRelease:
            continue
        at = lambda n, noise_at=noise_at: worth.judge_white_noise(noise_at(n) ** 2, space.dim, known, n)  # noqa: E731
        turn = None if ball.public is None else worth.find_least_people(at)
        yield Row(name, cost, noise, sampling, UNIT, verdict=at(n).verdict, from_n=turn)
