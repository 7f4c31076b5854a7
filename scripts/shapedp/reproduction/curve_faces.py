"""Demo faces through the chain: those of the faces paper's Figures 4 to 6, 8 and 10, and what registration adds.

Noise of the figures is scaled as published, for n = 1,000: tau and ranges from the data, which is not private; in mm,
at the mean face's size. `curve_chain` takes a few faces through the chain in earnest: how far its curves are from the
correspondence, and how long it takes; the times are this machine's and vary, nothing else there is a matter of chance.
"""

import time
from dataclasses import dataclass

import numpy as np

from shapedp.demo import faces as demo
from shapedp.mechanisms import integer_sums, noise
from shapedp.reproduction import curve_experiments, curve_population
from shapedp.settings import default
from shapedp.surfaces import curve_mesh, polar
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.meshing import scan_mesh
from shapedp.surfaces.registration import register as registration
from shapedp.surfaces.registration import srnf
from shapedp.surfaces.registration import template as templates
from shapedp.surfaces.registration.template import Options

PEOPLE = 1000
BUDGETS = (2.0, 3.0)  # of the point-wise faces
BASIS = default("faces.registration.basis")
RADII = np.arange(1, curve_population.CURVES + 1) / curve_population.CURVES


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
    found, size = curve_population.population(PEOPLE), _mean_size()
    ranges = found.upper - found.lower
    a_point = {mu: mu / np.sqrt(ranges.size) for mu in BUDGETS}
    plain = found.curves.mean(axis=0)
    made = curve_experiments.mechanism("published", "rkhs_paper", PEOPLE, curve_experiments.PAPER_MU, PEOPLE)
    mean = made.encode(found.curves).mean(axis=0)
    private = made.decode(mean + made.noise / PEOPLE * rng.standard_normal(mean.shape))
    return Faces(
        demo.triangles(),
        np.arange(1, curve_population.CURVES + 1) / curve_population.CURVES,
        size * found.mean,
        {
            mu: size * (found.mean + ranges / PEOPLE / share * rng.standard_normal(ranges.shape))
            for mu, share in a_point.items()
        },
        size * plain,
        size * curve_experiments.smoothed(plain, None),
        size * private,
    )


def steps(number=0):
    """The Steps of one demo person."""
    options, size = Options(), _mean_size()
    template = templates.prepare(polar.unit_surface(curve_population.surfaces()[0])[0], options)
    vertices, triangles = curve_population.vertices(number), demo.triangles()
    z = conformal.centered(conformal.disk_map(vertices, triangles), triangles, demo.NOSE_TIP)
    sampled = polar.sample(vertices, triangles, z, curve_population.RINGS, curve_population.ANGLES)
    surface = polar.unit_surface(sampled)[0]
    return Steps(vertices, z, size * surface, size * registration.register(surface, template).surface)


def _mean_size():
    """The mean face's: mm for a length of 1 on a face of unit area."""
    made = curve_population.model()
    return float(np.sqrt(curve_population.area(made.vertices[0], made.triangles)))


def curve_chain(people, replicates, rng):
    """(R,) a face: seconds to mesh, to map to the disk and sample, to register; root mean square distance of its
    curves to those in correspondence, before registration (the chain's own disk maps, turned alike) and after; in unit
    areas' lengths. And, the same for all, seconds for the mean and the release of a population of `people`.
    """
    options = Options(basis=BASIS)
    template = templates.prepare(polar.unit_surface(curve_population.surfaces()[0])[0], options)
    known = curve_population.population(people).curves
    _face(0, template, known[0])  # compiles what is compiled at first use
    found = _columns([_face(i, template, known[i]) for i in range(replicates)])
    for name in ("rkhs_paper", "pointwise"):
        found[f"seconds_{name}"] = np.full(replicates, _seconds_to_release(name, known))
    return found


def _seconds_to_release(name, curves):
    n = len(curves)
    made = curve_experiments.mechanism("published", name, n, curve_experiments.PAPER_MU, n)
    start = time.perf_counter()
    sums = integer_sums.total(made, lambda first, last: curves[first:last], n)
    made.draw(sums, noise.source())
    return time.perf_counter() - start


def _face(number, template, known):
    vertices, triangles = curve_population.vertices(number), demo.triangles()
    times = [time.perf_counter()]
    scan_mesh.mesh_scan(vertices, None, scan_mesh.Options())
    times.append(time.perf_counter())
    z = conformal.centered(conformal.disk_map(vertices, triangles), triangles, demo.NOSE_TIP)
    f, _, _ = polar.unit_surface(polar.sample(vertices, triangles, z, curve_population.RINGS, curve_population.ANGLES))
    times.append(time.perf_counter())
    found = registration.register(f, template)
    times.append(time.perf_counter())
    mesh, disk, register = np.diff(times)
    return {
        **{"seconds_mesh": mesh, "seconds_map": disk, "seconds_register": register},
        "before": _distance(f, known),
        "after": _distance(found.surface, known),
    }


def _distance(f, known):
    """Root mean square distance of the curves of f to the known ones, after the best rotation about the origin."""
    taken = np.moveaxis(curve_mesh.extract(f, RADII, curve_population.SAMPLES), 1, 2).reshape(-1, 3)
    target = np.moveaxis(known, 1, 2).reshape(-1, 3)
    turn = srnf.best_rotation(target.T @ taken)
    return np.sqrt(np.mean(np.sum((taken @ turn.T - target) ** 2, axis=1)))


def _columns(rows):
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
