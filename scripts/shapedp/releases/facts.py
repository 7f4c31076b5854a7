"""What a release rule states about itself: what was done, never what was found.

There is no free text in it: every word of a statement is chosen from a list by these values, so that nothing else can
slip in.
"""

from dataclasses import dataclass


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
    discretisation : relative error of mu by the grid, 0 where there is none
    solver : Solver, or None where the solver's error needs no counting
    calibration : `proved`, or `as_published` where the published scale is no proof
    noise_mm : root mean square distance that the noise moves a point of a face of the template's size; None for shapes
    widened : by how much a first stage, with noise of its own, widened the bound; None where nothing was asked first
    shrunk : (least, largest) public factor that drew the release towards the center afterwards; None for none
    unlike : whether the release itself says that the cohort differs from the public set; None where it cannot tell
    tuned_on : `public`, or `data` if settings were chosen by looking at private data
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
    discretisation: float = 0.0
    calibration: str = "proved"
    tuned_on: str = "public"
    noise_mm: float | None = None
    widened: float | None = None
    shrunk: tuple | None = None
    unlike: bool | None = None
