"""The facts that a release states of itself, and the conditions under which it is what it claims to be.

Facts say what was done, never what the records hold. There is no free text in them: every word of a statement is chosen
from a list by these values, so that nothing else can slip in. How a condition is known:

    checked          looked at in this very run; a test makes exactly it fail
    by construction  no setting and no record can make it fail for this mechanism: the proof and its test are named
    declared         a person says so; the software cannot know

No condition is computed from what a record holds: which of them hold follows from settings, public inputs and n alone.
A condition carries its evidence (value, source), so that a reader of the statement can follow it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shapedp.settings import default


@dataclass(frozen=True)
class Origin:
    """Where a public object comes from.

    source : `config` (numbers in the settings), `reference_set`, `demo` (the built-in model), `file` (a public file),
        `private` (drawn with noise),
        `none` (there is no such object), or `data` (the private records: not public)
    quantile, margin, count : of a reference set: the bound is margin times the quantile over `count` public records
    """

    source: str
    quantile: float | None = None
    margin: float | None = None
    count: int | None = None


@dataclass(frozen=True)
class Bound:
    """A bound that noise is scaled to: `tau`, `tau_joint`, `weights`, `range` or `r`; number or nested list; unit."""

    name: str
    value: object
    unit: str
    origin: Origin


@dataclass(frozen=True)
class Solver:
    """How a statistic that is solved for was solved: to a public tolerance, refused if not reached, and counted."""

    tolerance: float
    enforced: bool
    in_sensitivity: bool


@dataclass(frozen=True)
class Laboratories:
    """Who made a joint release.

    study : digest of what they agreed on; roster : of each laboratory its name, people, public key, digests of its
        parts and of its ledger's lines
    conspiring : up to how many of them the guarantee is promised against; overlap : `none`, as declared, or `possible`
    faced : mu against c = 0, 1, ... laboratories that conspire with whoever looks
    log10_distance : of the sum of their noise from one discrete Gaussian
    """

    study: str
    roster: tuple
    conspiring: int
    overlap: str
    faced: tuple
    log10_distance: float


@dataclass(frozen=True)
class Facts:
    """What a release rule states about itself.

    branch : `faces` or `shapes`; n : records, public; mechanism : its name in the settings
    sensitivity, sensitivity_unit, sensitivity_inputs : the number the noise is scaled to, in which unit, and what went
        into it by symbol
    bounds, template, reference : see Bound, Origin; the reference is what is subtracted, or the center of the ball
    clipping : `norm`, `joint_norm`, `range`, `ball`, or `none`; within_bounds : whether the mechanism is proved to make
        every record keep to it after rounding, whatever it holds
    made_of : kinds of the artifacts that the records' content can depend on, by the artifacts' own account
    rejected_become : `reference`, or `dropped` if there are not as many records as were listed
    persons : `refuse` or `average` where a column names the persons, `declared` where none does, or `repeated`
    noise_secure : whether the noise source draws from the operating system's entropy
    sampler : `discrete_gaussian`, `exact`, or `mcmc`; grid : step of the grid that outputs lie on, None for none
    rounding_counted : whether rounding before the noise is excluded by exact sums or part of the sensitivity
    exact_arithmetic : whether the bits released have the law that the proof is of
    solver : Solver, or None where the solver's error needs no counting
    calibration : `proved`, or `as_published` where the published scale is no proof
    noise_mm : root mean square distance that the noise moves a point of a face of the template's size; None for shapes
    widened : by how much a first stage, with noise of its own, widened the bound; None where nothing was asked first
    undone : the largest factor by which what the clip took of the mean was put back; None for none
    shrunk : (least, largest) factor that drew the release towards the center afterwards, public, or of faces from the
        noised mean; None for none
    unlike : whether the release itself says that the cohort differs from the public set; None where it cannot tell
    tuned_on : `public`, or `data` if settings were chosen by looking at private data
    disjoint_from : populations that nobody of these people belongs to, as is declared
    reviewed : `each_alone` where it is declared that whether a scan counts was decided by looking at it alone, or None
    laboratories : of a release that several made together, None of one laboratory's
    """

    branch: str
    n: int
    mechanism: str
    sensitivity: float
    sensitivity_unit: str
    sensitivity_inputs: dict
    bounds: tuple
    template: Origin
    reference: Origin
    clipping: str
    noise_secure: bool
    sampler: str
    grid: float | None
    rounding_counted: bool
    within_bounds: bool
    made_of: tuple
    rejected_become: str
    persons: str
    solver: Solver | None = None
    exact_arithmetic: bool = True
    calibration: str = "proved"
    tuned_on: str = "public"
    disjoint_from: tuple = ()
    reviewed: str | None = None
    noise_mm: float | None = None
    widened: float | None = None
    undone: float | None = None
    shrunk: tuple | None = None
    unlike: bool | None = None
    laboratories: Laboratories | None = None


CHECKED, BY_CONSTRUCTION, DECLARED = "checked", "by construction", "declared"
PUBLIC_SOURCES = ("config", "reference_set", "demo", "built_in", "formula", "file", "private", "none")
CLIPPINGS = ("norm", "joint_norm", "range", "ball")
SAMPLERS = ("discrete_gaussian", "exact")
ONE_EACH = ("refuse", "average", "declared")
ONE_BY_ONE = {  # kinds of artifacts in which each record follows from itself and the template alone
    "mesh",
    "disk_map",
    "disk",
    "surface",
    "registered",
    "face_curves",
    "curves",
    "template",
    "correspondence",  # of public faces alone, in cohorts of older versions
    "landmarks",
    "shapes",
}


@dataclass(frozen=True)
class Condition:
    """One named condition: what must be true, whether it is, how that is known, the evidence, what is wrong if not."""

    name: str
    requirement: str
    holds: bool
    known: str
    value: str
    source: str
    otherwise: str


@dataclass(frozen=True)
class Check:
    """How a condition is decided: `value` is the evidence from the facts, `holds` decides on the facts.

    known : CHECKED, BY_CONSTRUCTION or DECLARED, or a function of the facts; source : where to look it up, or such
    """

    name: str
    requirement: str
    otherwise: str
    known: str | Callable
    source: str | Callable
    value: Callable
    holds: Callable

    def __call__(self, facts):
        known = self.known(facts) if callable(self.known) else self.known
        source = self.source(facts) if callable(self.source) else self.source
        holds = bool(self.holds(facts))
        return Condition(self.name, self.requirement, holds, known, self.value(facts), source, self.otherwise)


def check(facts: Facts) -> list[Condition]:
    """Every condition that a release can answer for, as Conditions."""
    asked = CHECKS if facts.laboratories is None else CHECKS + OF_LABORATORIES
    return [one(facts) for one in (*asked, *(declared for declared, concerns in SAID if concerns(facts)))]


def declared(privacy: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of Facts that somebody declares, whatever is released; privacy : the settings of that section."""
    named = tuple(privacy.get("disjoint_from", default("privacy.disjoint_from")))
    return {"disjoint_from": named, "reviewed": privacy.get("reviewed"), "tuned_on": privacy["tuned_on"]}


