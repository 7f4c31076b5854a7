"""A few demo faces taken through the chain in earnest: how far its curves are from the correspondence, and how long it
takes. The times are this machine's and vary; nothing else here is a matter of chance.
"""

import time

import numpy as np

from shapedp.demo import faces as demo
from shapedp.mechanisms import curve_mean, noise
from shapedp.simulation import curve_population as people_of
from shapedp.simulation import curve_releases as releases
from shapedp.surfaces import conformal, curves, meshing, mobius, normalise, sampling
from shapedp.surfaces.registration import register as registration
from shapedp.surfaces.registration import rotation
from shapedp.surfaces.registration import template as templates
from shapedp.surfaces.registration.options import Options

BASIS = 300  # as in config.yaml
RADII = np.arange(1, people_of.CURVES + 1) / people_of.CURVES


def curve_chain(people, replicates, rng):
    """(R,) a face: seconds to mesh, to map to the disk and sample, to register; root mean square distance of its
    curves to those in correspondence, before registration (the chain's own disk maps, turned alike) and after; in unit
    areas' lengths. And, the same for all, seconds for the mean and the release of a population of `people`.
    """
    options = Options(basis=BASIS)
    template = templates.prepare(normalise.unit_surface(people_of.surfaces()[0])[0], options)
    known = people_of.population(people).curves
    _face(0, template, known[0])  # compiles what is compiled at first use
    found = _columns([_face(i, template, known[i]) for i in range(replicates)])
    for name in ("rkhs_paper", "pointwise"):
        found[f"seconds_{name}"] = np.full(replicates, _seconds_to_release(name, known))
    return found


def _seconds_to_release(name, curves):
    n = len(curves)
    made = releases.mechanism("published", name, n, releases.PAPER_MU, n)
    start = time.perf_counter()
    sums = curve_mean.total(made, lambda first, last: curves[first:last], n)
    made.draw(sums, noise.source())
    return time.perf_counter() - start


def _face(number, template, known):
    vertices, triangles = people_of.vertices(number), demo.triangles()
    times = [time.perf_counter()]
    meshing.mesh_scan(vertices, None, meshing.Options())
    times.append(time.perf_counter())
    z = mobius.centered(conformal.disk_map(vertices, triangles), triangles, demo.NOSE_TIP)
    f, _, _ = normalise.unit_surface(sampling.sample(vertices, triangles, z, people_of.RINGS, people_of.ANGLES))
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
    taken = np.moveaxis(curves.extract(f, RADII, people_of.SAMPLES), 1, 2).reshape(-1, 3)
    target = np.moveaxis(known, 1, 2).reshape(-1, 3)
    turn = rotation.best_rotation(target.T @ taken)
    return np.sqrt(np.mean(np.sum((taken @ turn.T - target) ** 2, axis=1)))


def _columns(rows):
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
