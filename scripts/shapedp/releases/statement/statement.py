"""The statement of a release: what it promises to whom, built from facts, checked conditions and the ledger's totals.

`formally_private` is the conjunction of the conditions; nobody sets it. What the data decided stays out: a bound taken
from the data is named as such, and its value and the sensitivity that follows from it are withheld.

Every word, key and number of a statement follows its schema, mechanisms the catalogue: by branch and name, what each is
in words, and its sensitivity when one of n records is replaced.
"""

import json
from collections import ChainMap
from dataclasses import asdict
from functools import cache
from importlib import resources
from typing import Any

import jsonschema

from shapedp import __version__
from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import checks, registry
from shapedp.base.storage import foreign
from shapedp.ledger import planned, population_ledger, spending
from shapedp.ledger.population_ledger import Recorded
from shapedp.ledger.spending import Cap, Charges
from shapedp.privacy.accounting.cost import GAUSSIAN, NONE, Cost
from shapedp.privacy.points import PointMean
from shapedp.privacy.proofs import Proofs, find_proofs
from shapedp.privacy.recentred import RecentredMean
from shapedp.releases import curve_mechanisms, kinds, shape_mechanisms
from shapedp.releases.kinds import KINDS
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.statement import conditions, guarantees
from shapedp.releases.statement.conditions import BY_CONSTRUCTION, CHECKED, Condition, Facts

VERSION = "shapedp statement 3"
# Which words the JSON is given in; raised whenever the text of some statement changes, so that older ones are not
# compared with them.
WORDS = 5
CLAIMS = {"gdp": "Gaussian differential privacy", "pure": "pure differential privacy", NONE: "no guarantee"}
UNIT = "one person, who has one record"
OVERLAPPING = UNIT + " in each of at most two laboratories"
NEIGHBOURS = "one record is replaced by any other{}; their number n stays, and is public"
# Said where a release takes times: neighbours then agree in when they are listed.
LISTED_AT_TIMES = " that is listed at the same times"
# The condition that speaks of one population's cap.
WITHIN_CAP = "within_budget"
COMPOSITION = (
    "How releases add up, for specialists: mu in quadrature (the root of the sum of the squares), a pure release "
    "counting as mu = 2 Phi^-1(e^eps/(1 + e^eps)); rho as a sum, of mu^2/2 for a Gaussian release and eps^2/2 for a "
    "pure one; epsilon as a sum over pure releases. This holds even if a release was chosen after seeing those before "
    "it."
)
NOT_PROTECTED = (
    "How many people took part: n is public.",
    "Who is listed, at which times, and which scans the sheet leaves out: the frame of the sheet is public.",
    "That somebody belongs to the population that was asked is not hidden. What their record says is hidden.",
    "What the average shows of the population is learned about all of its members, whether they took part or not.",
    "Several people at once, such as a family: for k people together, mu or epsilon is k times as large.",
    "The settings are public. So is how long the computation took, if somebody could watch it run.",
    "Other publications about the same people weaken the promise. Those outside this ledger are not counted here.",
    "Whether two releases of one ledger were asked for from exactly the same files may show in what was refused.",
)


