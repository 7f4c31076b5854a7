"""The faces of the faces paper's Figures 4 to 6, 8 and 10, of demo people, with noise for its n = 1,000.

Noise is scaled as published: tau and ranges from the data, which is not private. In mm, at the mean face's size.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.demo import faces as demo
from shapedp.simulation import curve_population as people_of
from shapedp.simulation import curve_releases as releases
from shapedp.surfaces import conformal, mobius, normalise, sampling
from shapedp.surfaces.registration import register as registration
from shapedp.surfaces.registration import template as templates
from shapedp.surfaces.registration.options import Options

PEOPLE = 1000
BUDGETS = (2.0, 3.0)  # of the point-wise faces


@dataclass(frozen=True)
class Faces:
    """Meshes as vertices (v, 3), curves as (J, 3, m).

    mean, pointwise : vertices of the mean and {mu: of the mean with noise on each coordinate}
    curves, smooth, private : the mean's curves, the RKHS mean and the private one
    """

    triangles: np.ndarray
    radii: np.ndarray
    mean: np.ndarray
    pointwise: dict
    curves: np.ndarray
    smooth: np.ndarray
    private: np.ndarray


@dataclass(frozen=True)
class Steps:
    """One face on its way: vertices, its disk map z, its surface, and that surface registered, both (R, T, 3)."""

    vertices: np.ndarray
    z: np.ndarray
    surface: np.ndarray
    registered: np.ndarray


def faces(rng):
    """The Faces of PEOPLE demo people."""
    found, size = people_of.population(PEOPLE), _size()
    ranges = found.upper - found.lower
    a_point = {mu: mu / np.sqrt(ranges.size) for mu in BUDGETS}
    plain = found.curves.mean(axis=0)
    made = releases.mechanism("published", "rkhs_paper", PEOPLE, releases.PAPER_MU, PEOPLE)
    mean = made.encode(found.curves).mean(axis=0)
    private = made.decode(mean + made.noise / PEOPLE * rng.standard_normal(mean.shape))
    return Faces(
        demo.triangles(),
        np.arange(1, people_of.CURVES + 1) / people_of.CURVES,
        size * found.mean,
        {
            mu: size * (found.mean + ranges / PEOPLE / share * rng.standard_normal(ranges.shape))
            for mu, share in a_point.items()
        },
        size * plain,
        size * releases.smoothed(plain, None),
        size * private,
    )


def steps(number=0):
    """The Steps of one demo person."""
    options, size = Options(), _size()
    template = templates.prepare(normalise.unit_surface(people_of.surfaces()[0])[0], options)
    vertices, triangles = people_of.vertices(number), demo.triangles()
    z = mobius.centered(conformal.disk_map(vertices, triangles), triangles, demo.NOSE_TIP)
    sampled = sampling.sample(vertices, triangles, z, people_of.RINGS, people_of.ANGLES)
    surface = normalise.unit_surface(sampled)[0]
    return Steps(vertices, z, size * surface, size * registration.register(surface, template).surface)


def _size():
    """The mean face's: mm for a length of 1 on a face of unit area."""
    made = people_of.model()
    return float(np.sqrt(people_of.area(made.vertices[0], made.triangles)))
