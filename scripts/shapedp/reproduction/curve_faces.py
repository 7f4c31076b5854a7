"""Demo faces through the chain: those of the faces paper's Figures 4 to 6, 8 and 10, and what registration adds.

Noise of the figures is scaled as published, for n = 1,000: tau and ranges from the data, which is not private; in mm,
at the mean face's size. `curve_chain` takes a few faces through the chain in earnest: how far its curves are from the
correspondence, and how long it takes; the times are this machine's and vary, nothing else there is a matter of chance.
"""

import time
from dataclasses import dataclass

import numpy as np

from shapedp.app.forecast import comparison
from shapedp.base.settings import read_default
from shapedp.privacy import integer_sums, noise
from shapedp.reproduction import curve_experiments, curve_population
from shapedp.surfaces import curve_mesh, polar
from shapedp.surfaces.meshing import scan_mesh
from shapedp.surfaces.registration import register as registration
from shapedp.surfaces.registration import srnf
from shapedp.surfaces.registration import template as templates
from shapedp.surfaces.registration.template import Options
from shapedp.surfaces.subjects.formula import faces as demo

PEOPLE = 1000
BUDGETS = (2.0, 3.0)  # of the point-wise faces
BASIS = read_default("faces.registration.basis")


@dataclass(frozen=True)
class Faces:
    """Meshes as vertices (v, 3), curves as (J, 3, m).

    mean, pointwise : vertices of the mean and {mu: of the mean with noise on each coordinate}
    curves, smooth, private : the mean's curves, the RKHS mean and the private one
    """

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


def make_faces(rng):
    """Return the mean faces that the paper's Figures 4 to 8 show, private and not, of PEOPLE demo people."""
    population, size = curve_population.population(PEOPLE), _measure_mean_size()
    curve_mechanism = curve_experiments.make_mechanism(
        "published", "rkhs_paper", PEOPLE, curve_experiments.PAPER_MU, PEOPLE
    )
    (private,) = curve_experiments.draw_releases(curve_mechanism, population.curves, 1, rng)
    ranges, pointwise = population.upper - population.lower, {}
    for mu in BUDGETS:
        a_point = mu / np.sqrt(ranges.size)
        pointwise[mu] = size * (population.mean + ranges / PEOPLE / a_point * rng.standard_normal(ranges.shape))
    curves = population.curves.mean(axis=0)
    smooth = curve_experiments.smooth_curves(curves, None)
    return Faces(size * population.mean, pointwise, size * curves, size * smooth, size * private)


def make_steps():
    """Return one demo person's face at each step of the chain, for the paper's Figure 10."""
    vertices, size = curve_population.vertices(0), _measure_mean_size()
    z = curve_population.disk_map(vertices)
    surface = _sample_surface(vertices, z)
    return Steps(
        vertices, z, size * surface, size * registration.register(surface, _prepare_template(Options())).surface
    )


def _sample_surface(vertices, z):
    """Return (R, T, 3) of unit area."""
    rings, angles = curve_population.RINGS, curve_population.ANGLES
    return polar.unit_surface(polar.sample(vertices, demo.triangles(), z, rings, angles))[0]


def _prepare_template(options):
    return templates.prepare(polar.unit_surface(curve_population.surfaces()[0])[0], options)


def _measure_mean_size():
    """Return the mean face's size: mm for a length of 1 on a face of unit area."""
    return float(np.sqrt(curve_population.measure_areas(curve_population.model().vertices[0]).sum()))


def curve_chain(people, replicates, rng):
    """Measure what the chain costs and what registration gains, (R,) a face, beside what the paper says.

    They are seconds to mesh, to map to the disk and sample, to register; root mean square distance of a face's curves
    to those in correspondence, before registration (the chain's own disk maps, turned alike) and after; in unit areas'
    lengths. And, the same for all, seconds for the mean and the release of a population of `people`.
    """
    template, true_curves = _prepare_template(Options(basis=BASIS)), curve_population.population(people).curves
    # A first face is taken and thrown away, so that compilation at first use is in no measured time.
    _measure_face(0, template, true_curves[0])
    rows = [_measure_face(i, template, true_curves[i]) for i in range(replicates)]
    measures = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    for name in ("rkhs_paper", "pointwise"):
        curve_mechanism = curve_experiments.make_mechanism(
            "published", name, people, curve_experiments.PAPER_MU, people
        )
        start = time.perf_counter()
        curve_mechanism.draw(
            integer_sums.sum_people(curve_mechanism, lambda first, last: true_curves[first:last], people),
            noise.make_source(),
        )
        measures[f"seconds_{name}"] = np.full(replicates, time.perf_counter() - start)
    return measures


def _measure_face(number, template, true_curves):
    """Return one face's times and distances, to measure what the faces paper says of its chain: for `curve_chain`."""
    vertices = curve_population.vertices(number)
    times = [time.perf_counter()]
    scan_mesh.mesh_scan(vertices, None, scan_mesh.Options())
    times.append(time.perf_counter())
    surface = _sample_surface(vertices, curve_population.disk_map(vertices))
    times.append(time.perf_counter())
    registered = registration.register(surface, template).surface
    times.append(time.perf_counter())
    seconds = dict(zip(("seconds_mesh", "seconds_map", "seconds_register"), np.diff(times), strict=True))
    return seconds | {
        "before": _measure_distance(surface, true_curves),
        "after": _measure_distance(registered, true_curves),
    }


def _measure_distance(f, true_curves):
    """Return how far the curves of f lie from the true ones, in the root mean square, after the best rotation.

    The rotation is about the origin.
    """
    points = comparison.flatten_points(curve_mesh.extract(f, curve_population.RADII, curve_population.SAMPLES))
    target = comparison.flatten_points(true_curves)
    turn = srnf.best_rotation(target.T @ points)
    return np.sqrt(np.mean(np.sum((points @ turn.T - target) ** 2, axis=1)))
