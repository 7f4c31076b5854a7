"""What the shape release states about itself: its public settings, and the facts that its conditions are checked on."""

from shapedp.manifolds import frechet
from shapedp.mechanisms import shape_mechanisms as mechanisms
from shapedp.mechanisms.facts import Bound, Facts, Origin, Solver

FILE = "file"


def settings(entry, shapes, center_source, r_source):
    """The public settings of a release, without names and paths."""
    asked = {"mechanism": entry["mechanism"], "budget": entry["budget"], "modes": shapes.modes}
    asked["center"] = center_source
    asked["radius"] = shapes.r if r_source == "config" else "data"
    if "bandwidth" in entry:
        asked["bandwidth"] = entry["bandwidth"]
    return asked


def facts(name, shapes, center_source, r_source, randomness):
    """The facts of a release of these shapes; center_source, r_source : words of facts.Origin."""
    published = name in mechanisms.PUBLISHED
    gaussian = name == "gaussian"
    centre = Origin("data" if published else center_source)
    solver = Solver(frechet.TOLERANCE, enforced=True, in_sensitivity=True) if name == "laplace" else None
    return Facts(
        branch="shapes",
        n=shapes.n,
        mechanism=name,
        sensitivity=mechanisms.sensitivity(name, shapes, frechet.TOLERANCE),
        sensitivity_inputs={"n": shapes.n, "r": shapes.r, "p": shapes.modes},
        bounds=(Bound("r", shapes.r, "radian", Origin("data" if published else r_source)),),
        template=Origin("none"),
        reference=centre,
        clipping="none" if published else "range" if name == "pointwise_laplace" else "ball",
        noise_secure=randomness.secure,
        sampler="discrete_gaussian" if gaussian else "exact",
        grid=mechanisms.OUTPUT_GRID,
        rounding_counted=True,
        within_bounds=not published,
        per_record=not published,
        rejected_become="reference",
        persons="refuse",
        solver=solver,
        discretisation=0.0,
        calibration="as_published" if published else "proved",
    )
