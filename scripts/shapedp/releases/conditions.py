"""The conditions under which a release is what it claims to be, and how each is known.

    checked          looked at in this very run; a test makes exactly it fail
    by construction  no setting and no record can make it fail for this mechanism: the proof and its test are named
    declared         a person says so; the software cannot know

None is computed from what a record holds: which of them hold follows from settings, public inputs and n alone. A
condition carries its evidence (value, source), so that a reader of the statement can follow it.
"""

from collections.abc import Callable
from dataclasses import dataclass

CHECKED, BY_CONSTRUCTION, DECLARED = "checked", "by construction", "declared"
PUBLIC_SOURCES = ("config", "reference_set", "demo", "file", "private", "none")
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
    "correspondence",  # of public faces alone
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


def check(facts):
    """Every condition that a release can answer for, as Conditions."""
    return [one(facts) for one in CHECKS]


def proof(sections, test):
    """Where something that holds by construction is proved and tested."""
    return f"docs/mathematics.md, {sections}; tests/library/mechanisms/{test}.py"


def proved(sections, test):
    """The same, or where it is for a model of faces."""
    return lambda facts: proof("11 and 12", "test_moments") if facts.mechanism == "moments" else proof(sections, test)


def _bound_sources(facts):
    return sorted({bound.origin.source for bound in facts.bounds})


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
        "settings: privacy.sources.template; no file of the private data by path, link or content",
        value=lambda facts: facts.template.source,
        holds=lambda facts: facts.template.source in PUBLIC_SOURCES,
    ),
    Check(
        "public_reference",
        "The reference or center is public, or drawn with noise of its own that this release pays for.",
        "the reference or center is computed from the private data",
        lambda facts: BY_CONSTRUCTION if facts.reference.source == "private" else DECLARED,
        "settings: privacy.sources; no file of the private data by path, link or content",
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
        "names of the persons, as the sample sheet lists them",
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