def build(
    request: Any, facts: Facts, charges: Charges, recorded: Recorded = population_ledger.UNRECORDED
) -> dict[str, Any]:
    """Return the statement of a release that is about to be made, by which readers know what it promises to whom.

    Parameters
    ----------
    request : protocol.Request
        What is asked for.
    facts : Facts
        What was done.
    charges : sequence of (Cost, Group or None)
        Of every earlier release of the population.
    recorded : population_ledger.Recorded
        What the ledger says.
    """
    is_joint = facts.laboratories is not None
    all_conditions = [*conditions.check(facts), *ledger_conditions(request.cost, None if is_joint else recorded.cap)]
    failed = [condition for condition in all_conditions if not condition.holds]
    cost, group = recorded_cost(request.cost, facts), request.group
    statistic, unit = describe_statistic(facts.branch, facts.mechanism, request.settings.get("kind"))
    mechanism = list_mechanisms(facts.branch)[facts.mechanism]
    public = conditions.PUBLIC_SOURCES
    # One bound from private data is enough: the size of the noise follows from all of them.
    withheld = any(bound.origin.source not in public for bound in facts.bounds)
    statement = {
        "schema": VERSION,
        "formally_private": not failed,
        "reproduction": request.reproduction,
        "reasons": [condition.otherwise[0].upper() + condition.otherwise[1:] + "." for condition in failed],
        "summary": summary(cost, unit, len(failed)),
        "date": recorded.date,
        "declared": checks.complete_words(request.declared),
        "release": {
            "branch": facts.branch,
            "statistic": statistic,
            "n": facts.n,
            "group": {"name": group.name, "membership": group.membership} if group else None,
        },
        "unit": OVERLAPPING if is_joint and facts.laboratories.overlap != "none" else UNIT,
        "neighbours": NEIGHBOURS.format(LISTED_AT_TIMES if {"time", "times"} & request.settings.keys() else ""),
        "guarantee": {"kind": NONE} if failed else guarantees.describe_cost(request.cost),
        "composition": COMPOSITION,
        "mechanism": {
            "name": facts.mechanism,
            "words": mechanism.words,
            "sensitivity": {
                "formula": mechanism.formula,
                "inputs": {} if withheld else facts.sensitivity_inputs,
                "value": None if withheld else facts.sensitivity,
                "unit": facts.sensitivity_unit,
            },
            "clipping": facts.clipping,
        },
        "bounds": [
            {
                **vars(stated_bound),
                "value": stated_bound.value if stated_bound.origin.source in public else None,
                "origin": _fact_fields(stated_bound.origin),
            }
            for stated_bound in facts.bounds
        ],
        "template": _fact_fields(facts.template),
        "reference": _fact_fields(facts.reference),
        "noise": {
            "secure": facts.noise_secure,
            "sampler": facts.sampler,
            "grid": None if withheld else facts.grid,
            "eta": cost.eta or 0.0,
            "rms_mm": None if withheld else facts.noise_mm,
            "widened": facts.widened,
            "settled_sd": None if withheld else facts.settled_sd,
            "undone": facts.undone,
            "clip_moved": None if withheld else facts.clip_moved,
            "far_share": facts.far_share,
            "missing_mm": None if withheld else facts.missing_mm,
            **({} if facts.heavy_tails is None else {"heavy_tails": facts.heavy_tails}),
            "error_radian": None if withheld else facts.error_radian,
            "shrunk": None if withheld or facts.shrunk is None else list(facts.shrunk),
        },
        "differs_from_public_set": facts.unlike,
        "conditions": [condition_fields(condition) for condition in all_conditions],
        "not_protected": list(NOT_PROTECTED),
        "budget": {
            "population": request.population,
            **({} if is_joint else _budget_fields(list(charges), (cost, group), recorded)),
        },
        **({"laboratories": _fact_fields(facts.laboratories)} if is_joint else {}),
        "settings": request.settings,
        "settings_digest": population_ledger.digest_value(request.settings),
        "software": software(),
    }
    return check(statement)


def _budget_fields(earlier, charge, recorded):
    """Return a statement's part on what was spent, by the ledger: totals before and with this charge, cap, line."""
    before, after = (
        guarantees.describe_total(
            spending.sum_charges(charges),
            None if recorded.is_merged else spending.sum_gaussian_mu(charges),
            planned.bound_total(recorded.plan, charges, guarantees.STATED_DELTA),
        )
        for charges in (earlier, [*earlier, charge])
    )
    return {
        "cap": recorded.cap.list_limits(),
        "raised": list(recorded.raised),
        "different": list(recorded.different),
        "ledger_head": recorded.head,
        "before": before,
        "after": after,
        "holds": after["unprotected"] == 0,
    }


def software() -> dict[str, Any]:
    """Return what a statement says of the program that made it: only with the same words can another compare them."""
    return {"name": "shapedp", "version": __version__, "words": WORDS}


def recorded_cost(cost: Cost, facts: Facts) -> Cost:
    """Return what the ledger records: the cost that is asked for if every condition holds, otherwise no guarantee."""
    holds = all(condition.holds for condition in conditions.check(facts))
    return cost if holds else Cost(NONE)


def list_reasons(cost: Cost, facts: Facts) -> list[str]:
    """Return what is wrong, one text for each condition that fails."""
    all_conditions = [*conditions.check(facts), *ledger_conditions(cost)]
    return [condition.otherwise for condition in all_conditions if not condition.holds]


