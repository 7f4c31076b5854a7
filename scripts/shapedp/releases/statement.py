"""The statement of a release: what it promises to whom, built from facts, checked conditions and the ledger's totals.

`formally_private` is the conjunction of the conditions; nobody sets it. What the data decided stays out: a bound taken
from the data is named as such, and its value and the sensitivity that follows from it are withheld.
"""

from dataclasses import asdict

from shapedp import __version__
from shapedp.mechanisms.cost import GAUSSIAN, NONE, Cost
from shapedp.releases import catalogue, conditions, declared, guarantees, history, linked_lines, may_be_stated, spending

VERSION = "shapedp statement 2"
CLAIMS = {"gdp": "Gaussian differential privacy", "pure": "pure differential privacy", NONE: "no guarantee"}
UNIT = "one person, who has one record"
NEIGHBOURS = "one record is replaced by any other; their number n stays, and is public"
COMPOSITION = (
    "How releases add up, for specialists: mu in quadrature (the root of the sum of the squares), a pure release "
    "counting as mu = 2 Phi^-1(e^eps/(1 + e^eps)); rho as a sum, of mu^2/2 for a Gaussian release and eps^2/2 for a "
    "pure one; epsilon as a sum over pure releases. This holds even if a release was chosen after seeing those before "
    "it."
)
NOT_PROTECTED = (
    "How many people took part: n is public.",
    "That somebody belongs to the population that was asked is not hidden. What their record says is hidden.",
    "What the average shows of the population is learned about all of its members, whether they took part or not.",
    "Several people at once, such as a family: for k people together, mu or epsilon is k times as large.",
    "The settings are public. So is how long the computation took, if somebody could watch it run.",
    "Other publications about the same people weaken the promise. Those outside this ledger are not counted here.",
    "Whether two releases of one ledger were asked for from exactly the same files may show in what was refused.",
)


def build(request, facts, charges, recorded=history.UNRECORDED):
    """The statement of a release that is about to be made.

    charges : (Cost, Group or None) of every earlier release of the population; recorded : history.Recorded
    """
    found = [*conditions.check(facts), *ledger_conditions(request, recorded.cap)]
    failed = [condition for condition in found if not condition.holds]
    cost = recorded_cost(request, facts)
    statistic, unit = catalogue.statistic(facts.branch, facts.mechanism)
    statement = {
        "schema": VERSION,
        "formally_private": not failed,
        "reproduction": request.reproduction,
        "reasons": [condition.otherwise[0].upper() + condition.otherwise[1:] + "." for condition in failed],
        "summary": summary(cost, unit, len(failed)),
        "date": recorded.date,
        "declared": declared.complete(request.declared),
        "release": {"branch": facts.branch, "statistic": statistic, "n": facts.n, "group": _group(request.group)},
        "unit": UNIT,
        "neighbours": NEIGHBOURS,
        "guarantee": _guarantee(request.cost, failed),
        "composition": COMPOSITION,
        "mechanism": _mechanism(facts),
        "bounds": [_bound(bound) for bound in facts.bounds],
        "template": _origin(facts.template),
        "reference": _origin(facts.reference),
        "noise": {
            "secure": facts.noise_secure,
            "sampler": facts.sampler,
            "grid": None if _from_data(facts) else facts.grid,
            "discretisation": facts.discretisation,
            "rms_mm": None if _from_data(facts) else facts.noise_mm,
            "widened": facts.widened,
            "shrunk": None if _from_data(facts) or facts.shrunk is None else list(facts.shrunk),
        },
        "differs_from_public_set": facts.unlike,
        "conditions": [_condition(condition) for condition in found],
        "not_protected": list(NOT_PROTECTED),
        "budget": _budget(request, charges, cost, recorded),
        "settings": request.settings,
        "settings_digest": linked_lines.digest(request.settings),
        "software": {"name": "shapedp", "version": __version__},
    }
    return may_be_stated.check(statement)


def recorded_cost(request, facts):
    """What the ledger records: the request's cost if every condition holds, otherwise no guarantee."""
    holds = all(condition.holds for condition in conditions.check(facts))
    return request.cost if holds else Cost(NONE)