def proof(sections: str, test: str) -> str:
    """Where something that holds by construction is proved and tested."""
    return f"the software's mathematics, section{'s' if ' and ' in sections else ''} {sections}; its test {test}"


def proved(sections: str, test: str) -> Callable[[Facts], str]:
    """The same, or where it is for a model of faces."""
    of_models = {"moments": proof("11 and 12", "test_integer_sums"), "growth": proof("12 and 15", "test_growth")}
    return lambda facts: of_models.get(facts.mechanism, proof(sections, test))


def _bound_sources(facts):
    return sorted({bound.origin.source for bound in facts.bounds})


def _brought(facts):
    """Whether anything public came from files of records."""
    origins = facts.template, facts.reference, *(bound.origin for bound in facts.bounds)
    return any(origin.source in ("reference_set", "file") for origin in origins)


def _solved_in_bounds(solver):
    return solver is None or (solver.tolerance > 0 and solver.enforced is True and solver.in_sensitivity is True)


def _solver_words(solver):
    if solver is None:
        return "no solver"
    return "covered" if _solved_in_bounds(solver) else "not covered"


CHECKS = (
    Check(
        "public_bounds",
        "Every bound comes from the settings or from a public reference set.",
        "a bound was computed from the private data, so that the amount of noise itself depends on them",
        CHECKED,
        "settings, and the inputs that the bounds' artifact records",
        value=lambda facts: ", ".join(_bound_sources(facts)) or "no bounds",
        holds=lambda facts: _bound_sources(facts) and set(_bound_sources(facts)) <= set(PUBLIC_SOURCES),
    ),
    Check(
        "records_clipped",
        "Every record is clipped or projected to its bound before use.",
        "records are not clipped, so that one person may count for more than the noise covers",
        BY_CONSTRUCTION,
        proved("3 and 7", "test_any_record"),
        value=lambda facts: facts.clipping,
        holds=lambda facts: facts.clipping in CLIPPINGS,
    ),
    Check(
        "records_within_bounds",
        "After rounding, every clipped record is within its bound.",
        "clipped records are not proved to keep within their bound after rounding",
        BY_CONSTRUCTION,
        proved("4", "test_integer_sums"),
        value=lambda facts: "whatever a record holds" if facts.within_bounds is True else "not proved",
        holds=lambda facts: facts.within_bounds is True,
    ),
    Check(
        "public_template",
        "The template that records are aligned to is public.",
        "the template is taken from the private data, so that every record was processed with one person's data",
        DECLARED,
        "settings: privacy.sources.template; no file of the private data by path or link",
        value=lambda facts: facts.template.source,
        holds=lambda facts: facts.template.source in PUBLIC_SOURCES,
    ),
    Check(
        "public_reference",
        "The reference or center is public, or drawn with noise of its own that this release pays for.",
        "the reference or center is computed from the private data",
        lambda facts: BY_CONSTRUCTION if facts.reference.source == "private" else DECLARED,
        "settings: privacy.sources; no file of the private data by path or link",
        value=lambda facts: facts.reference.source,
        holds=lambda facts: facts.reference.source in PUBLIC_SOURCES,
    ),
    Check(
        "records_independent",
        "Each record is processed with itself and public inputs alone.",
        "records are processed with the help of each other, so that one person changes several",
        CHECKED,
        "what the artifacts record that they were made of",
        value=lambda facts: ", ".join(sorted(facts.made_of)) or "none",
        holds=lambda facts: facts.made_of and set(facts.made_of) <= ONE_BY_ONE,
    ),
    Check(
        "fixed_count",
        "A record that cannot be processed counts as the public reference; n never changes.",
        "records that cannot be processed are dropped, so that n depends on the data",
        CHECKED,
        "number of records used against number of people listed",
        value=lambda facts: facts.rejected_become,
        holds=lambda facts: facts.rejected_become == "reference",
    ),
    Check(
        "one_record_a_person",
        "One person has one record: repeats are refused, or averaged within the person.",
        "a person may stand behind several records, and the guarantee is for one",
        lambda facts: DECLARED if facts.persons == "declared" else CHECKED,
        lambda facts: (
            "no sheet names the persons"
            if facts.persons == "declared"
            else "names of the persons, as the sample sheet lists them"
        ),
        value=lambda facts: facts.persons,
        holds=lambda facts: facts.persons in ONE_EACH,
    ),
    Check(
        "secret_noise",
        "The noise comes from the operating system's entropy; there is no seed.",
        "the noise is seeded: whoever has the seed can take it off again",
        CHECKED,
        "the noise source of this run",
        value=lambda facts: "entropy of the operating system" if facts.noise_secure is True else "seeded",
        holds=lambda facts: facts.noise_secure is True,
    ),
    Check(
        "exact_sampler",
        "The noise is drawn from the mechanism's own distribution, not from a Markov chain.",
        "a Markov chain was used, whose distribution after finitely many steps is not the mechanism's",
        BY_CONSTRUCTION,
        proof("8", "test_noise"),
        value=lambda facts: facts.sampler,
        holds=lambda facts: facts.sampler in SAMPLERS,
    ),
    Check(
        "exact_arithmetic",
        "The proof is of the bits that are released, not of real numbers that they stand for.",
        "the noise is drawn in floating point, whose rounding the proof does not cover",
        BY_CONSTRUCTION,
        proof("4", "test_exact"),
        value=lambda facts: "drawn without rounding" if facts.exact_arithmetic is True else "drawn in floating point",
        holds=lambda facts: facts.exact_arithmetic is True,
    ),
    Check(
        "output_grid",
        "What leaves the mechanism lies on a public grid.",
        "outputs are not rounded to a grid, so that their last digits may tell of the data",
        BY_CONSTRUCTION,
        proved("4", "test_integer_sums"),
        value=lambda facts: "public grid" if facts.grid else "no grid",
        holds=lambda facts: facts.grid is not None and facts.grid > 0,
    ),
    Check(
        "rounding_counted",
        "Rounding before the noise is excluded by exact sums, or part of the sensitivity.",
        "rounding errors before the noise are not covered by it",
        BY_CONSTRUCTION,
        proved("4", "test_integer_sums"),
        value=lambda facts: "covered" if facts.rounding_counted is True else "not covered",
        holds=lambda facts: facts.rounding_counted is True,
    ),
    Check(
        "solver_error_counted",
        "The solver's error is bounded by a public, enforced tolerance and part of the sensitivity.",
        "the statistic was solved for, and the solver's error is not covered by the noise",
        BY_CONSTRUCTION,
        proof("7", "test_laplace"),
        value=lambda facts: _solver_words(facts.solver),
        holds=lambda facts: _solved_in_bounds(facts.solver),
    ),
    Check(
        "proved_calibration",
        "The noise is as large as a proof demands.",
        "the noise is scaled as published, which is no proof of the guarantee",
        BY_CONSTRUCTION,
        proved("3 and 7", "test_sensitivity"),
        value=lambda facts: facts.calibration,
        holds=lambda facts: facts.calibration == "proved",
    ),
    Check(
        "public_tuning",
        "The settings were chosen without looking at the private data.",
        "settings were chosen by looking at the private data, which costs budget that nobody counted",
        DECLARED,
        "settings: privacy.tuned_on and privacy.sources.settings",
        value=lambda facts: facts.tuned_on,
        holds=lambda facts: facts.tuned_on == "public",
    ),
)


