"""The facts that a release states of itself, and the conditions under which it is what it claims to be.

Facts say what was done, never what the records hold. There is no free text in them: every word of a statement is chosen
from a list by these values, so that nothing else can slip in. How a condition is known:

    checked          looked at in this very run; a test makes exactly it fail
    by construction  no setting and no record can make it fail for this mechanism: the proof and its test are named
    declared         a person says so; the software cannot know

No condition is computed from what a record holds: which of them hold follows from settings, public inputs and n alone.
A condition carries its evidence (value, source), so that a reader of the statement can follow it.
"""

import json
import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from shapedp.base.settings import read_default
from shapedp.privacy.proofs import FACTS, OwnProofs, Proofs, find_proofs


@dataclass(frozen=True)
class Origin:
    """Where a public object comes from."""

    # `config` (numbers in the settings), `reference_set`, `demo` and `formula` (nobody's), `built_in` (the public
    # model), `file` (a public file), `private` (drawn with noise), `none` (there is no such object), or `data` (the
    # private records: not public)
    source: str
    # Of a reference set: the bound is margin times this quantile.
    quantile: float | None = None
    margin: float | None = None
    count: int | None = None  # public records in the reference set


@dataclass(frozen=True)
class Bound:
    """A bound that noise is scaled to."""

    name: str  # `tau`, `tau_joint`, `weights`, `range` or `r`
    value: object  # a number or a nested list
    unit: str
    origin: Origin


@dataclass(frozen=True)
class Laboratories:
    """Who made a joint release."""

    study: str  # digest of what they agreed on
    roster: tuple  # of each laboratory its name, people, public key, digests of its parts and of its ledger's lines
    conspiring: int  # up to how many of them the guarantee is promised against
    overlap: str  # `none`, as declared, or `possible`
    faced: tuple  # mu against c = 0, 1, ... laboratories that conspire with whoever looks
    log10_distance: float  # of the sum of their noise from one discrete Gaussian


@dataclass(frozen=True)
class Facts:
    """What a release rule states about itself."""

    branch: str  # `faces`, `shapes` or `points`
    n: int  # records, public
    mechanism: str  # its name in the settings
    sensitivity: float  # the number that the noise is scaled to
    sensitivity_unit: str
    sensitivity_inputs: dict  # what went into the sensitivity, by symbol
    bounds: tuple  # of Bound
    template: Origin
    reference: Origin  # of what is subtracted, or of the center of the ball
    clipping: str  # `norm`, `joint_norm`, `range`, `ball`, or `none`
    # Whether the noise source draws from the operating system's entropy; a seed would let anybody take it off.
    noise_secure: bool
    sampler: str  # `discrete_gaussian`, `exact`, or, of an own mechanism, `mcmc`
    # Step of the grid that outputs lie on; None where there is none.
    grid: float | None
    rounding_counted: bool  # whether exact sums exclude rounding before the noise, or the sensitivity includes it
    within_bounds: bool  # whether every record is proved to keep to its bound after rounding, whatever it holds
    # Kinds of the artifacts that the records' content can depend on, by the artifacts' own account.
    made_of: tuple
    rejected_become: str  # `reference`, or `dropped` if there are not as many records as were listed
    persons: str  # `refuse` or `average` where a column names the persons, `declared` where none does, or `repeated`
    # public tolerance to which a statistic is solved for, refused if not reached, and a part of the sensitivity
    solver: float | None = None  # None where nothing is solved for
    exact_arithmetic: bool = True  # whether the bits released have the law that the proof is of
    calibration: str = "proved"  # or `as_published` where the published scale is no proof
    tuned_on: str = "public"  # or `data` if settings were chosen by looking at private data
    disjoint_from: tuple = ()  # populations that nobody of these people belongs to, as is declared
    # `each_alone` where whether a scan counts is declared to follow from that scan alone.
    reviewed: str | None = None
    noise_mm: float | None = None  # rms distance that the noise moves a point of a template-sized face; None for shapes
    # how many times as far as public people these lie, as a noised first stage told; None where nothing was asked
    widened: float | None = None
    settled_sd: float | None = None  # of the noise on each coordinate, in the unit of the bound that followed this
    undone: float | None = None  # the largest factor by which what the clip took of the mean was put back
    shrunk: tuple | None = None  # (least, largest) factor that drew the release towards the center afterwards
    # whether the release itself says that the cohort differs from the public set; None where it cannot tell
    unlike: bool | None = None
    # how far the clip moved the mean of shapes or of a model, before it was put back: radian, or mm of faces
    clip_moved: float | None = None
    # share of people who are told to change much more than others, and what the clip may have taken of them, mm
    far_share: float | None = None
    missing_mm: float | None = None
    # how likely people of a model have heavier tails than public ones, as noised answers tell; None where not asked
    heavy_tails: float | None = None
    # expected distance of a mean of shapes to these people's own mean: noise, what is not released, what the clip takes
    error_radian: float | None = None
    proofs: Proofs | None = None  # of the mechanism, as its class says them
    laboratories: Laboratories | None = None  # of a release that several laboratories made together