def reasons(request, facts):
    """What is wrong, one text for each condition that fails."""
    found = [*conditions.check(facts), *ledger_conditions(request)]
    return [condition.otherwise for condition in found if not condition.holds]


def ledger_conditions(request, cap=spending.UNCAPPED):
    """What the release transaction itself sees to: it stops where one of the last three would fail."""
    transaction = "the release transaction; tests/library/releases/test_publishing.py"
    return [
        conditions.Condition(
            "claimed",
            "The mechanism claims a guarantee.",
            request.cost.kind != NONE,
            conditions.BY_CONSTRUCTION,
            CLAIMS[request.cost.kind],
            "the mechanism's class",
            "the mechanism itself claims no guarantee",
        ),
        conditions.Condition(
            "recorded_first",
            "The ledger recorded the spending, on disk and under a lock, before any noise was drawn.",
            True,
            conditions.BY_CONSTRUCTION,
            "recorded, then drawn",
            transaction,
            "the release is not in a ledger",
        ),
        conditions.Condition(
            "within_budget",
            "The population's spending stays within its cap.",
            True,
            conditions.CHECKED,
            "no cap is set" if cap == spending.UNCAPPED else "within the recorded cap",
            "the ledger",
            "the budget is exceeded",
        ),
        conditions.Condition(
            "side_paths_closed",
            "The published files hold nothing that is not on the list of what may be published.",
            True,
            conditions.BY_CONSTRUCTION,
            "every file is compared with the list",
            transaction,
            "a file holds something that may not be published",
        ),
    ]


def summary(cost, unit, failures):
    """The verdict in one or two sentences."""
    if failures:
        reasons = "1 reason" if failures == 1 else f"{failures} reasons"
        return f"This release gives no guarantee to the people behind it, for {reasons} given below."
    numbers = guarantees.of_cost(cost)
    gaussian = cost.kind == GAUSSIAN
    strength = f"mu = {cost.mu:.4g} (Gaussian)" if gaussian else f"epsilon = {cost.epsilon:.4g} (pure)"
    return (
        f"Each person's {unit} is protected by differential privacy with {strength}: whoever knows all the others and "
        f"must tell which of two {unit}s a person brought guesses right at most {numbers['right_guesses']:.1%} of the "
        "time, where tossing a coin gives 50%."
    )


def _from_data(facts):
    return any(bound.origin.source not in conditions.PUBLIC_SOURCES for bound in facts.bounds)


def _guarantee(cost, failed):
    if not failed:
        return guarantees.of_cost(cost)
    return {"kind": "none"}


def _mechanism(facts):
    withheld = _from_data(facts)
    return {
        "name": facts.mechanism,
        "words": catalogue.words(facts.branch, facts.mechanism),
        "sensitivity": {
            "formula": catalogue.sensitivity(facts.branch, facts.mechanism),
            "inputs": {} if withheld else facts.sensitivity_inputs,
            "value": None if withheld else facts.sensitivity,
            "unit": facts.sensitivity_unit,
        },
        "clipping": facts.clipping,
    }


def _bound(bound):
    public = bound.origin.source in conditions.PUBLIC_SOURCES
    return {
        "name": bound.name,
        "value": bound.value if public else None,
        "unit": bound.unit,
        "origin": _origin(bound.origin),
    }


def _origin(origin):
    return {key: value for key, value in asdict(origin).items() if value is not None}


def _group(group):
    return {"name": group.name, "membership": group.membership} if group else None


def _condition(condition):
    kept = asdict(condition)
    del kept["otherwise"]
    return kept


def _budget(request, charges, cost, recorded):
    before, after = spending.total(charges), spending.total([*charges, (cost, request.group)])
    return {
        "population": request.population,
        "cap": recorded.cap.given(),
        "raised": list(recorded.raised),
        "different": list(recorded.different),
        "ledger_head": recorded.head,
        "before": guarantees.of_total(before),
        "after": guarantees.of_total(after),
        "holds": after.unprotected == 0,
    }
