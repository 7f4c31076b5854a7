"""What the shape release states about itself: its public settings, and the facts that its conditions are checked on."""

import numpy as np

from shapedp.releases import parts
from shapedp.releases.facts import Bound, Facts, Origin, Solver

FILE = "file"


def settings(entry, ball, center_source, r_source, privacy, landmarks=()):
    """The public settings of a release, without names and paths; landmarks : {setting: numbers of landmarks}"""
    asked = {"mechanism": entry["mechanism"], "budget": entry["budget"], "modes": ball.modes}
    asked["center"] = center_source
    asked["radius"] = ball.r if r_source == "config" else "data"
    asked["tuned_on"] = privacy["tuned_on"]
    asked |= parts.stated(entry, privacy, ball.n)
    asked |= {name: rows for name, rows in dict(landmarks).items() if rows}
    if ball.size:
        asked["size"] = [float(np.exp(one)) for one in ball.size]
    asked |= {name: entry[name] for name in ("bandwidth", "shrink") if entry.get(name)}
    return asked


def facts(made, asked, r_source, listed, ids, persons, made_of, randomness):
    """The facts of a release by a ShapeMechanism.

    asked : the settings above; r_source : a word of facts.Origin; listed : people in the landmark file; ids : of the
    rows used; persons : `refuse` or `average` where a sheet names the persons, else `declared`; made_of : kinds of
    artifacts that the shapes were made of
    """
    ball, taken = made.ball, Origin("data")
    bounds = taken if made.from_data else Origin("reference_set", *made.learned) if made.learned else Origin(r_source)
    return Facts(
        branch="shapes",
        n=made.n,
        mechanism=made.name,
        sensitivity=made.sensitivity(),
        sensitivity_unit=made.stated_bounds()[0][2],
        sensitivity_inputs={"n": made.n, "r": ball.r, "p": ball.modes},
        bounds=tuple(Bound(*one, bounds) for one in made.stated_bounds()),
        template=Origin("none"),
        reference=taken if made.from_data else Origin(asked["center"]),
        clipping=made.clipping,
        noise_secure=randomness.secure,
        sampler=made.sampler,
        grid=made.grid(),
        rounding_counted=True,
        within_bounds=made.clipping != "none",
        made_of=(*made_of, *(["mean_shape"] if made.from_data else [])),
        rejected_become="reference" if len(ids) == listed else "dropped",
        persons=persons if len(set(ids)) == len(ids) else "repeated",
        solver=None if made.solver is None else Solver(made.solver, enforced=True, in_sensitivity=True),
        discretisation=made.discretisation(),
        calibration=made.calibration,
        shrunk=made.shrunk,
        tuned_on=asked["tuned_on"],
    )
