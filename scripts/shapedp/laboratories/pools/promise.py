"""What a pooled release promises and states, by what its sources state and who may be in two of them.

Who is in two sources pays for both, so that the pooled release promises what all sources together do, unless whoever
pools declares that nobody is: then it promises what the weakest of them does.
"""

from collections import defaultdict
from copy import deepcopy
from dataclasses import fields
from typing import Any

from shapedp.base.errors import ConfigError
from shapedp.base.settings import checks
from shapedp.laboratories.pools.sources import Source
from shapedp.ledger import spending
from shapedp.ledger.restoring import STATEMENT
from shapedp.ledger.spending import Total
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.releases.protocol import DRAWN_FILE
from shapedp.releases.statement import conditions, guarantees, statement

TOTALS = tuple(field.name for field in fields(Total))
# Who may be in two sources.
ANYBODY, ONE_POPULATION, NOBODY = "possible", "within_populations", "none"
LEDGER_CONDITIONS = (statement.WITHIN_CAP, "populations_apart")
WEAKEST = (conditions.DECLARED, conditions.CHECKED, conditions.BY_CONSTRUCTION)


def _group_sources(sources, overlap) -> list[list[Source]]:
    """Return the sources in groups by who may be in several: people may be in two of one group, never in two groups."""
    if overlap == NOBODY:
        return [[source] for source in sources]
    if overlap == ANYBODY:
        return [list(sources)]
    groups = defaultdict(list)
    for source in sources:
        groups[source.stated["budget"]["population"]].append(source)
    return list(groups.values())


def count_people(sources, overlap, people) -> int:
    """Return how many people the sources have together: as declared, or the least that there can be."""
    least = sum(max(source.n for source in group) for group in _group_sources(sources, overlap))
    most = sum(source.n for source in sources)
    if people is not None and not least <= people <= most:
        raise ConfigError(
            f"--people {people}: by their statements and what you declare of them, the sources have between "
            f"{least} and {most} people together; give a number in that range"
        )
    return least if people is None else people


def combine_guarantees(sources, overlap) -> tuple[Cost, dict[str, Any]]:
    """Return a pooled release's guarantee to a person who is in as many sources as may be: (cost, as stated)."""
    guarantees_stated = []
    for group in _group_sources(sources, overlap):
        if len(group) == 1:
            guarantee = group[0].stated["guarantee"]
            guarantees_stated.append((group[0].cost, guarantee))
            continue
        total = spending.sum_charges((source.cost, None) for source in group)
        eta = sum(source.stated["noise"]["eta"] for source in group)
        cost = Cost(GAUSSIAN, mu=total.mu, rho=total.rho, eta=eta or None)
        guarantees_stated.append((cost, guarantees.describe_cost(cost)))
    return max(guarantees_stated, key=lambda cost_and_guarantee: cost_and_guarantee[0].mu)


