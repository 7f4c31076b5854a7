"""What the shape release states about itself: its public settings, and the facts that its conditions are checked on."""

from shapedp.manifolds import frechet
from shapedp.mechanisms import shape_mechanisms as mechanisms
from shapedp.releases.facts import Bound, Facts, Origin, Solver

FILE = "file"


def settings(entry, shapes, center_source, r_source, tuned_on):
    """The public settings of a release, without names and paths."""
    asked = {"mechanism": entry["mechanism"], "budget": entry["budget"], "modes": shapes.modes}
    asked["center"] = center_source
    asked["radius"] = shapes.r if r_source == "config" else "data"
    asked["tuned_on"] = tuned_on
    if "bandwidth" in entry:
        asked["bandwidth"] = entry["bandwidth"]
    return asked


def facts(asked, shapes, r_source, listed, ids, made_of, randomness):
    """The facts of a release of these shapes.

    asked : the settings above; r_source : a word of facts.Origin; listed : records in the landmark file; ids : of the
    records used; made_of : kinds of artifacts that the shapes were made of
    """
    name = asked["mechanism"]
    published = name in mechanisms.PUBLISHED
    return Facts(
        branch="shapes",
        n=shapes.n,
        mechanism=name,
        sensitivity=mechanisms.sensitivity(name, shapes, frechet.TOLERANCE),
        sensitivity_inputs={"n": shapes.n, "r": shapes.r, "p": shapes.modes},
        bounds=(Bound("r", shapes.r, "radian", Origin("data" if published else r_source)),),
        template=Origin("none"),
        reference=Origin("data" if published else asked["center"]),
        clipping="none" if published else "range" if name == "pointwise_laplace" else "ball",
        noise_secure=randomness.secure,
        sampler="discrete_gaussian" if name == "gaussian" else "exact",
        grid=mechanisms.grid(name, shapes),
        rounding_counted=True,
        within_bounds=mechanisms.within_bounds(name, shapes),
        made_of=(*made_of, *(["mean_shape"] if published else [])),
        rejected_become="reference" if len(ids) == listed else "dropped",
        persons="refuse" if len(set(ids)) == len(ids) else "repeated",
        solver=Solver(frechet.TOLERANCE, enforced=True, in_sensitivity=True) if name == "laplace" else None,
        discretisation=mechanisms.discretisation(name, shapes, asked["budget"]),
        calibration="as_published" if published else "proved",
        tuned_on=asked["tuned_on"],
    )