def ledger_conditions(cost: Cost, cap: Cap | None = spending.UNCAPPED) -> list[Condition]:
    """Return a statement's conditions that rest on no facts of it: its mechanism's claim, and what charging checks.

    No release is made where one of the latter fails.

    Parameters
    ----------
    cost : Cost
        What the mechanism claims.
    cap : Cap or None
        None of several laboratories, each of which keeps to a cap of its own that nobody else knows.
    """
    transaction = "the release transaction; its test test_publishing"
    claimed = Condition(
        "claimed",
        "The mechanism claims a guarantee.",
        cost.kind != NONE,
        BY_CONSTRUCTION,
        CLAIMS[cost.kind],
        "the mechanism's class",
        "the mechanism itself claims no guarantee",
    )
    seen_to = {
        "recorded_first": (
            "The ledger recorded the spending, on disk and under a lock, before any noise was drawn.",
            (BY_CONSTRUCTION, "recorded, then drawn", transaction),
        ),
        WITHIN_CAP: (
            "The population's spending stays within its cap.",
            (CHECKED, "no cap is set" if cap == spending.UNCAPPED else "within the recorded cap", "the ledger"),
        ),
        "side_paths_closed": (
            "The published files hold nothing that is not on the list of what may be published.",
            (BY_CONSTRUCTION, "every file is compared with the list", transaction),
        ),
    }
    # Several laboratories keep to caps of their own, which nobody else knows.
    if cap is None:
        del seen_to[WITHIN_CAP]
    return [claimed, *conditions.standing_conditions(seen_to)]


def summary(cost: Cost, unit: str, failures: int) -> str:
    """Return the verdict on a release in one or two sentences, the first thing that a reader of its statement sees.

    Parameters
    ----------
    cost : Cost
        What the ledger records.
    unit : str
        What a person brought, in a word.
    failures : int
        How many conditions fail.
    """
    if failures:
        count = "1 reason" if failures == 1 else f"{failures} reasons"
        return f"This release gives no guarantee to the people behind it, for {count} given below."
    numbers = guarantees.describe_cost(cost)
    gaussian = cost.kind == GAUSSIAN
    strength = f"mu = {cost.mu:.4g} (Gaussian)" if gaussian else f"epsilon = {cost.epsilon:.4g} (pure)"
    return (
        f"Each person's {unit} is protected by differential privacy with {strength}: whoever knows all the others and "
        f"must tell which of two {unit}s a person brought guesses right at most {numbers['right_guesses']:.1%} of the "
        "time, where tossing a coin gives 50%."
    )


def _fact_fields(fact):
    """Return a fact's fields as JSON has them, without those that say nothing."""
    values = {key: value for key, value in asdict(fact).items() if value is not None}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def condition_fields(condition: Condition) -> dict[str, Any]:
    """Return a condition as a statement lists it."""
    return {key: value for key, value in asdict(condition).items() if key != "otherwise"}


SCHEMAS = resources.files("shapedp") / "schemas"
SCHEMA = SCHEMAS / "statement.schema.json"
# Schemas of earlier versions, whose releases are still read.
EARLIER = {"shapedp statement 2": SCHEMAS / "statement.2.schema.json"}
# Statements that met their schema, as text with what they were checked against; and how many are kept.
_SOUND_STATEMENTS: set[tuple] = set()
MOST_STATEMENTS = 8


def check(statement: dict[str, Any]) -> dict[str, Any]:
    """Return a statement that was read from a file, refused if it does not meet the schema of its version."""
    if not isinstance(statement, dict):
        raise RefusedRelease("statement: top level: is no object; give the statement.json of a release")
    version = statement.get("schema")
    schema = version if isinstance(version, str) and version in EARLIER else VERSION, list_all_mechanisms()
    # A release checks its statement as it is made, stored and read back. What is written alike is alike: a tuple is no
    # list here, and 1 is not 1.0.
    key = *schema, repr(statement)
    if key in _SOUND_STATEMENTS:
        return statement
    # In order of their place, so that the same statement is refused in the same words.
    faults = sorted(_validator(*schema).iter_errors(statement), key=lambda fault: list(map(str, fault.absolute_path)))
    if faults:
        where = ".".join(map(str, faults[0].absolute_path)) or "top level"
        value = foreign.make_printable(json.dumps(faults[0].instance, ensure_ascii=False))
        raise RefusedRelease(
            f"statement: {where}: {value} may not be published ({faults[0].validator}); "
            "state it by the words of workflow/schemas/statement.schema.json"
        )
    try:
        population_ledger.to_canonical(statement)
    except ValueError as error:
        raise RefusedRelease("statement: a number is not finite; check the bounds and the sensitivity") from error
    if len(_SOUND_STATEMENTS) >= MOST_STATEMENTS:
        _SOUND_STATEMENTS.clear()
    _SOUND_STATEMENTS.add(key)
    return statement