def build_statement(sources, pooled, people, name, noise, pooling_stated):
    """Return the pooled release's statement: the sources' with all people, the noise and the promise together."""
    built_statement = deepcopy(sources[0].stated)
    cost, guarantee_stated = combine_guarantees(sources, pooling_stated["overlap"])
    kind = built_statement["settings"].get("kind")
    _, record = statement.describe_statistic(
        built_statement["release"]["branch"], built_statement["mechanism"]["name"], kind
    )
    built_statement.pop("laboratories", None)
    built_statement["release"]["n"] = people
    built_statement["mechanism"]["sensitivity"]["inputs"]["n"] = pooled.records
    built_statement["noise"] |= {
        "eta": cost.eta or max(source.stated["noise"]["eta"] for source in sources),
        "rms_mm": noise.get("rms_mm"),
        **dict.fromkeys(("widened", "settled_sd")),
        "undone": noise.get("undone"),
        "clip_moved": noise.get("clip_moved"),
        "error_radian": noise.get("error_radian"),
        **{key: _find_largest(sources, key) for key in ("far_share", "missing_mm")},
        # of a model all of whose people were asked together
        **{key: noise[key] for key in ("far_share", "heavy_tails") if key in noise},
        **({"shrunk": list(noise["shrunk"])} if noise.get("shrunk") else {}),
    }
    if noise.get("tau") is not None:
        built_statement["bounds"][0]["value"] = noise["tau"]
    is_same_declared = all(source.stated["declared"] == built_statement["declared"] for source in sources)
    return statement.check(
        {
            **built_statement,
            "summary": statement.summary(cost, record, 0),
            "date": max(source.stated["date"] for source in sources),
            "declared": built_statement["declared"] if is_same_declared else checks.complete_words({}),
            "guarantee": guarantee_stated,
            "differs_from_public_set": noise.get("unlike"),
            "conditions": [
                *_select_conditions(sources),
                *map(statement.condition_fields, conditions.pooled_conditions(len(sources), pooling_stated["overlap"])),
            ],
            "not_protected": list(statement.NOT_PROTECTED),
            "budget": {"population": name, **_state_spent(sources, pooling_stated["overlap"])},
            # its words are written now, whatever those of the sources were
            "software": statement.software()
            if built_statement["schema"] == statement.VERSION
            else built_statement["software"],
            "sources": {
                "releases": [
                    {
                        "statement": source.digests[STATEMENT],
                        "drawn": source.digests[DRAWN_FILE],
                        "population": source.stated["budget"]["population"],
                        "people": source.n,
                        "mu": source.stated["guarantee"]["mu"],
                        "weight": float(weight),
                    }
                    for source, weight in zip(sources, pooled.weights, strict=True)
                ],
                **pooling_stated,
            },
        }
    )


def _find_largest(sources, key):
    """Return the largest value that the sources state of a number of their noise: it holds for the pool; or None."""
    return max(
        (number for number in (source.stated["noise"].get(key) for source in sources) if number is not None),
        default=None,
    )


def _state_spent(sources, overlap):
    """Return the most that had been spent on one person, for the pooled statement, by the sources'.

    What laboratories made together says nothing of it.
    """
    budgets = [source.stated["budget"] for source in sources if "laboratories" not in source.stated]
    is_within_caps = all(budget["holds"] for budget in budgets)
    if len(budgets) < len(sources):
        return {} if is_within_caps else {"holds": False}
    totals = {}
    for moment in ("before", "after"):
        groups = _group_sources(sources, overlap)
        totals[moment] = guarantees.describe_worst([_sum_spent(group, moment) for group in groups])
    return {**totals, "holds": is_within_caps}


def _sum_spent(group, moment) -> Total:
    """Return what was spent, at one moment, on somebody who is in all these sources.

    Of one population the latest total counts the others; those of several populations add up.
    """
    ledgers: list[dict[str, Any]] = []
    for budget in sorted(
        (source.stated["budget"] for source in group), key=lambda ledger_budget: ledger_budget["after"]["mu"]
    ):
        earlier = next((ledger_budget for ledger_budget in ledgers if _is_continued(ledger_budget, budget)), None)
        if earlier is not None:
            ledgers.remove(earlier)
        ledgers.append(budget)
    return spending.add_totals(
        Total(**{key: ledger_budget[moment][key] for key in TOTALS}) for ledger_budget in ledgers
    )


def _is_continued(earlier, later):
    """Tell whether a later release's statement counts an earlier one's spending, which is then not added up twice.

    It does if its population's total before it holds all that the earlier statement's total has.
    """
    is_same_population = earlier["population"] == later["population"]
    return is_same_population and all(
        later["before"][key] >= earlier["after"][key] * (1 - spending.ROUNDING) for key in TOTALS
    )


def _select_conditions(sources):
    """Return the conditions that a pooled statement can repeat: all sources', each as the one that knows least has it.

    What speaks of one source's ledger is left out.
    """
    conditions_by_source = [
        {condition["name"]: condition for condition in source.stated["conditions"]} for source in sources
    ]
    common_names = [
        name
        for name in conditions_by_source[0]
        if name not in LEDGER_CONDITIONS and all(name in condition for condition in conditions_by_source)
    ]
    return [
        min(
            (condition[name] for condition in conditions_by_source),
            key=lambda stated_condition: WEAKEST.index(stated_condition["known"]),
        )
        for name in common_names
    ]