def of_pooled(sources: int) -> list[Condition]:
    """What a release that is pooled from so many others rests on besides what each of them states."""
    return [
        Condition(
            "sources_private",
            "Every release that was pooled is formally private by its own statement.",
            True,
            CHECKED,
            f"{sources} sources",
            "the sources' statements",
            "a source gives no guarantee",
        ),
        Condition(
            "same_public_inputs",
            "The sources name the same settings, template, public people and axes, which no private data decided.",
            True,
            CHECKED,
            "one digest",
            "what the sources were drawn along",
            "the sources name different public inputs",
        ),
        Condition(
            "sources_authentic",
            "The sources are what their laboratories released.",
            True,
            DECLARED,
            "declared",
            "no source of a pooled release is signed",
            "a source is not authentic",
        ),
        Condition(
            "disjoint_people",
            "Nobody is in two sources.",
            True,
            DECLARED,
            "declared",
            "whoever pooled the sources",
            "somebody is in two sources, and what the two spent adds up",
        ),
    ]


OF_LABORATORIES = (
    Check(
        "few_conspire",
        "No more laboratories than the study names put together what they know.",
        "more laboratories than the study names may conspire",
        DECLARED,
        "the study, which every laboratory signed for",
        value=lambda facts: f"declared: at most {facts.laboratories.conspiring} others collude",
        holds=lambda facts: facts.laboratories.conspiring >= 0,
    ),
    Check(
        "own_conditions",
        "Each laboratory checked these conditions on its own records before its part was drawn, and recorded the cost.",
        "a laboratory's part comes without a line of its ledger",
        CHECKED,
        "the parts, each signed with its laboratory's key",
        value=lambda facts: f"{len(facts.laboratories.roster)} laboratories",
        holds=lambda facts: all(lab["ledger_lines"] for lab in facts.laboratories.roster),
    ),
    Check(
        "sum_is_exact",
        "Masks cancel in the sum, and the laboratories' noise adds up to a discrete Gaussian, to a stated distance.",
        "the sum of the laboratories' noise is too far from a discrete Gaussian",
        BY_CONSTRUCTION,
        proof("13", "test_rounds"),
        value=lambda facts: f"distance 10^{facts.laboratories.log10_distance:.0f}",
        holds=lambda facts: facts.laboratories.log10_distance < -30,
    ),
)
SAID = (  # Checks that hold because somebody says so, and which releases they concern
    (
        Check(
            "public_records_apart",
            "No record of the public files is of one of these people.",
            "a public file holds records of these people",
            DECLARED,
            "settings: privacy.sources",
            value=lambda facts: "declared",
            holds=lambda facts: True,
        ),
        _brought,
    ),
    (
        Check(
            "populations_apart",
            "Nobody of these people belongs to the other populations that are named.",
            "some of these people belong to another population, whose budget is not counted here",
            DECLARED,
            "settings: privacy.disjoint_from",
            value=lambda facts: f"others than {', '.join(facts.disjoint_from)}",
            holds=lambda facts: True,
        ),
        lambda facts: facts.disjoint_from,
    ),
    (
        Check(
            "reviewed_alone",
            "Whether a scan counts was decided by looking at that scan alone.",
            "whether a scan counts was decided across people, so that one person decides on another",
            DECLARED,
            "settings: privacy.reviewed",
            value=lambda facts: facts.reviewed,
            holds=lambda facts: facts.reviewed == "each_alone",
        ),
        lambda facts: facts.reviewed,
    ),
)