@cache
def _validator(version: str, known: tuple[tuple[str, Any], ...]) -> jsonschema.Draft202012Validator:
    """Return what checks a statement against its version's schema, with the mechanisms that it may name.

    known : (name, class) of these mechanisms; earlier versions list theirs
    """
    schema = json.loads(EARLIER.get(version, SCHEMA).read_text(encoding="utf-8"))
    if version not in EARLIER:
        names = sorted({name for name, _ in known})
        stated = schema["properties"]["mechanism"]["properties"]
        stated["name"]["enum"] = names
        stated["words"]["enum"] = sorted({mechanism.words for _, mechanism in known})
        stated["sensitivity"]["properties"]["formula"]["enum"] = sorted({mechanism.formula for _, mechanism in known})
        sources = schema["properties"]["conditions"]["items"]["properties"]["source"]
        sources["enum"] += [source for _, mechanism in known for source in conditions.list_own_sources(mechanism)]
        # An own mechanism's words join the list, since a statement holds no text that is not on one.
        known_words = next(mechanism for mechanism in schema["$defs"]["setting"]["anyOf"] if "enum" in mechanism)
        known_words["enum"] = sorted({*known_words["enum"], *names, *(kind.name for kind in KINDS)})
        release = schema["properties"]["release"]["properties"]
        release["statistic"]["enum"] = sorted({kind.statistic for kind in KINDS})
    return jsonschema.Draft202012Validator(schema)


MODEL = FaceModel.name
# A mean by `shaped` may be asked again, by a mechanism that no setting names.
FACES = ChainMap({RecentredMean.name: RecentredMean}, curve_mechanisms.MECHANISMS)
LIBRARY = {
    branch: ChainMap({kind.law: kind.mechanism() for kind in KINDS if kind.branch == branch and kind.law}, known)
    for branch, known in (("faces", FACES), ("shapes", shape_mechanisms.MECHANISMS))
} | {"points": {PointMean.name: PointMean}}


def list_mechanisms(branch: str) -> dict[str, Any]:
    """Return {name: class} of the library's mechanisms of a branch, and of those that settings or entry points name."""
    return {**{own_class.name: own_class for own_class in registry.list_own_classes(branch)}, **LIBRARY[branch]}


def find_proofs_of_release(statement: dict[str, Any]) -> Proofs | None:
    """Return where the guarantee of a statement's mechanism is proved, if its class is here and says so."""
    mechanism = list_mechanisms(statement["release"]["branch"]).get(statement["mechanism"]["name"])
    return mechanism and find_proofs(mechanism)


def describe_statistic(branch: str, mechanism: str, kind: str | None = None) -> tuple[str, str]:
    """Return (what is released, what a person brought to it), in words for a statement.

    Parameters
    ----------
    branch : str
        `faces`, `shapes` or `points`.
    mechanism : str
        Its name.
    kind : str or None
        Of the release, where its settings name one.
    """
    branch_kinds = [kind_of_branch for kind_of_branch in KINDS if kind_of_branch.branch == branch]
    by_name = (kind_of_branch for kind_of_branch in branch_kinds if kind_of_branch.name == kind)
    by_law = (
        kind_of_branch
        for kind_of_branch in branch_kinds
        if kind_of_branch.law == mechanism and not kind_of_branch.is_difference
    )
    release_kind = next(by_name, None) or next(by_law, None) or kinds.find_mean(branch)
    return release_kind.statistic, release_kind.record


def divisor_sentence(settings: dict[str, Any]) -> str:
    """Return a sentence that tells readers what each person's change was divided by, if so; "" of others."""
    return "".join(
        f" Each person's change is divided by their “{divisor['name']}”, taken to the public range "
        f"{divisor['range'][0]:g} to {divisor['range'][1]:g}, so that all lengths are per unit of it."
        for divisor in settings.get("per", ())
    )


def list_all_mechanisms() -> tuple[tuple[str, Any], ...]:
    """Return (name, class) of all branches; a name may stand for a mechanism in each."""
    return tuple((name, mechanism) for branch in LIBRARY for name, mechanism in list_mechanisms(branch).items())