CHECKED, BY_CONSTRUCTION, DECLARED = "checked", "by construction", "declared"
PUBLIC_SOURCES = ("config", "reference_set", "demo", "built_in", "formula", "file", "private", "none")
CLIPPINGS = ("norm", "joint_norm", "range", "ball")
SAMPLERS = ("discrete_gaussian", "exact")
ONE_EACH = ("refuse", "average", "declared")
ONE_BY_ONE = {  # kinds of artifacts in which each record follows from itself and the template alone
    *("mesh", "disk_map", "disk", "surface", "registered", "face_curves", "curves", "template", "landmarks", "shapes"),
    "points",  # of `shapedp.private_mean`, each taken by itself
    "correspondence",  # of public faces alone, in cohorts of older versions
}
AT_HOME = "no file of the private data by path or link"
Decision = Callable[[Facts], tuple[str, bool]]


@dataclass(frozen=True)
class Condition:
    """One named condition: what must be true, whether it is, how that is known, the evidence, what is wrong if not."""

    name: str
    requirement: str
    holds: bool
    known: str
    value: str
    source: str
    otherwise: str = ""


@dataclass(frozen=True)
class Check:
    """How a condition is decided on the facts.

    how : (CHECKED, BY_CONSTRUCTION or DECLARED; where to look it up), or a function of the facts that gives both
    decided : of the facts, (evidence, whether the condition holds)
    concerns : whether a release with these facts answers for the condition
    """

    requirement: str
    otherwise: str
    how: tuple[str, str] | Callable[[Facts], tuple[str, str]]
    decided: Decision
    concerns: Callable[[Facts], Any] = lambda facts: True

    def decide(self, facts: Facts, name: str) -> Condition:
        """Return the condition of this name for a statement: whether it holds on the facts, and how that is known."""
        known, source = self.how(facts) if callable(self.how) else self.how
        value, holds = self.decided(facts)
        return Condition(name, self.requirement, bool(holds), known, value, source, self.otherwise)


def check(facts: Facts) -> list[Condition]:
    """Return every condition of a release, decided on its facts: it is formally private where all hold."""
    laboratories = facts.laboratories
    overlap_checks = OVERLAP_CHECKS if laboratories and laboratories.overlap != "none" else {}
    checks = {**CHECKS, **overlap_checks, **(LABORATORY_CHECKS if laboratories else {}), **DECLARED_CHECKS}
    return [
        condition_check.decide(facts, name)
        for name, condition_check in checks.items()
        if condition_check.concerns(facts)
    ]


def standing_conditions(standing: Mapping[str, tuple[str, tuple[str, str, str]]]) -> list[Condition]:
    """Return conditions that hold if anything is made, which a statement lists beside those that are checked on facts.

    standing : {name: (requirement, (how it is known, evidence, source))}
    """
    return [
        Condition(name, requirement, True, known, value, source)
        for name, (requirement, (known, value, source)) in standing.items()
    ]


def declared_facts(privacy: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of Facts that somebody declares, whatever is released, in the settings of `privacy`."""
    named = tuple(privacy.get("disjoint_from", read_default("privacy.disjoint_from")))
    return {"disjoint_from": named, "reviewed": privacy.get("reviewed"), "tuned_on": privacy["tuned_on"]}


def proof(sections: str, test: str) -> tuple[str, str]:
    """Return the words of a statement by which a reader finds where something is proved and tested by construction.

    Parameters
    ----------
    sections : str
        Of docs/mathematics.md.
    test : str
        The file of tests.
    """
    plural = "s" if " and " in sections else ""
    return BY_CONSTRUCTION, f"the software's mathematics, section{plural} {sections}; its test {test}"


BY_ITS_CLASS = BY_CONSTRUCTION, "the mechanism's class"


@cache
def read_proofs() -> dict[str, dict[str, str]]:
    """Return, by number, what each inequality says that a machine checked, and what its proof takes as given."""
    return json.loads((resources.files("shapedp") / "schemas/proofs.json").read_text(encoding="utf-8"))


def machine_checked(proofs: Proofs | None, source: str) -> list[str]:
    """Return which inequalities a machine checked among those that a statement names, by number, for it to quote.

    source : the words that name sections of the mathematics

    Parameters
    ----------
    proofs : Proofs or None
        Of the mechanism.
    source : str
        Where a condition of a statement says that it is proved.
    """
    named = re.search(r"mathematics, sections? (\d+)(?: and (\d+))?;", source)
    sections = named.groups() if named else ()
    return [number for number in (proofs.machine_checked if proofs else ()) if number.split(".")[0] in sections]


def find_proof(fact: str) -> Callable[[Facts], tuple[str, str]]:
    """Return a function that tells a condition where this fact is proved and tested of the mechanism at hand.

    Somebody's own mechanism has to say it in its class.

    Parameters
    ----------
    fact : str
        A field of Proofs.
    """

    def find_source(facts):
        """Return (how it is known, where it is proved and tested) of `fact`, for the mechanism of these facts."""
        if facts.proofs is None:
            return BY_ITS_CLASS
        place, test = getattr(facts.proofs, fact)
        if isinstance(facts.proofs, OwnProofs):
            return BY_CONSTRUCTION, _name_own_source(place, test)
        return proof(place, test)

    return find_source


def list_own_sources(mechanism: type) -> list[str]:
    """Return where somebody's own mechanism is said to be proved, words for its statement; [] of the library's."""
    proofs = find_proofs(mechanism)
    if not isinstance(proofs, OwnProofs):
        return []
    return [_name_own_source(*getattr(proofs, fact)) for fact in FACTS]


def _name_own_source(place, test):
    return f"{BY_ITS_CLASS[1]}: {place}; its test {test}"


def _solver_source(facts):
    """Return where it is proved that the solver's error is counted."""
    return BY_ITS_CLASS if facts.solver is None else proof("4 and 6", "test_certified_mean")


def _word(of: Callable[[Facts], str], allowed: Container[str]) -> Decision:
    """Return a decision: the word that `of` takes from the facts is the evidence, and must be one of the allowed."""
    return lambda facts: (of(facts), of(facts) in allowed)


def _require_allowed_words(of: Callable[[Facts], Iterable[str]], allowed: Collection[str], none: str) -> Decision:
    """Return a condition's decision on facts: it holds where `of` gives words, each of them allowed.

    none : the evidence that is stated where there are none
    """

    def decided(facts):
        words = sorted(set(of(facts)))
        return ", ".join(words) or none, words and set(words) <= set(allowed)

    return decided


def _is_true(of: Callable[[Facts], Any], yes: str, no: str) -> Decision:
    """Return a decision: what `of` takes from the facts must be True itself, no other value that counts as true."""
    # A number or an array that counts as true must not make a condition hold.
    return lambda facts: (yes, True) if of(facts) is True else (no, False)


def _judge_solver(facts):
    """Return the decision on a solver: it holds where nothing is solved for, or to a tolerance that is proved."""
    if facts.solver is None:
        return "no solver", True
    return ("covered", True) if facts.solver > 0 else ("not covered", False)


def _tell_how_persons_are_known(facts):
    """Return how it is known that one person has one record: by a sheet's names, or by word without a sheet."""
    # Names of a sheet can be compared with each other; without a sheet there is nothing to look at.
    if facts.persons == "declared":
        return DECLARED, "no sheet names the persons"
    return CHECKED, "names of the persons, as the sample sheet lists them"


def _has_public_files(facts):
    """Tell whether anything public came from files of records."""
    origins = facts.template, facts.reference, *(bound.origin for bound in facts.bounds)
    return any(origin.source in ("reference_set", "file") for origin in origins)


CHECKS = {
    "public_bounds": Check(
        "Every bound comes from the settings or from a public reference set, or follows from noised answers that this "
        "release pays for.",
        "a bound was computed from the private data, so that the amount of noise itself depends on them",
        (CHECKED, "settings, which name whose records a bound is taken from"),
        _require_allowed_words(
            lambda facts: [bound.origin.source for bound in facts.bounds], PUBLIC_SOURCES, "no bounds"
        ),
    ),
    "records_clipped": Check(
        "Every record is clipped or projected to its bound before use.",
        "records are not clipped, so that one person may count for more than the noise covers",
        find_proof("moved"),
        _word(lambda facts: facts.clipping, CLIPPINGS),
    ),
    "records_within_bounds": Check(
        "After rounding, every clipped record is within its bound.",
        "clipped records are not proved to keep within their bound after rounding",
        find_proof("rounded"),
        _is_true(lambda facts: facts.within_bounds, "whatever a record holds", "not proved"),
    ),
    "public_template": Check(
        "The template that records are aligned to is public.",
        "the template is taken from the private data, so that every record was processed with one person's data",
        (DECLARED, f"settings: privacy.sources.template; {AT_HOME}"),
        _word(lambda facts: facts.template.source, PUBLIC_SOURCES),
    ),
    "public_reference": Check(
        "The reference or center is public, or drawn with noise of its own that this release pays for.",
        "the reference or center is computed from the private data",
        lambda facts: (
            BY_CONSTRUCTION if facts.reference.source == "private" else DECLARED,
            f"settings: privacy.sources; {AT_HOME}",
        ),
        _word(lambda facts: facts.reference.source, PUBLIC_SOURCES),
    ),
    "records_independent": Check(
        "Each record is processed with nothing but itself, public inputs and noised answers that this release pays "
        "for.",
        "records are processed with the help of each other, so that one person changes several",
        (CHECKED, "what the artifacts record that they were made of"),
        _require_allowed_words(lambda facts: facts.made_of, ONE_BY_ONE, "none"),
    ),
    "fixed_count": Check(
        "A record that cannot be processed counts as the public reference; n never changes.",
        "records that cannot be processed are dropped, so that n depends on the data",
        (CHECKED, "number of records used against number of people listed"),
        _word(lambda facts: facts.rejected_become, ("reference",)),
    ),
    "one_record_a_person": Check(
        "One person has one record: repeats are refused, or averaged within the person.",
        "a person may stand behind several records, and the guarantee is for one",
        _tell_how_persons_are_known,
        _word(lambda facts: facts.persons, ONE_EACH),
    ),
    "secret_noise": Check(
        "The noise comes from the operating system's entropy; there is no seed.",
        "the noise is seeded: whoever has the seed can take it off again",
        (CHECKED, "the noise source of this run"),
        _is_true(lambda facts: facts.noise_secure, "entropy of the operating system", "seeded"),
    ),
    "exact_sampler": Check(
        "The noise is drawn from the mechanism's own distribution, not from a Markov chain.",
        "a Markov chain was used, whose distribution after finitely many steps is not the mechanism's",
        find_proof("drawn"),
        _word(lambda facts: facts.sampler, SAMPLERS),
    ),
    "exact_arithmetic": Check(
        "The proof is of the bits that are released, not of real numbers that they stand for.",
        "the noise is drawn in floating point, whose rounding the proof does not cover",
        find_proof("drawn"),
        _is_true(lambda facts: facts.exact_arithmetic, "drawn without rounding", "drawn in floating point"),
    ),
    "output_grid": Check(
        "What leaves the mechanism lies on a public grid.",
        "outputs are not rounded to a grid, so that their last digits may tell of the data",
        find_proof("rounded"),
        lambda facts: ("public grid" if facts.grid else "no grid", facts.grid is not None and facts.grid > 0),
    ),
    "rounding_counted": Check(
        "Rounding before the noise is excluded by exact sums, or part of the sensitivity.",
        "rounding errors before the noise are not covered by it",
        find_proof("rounded"),
        _is_true(lambda facts: facts.rounding_counted, "covered", "not covered"),
    ),
    "solver_error_counted": Check(
        "The solver's error is bounded by a public, enforced tolerance and part of the sensitivity.",
        "the statistic was solved for, and the solver's error is not covered by the noise",
        _solver_source,
        _judge_solver,
    ),
    "proved_calibration": Check(
        "The noise is as large as a proof demands.",
        "the noise is scaled as published, which is no proof of the guarantee",
        find_proof("moved"),
        _word(lambda facts: facts.calibration, ("proved",)),
    ),
    "public_tuning": Check(
        "The settings were chosen without looking at the private data.",
        "settings were chosen by looking at the private data, which costs budget that nobody counted",
        (DECLARED, "settings: privacy.tuned_on and privacy.sources.settings"),
        _word(lambda facts: facts.tuned_on, ("public",)),
    ),
}
LABORATORY_CHECKS = {  # of a release that several made together
    "few_conspire": Check(
        "No more laboratories than the study names put together what they know.",
        "more laboratories than the study names may conspire",
        (DECLARED, "the study, which every laboratory signed for"),
        lambda facts: (
            f"declared: at most {facts.laboratories.conspiring} others collude",
            facts.laboratories.conspiring >= 0,
        ),
    ),
    "own_conditions": Check(
        "Each laboratory checked these conditions on its own records before its part was drawn, and recorded the cost.",
        "a laboratory's part comes without a line of its ledger",
        (CHECKED, "the parts, each signed with its laboratory's key"),
        lambda facts: (
            f"{len(facts.laboratories.roster)} laboratories",
            all(lab["ledger_lines"] for lab in facts.laboratories.roster),
        ),
    ),
    "sum_is_exact": Check(
        "Masks cancel in the sum, and the laboratories' noise adds up to a discrete Gaussian, to a stated distance.",
        "the sum of the laboratories' noise is too far from a discrete Gaussian",
        proof("13", "test_rounds"),
        lambda facts: (
            f"distance 10^{facts.laboratories.log10_distance:.0f}",
            facts.laboratories.log10_distance < -30,
        ),
    ),
}
OVERLAP_CHECKS = {  # of a release of several where somebody may be in two: what it promises counts both records
    "one_record_a_person": Check(
        "One person has one record in a laboratory and at most two in all, and the guarantee counts both.",
        "a person may stand behind several records, and the guarantee is for one",
        (DECLARED, "the study, which every laboratory signed for"),
        _word(lambda facts: facts.persons, ONE_EACH),
    ),
}
DECLARED_CHECKS = {  # what holds because somebody says so, where there is something to say
    "public_records_apart": Check(
        "No record of the public files is of one of these people.",
        "a public file holds records of these people",
        (DECLARED, "settings: privacy.sources"),
        lambda facts: ("declared", True),
        concerns=_has_public_files,
    ),
    "populations_apart": Check(
        "Nobody of these people belongs to the other populations that are named.",
        "some of these people belong to another population, whose budget is not counted here",
        (DECLARED, "settings: privacy.disjoint_from"),
        lambda facts: (f"others than {', '.join(facts.disjoint_from)}", True),
        concerns=lambda facts: facts.disjoint_from,
    ),
    "reviewed_alone": Check(
        "Whether a scan counts was decided by looking at that scan alone.",
        "whether a scan counts was decided across people, so that one person decides on another",
        (DECLARED, "settings: privacy.reviewed"),
        _word(lambda facts: facts.reviewed, ("each_alone",)),
        concerns=lambda facts: facts.reviewed,
    ),
}


SHARED = {  # who may be in two sources of a pooled release: the condition that this rests on
    "none": ("disjoint_people", ("Nobody is in two sources.", (DECLARED, "declared", "whoever pooled the sources"))),
    "within_populations": (
        "disjoint_populations",
        (
            "Nobody is in two populations, and what sources of one population cost adds up.",
            (DECLARED, "declared", "whoever pooled the sources"),
        ),
    ),
    "possible": (
        "sources_add_up",
        (
            "What all sources cost adds up, since somebody may be in each of them.",
            (CHECKED, "added up", "the sources' statements"),
        ),
    ),
}


def pooled_conditions(sources: int, overlap: str) -> list[Condition]:
    """Return the conditions of a pooled release itself, which its statement lists after those of its sources.

    Whatever would break one of the first two was refused before anything is pooled; the others are declared.

    Parameters
    ----------
    sources : int
        How many releases were pooled.
    overlap : str
        Who may be in two sources, a key of SHARED.
    """
    return standing_conditions(
        {
            "sources_private": (
                "Every release that was pooled is formally private by its own statement.",
                (CHECKED, f"{sources} sources", "the sources' statements"),
            ),
            "same_public_inputs": (
                "The sources name the same settings, template, public people and axes, which no private data decided.",
                (CHECKED, "one digest", "what the sources were drawn along"),
            ),
            "sources_authentic": (
                "The sources are what their laboratories released.",
                (DECLARED, "declared", "no source of a pooled release is signed"),
            ),
            **dict([SHARED[overlap]]),
        }
    )
