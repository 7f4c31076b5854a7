"""Registration of a surface to a template: rotation O and diffeomorphism gamma that minimise ||q1 - O (q2, gamma)||^2.

Coarse to fine, inverse-compositional Gauss-Newton: docs/mathematics.md, (1.7), (1.8), (1.9); compare Baker and Matthews
2004 for the inverse composition and Jermyn, Kurtek, Laga, Srivastava 2017 for the square root normal field.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import descent, diffeo, refusal, rotation, search, srnf, table
from shapedp.surfaces.registration.options import CHECK
from shapedp.surfaces.registration.template import level_table, unit_srnf


@dataclass(frozen=True)
class Registered:
    """surface : (R, T, 3) f registered, O f(gamma), on the template's polar grid
    rotation : (3, 3) O, det O = 1
    gamma : (R, T, 2) where each grid point is looked up in the disk
    energy_before, energy_rotation_only, energy_after : ||q1 - q2||^2 of unit areas: unaligned; with the best rotations
        of space and of the disk (the disk map leaves its own rotation open); with the best O and gamma
    min_jacobian : smallest J of gamma on the 128 x 384 checking grid
    energies : energy after each accepted step, one tuple a level
    iterations, converged, message : accepted steps over all levels; whether the tolerance was reached; in words
    """

    surface: np.ndarray
    rotation: np.ndarray
    gamma: np.ndarray
    energy_before: float
    energy_rotation_only: float
    energy_after: float
    min_jacobian: float
    energies: tuple
    iterations: int
    converged: bool
    message: str


def register(f, template):
    """Register the surface f (R, T, 3), unit area and centroid 0 on the template's polar grid, to the template.

    Refused (errors.Rejected): values that are not finite, zero area, a folded grid.
    """
    grid = template.grid
    if f.shape != (grid.rings, grid.angles, 3):
        raise ValueError(f"the template is sampled on {grid.rings} x {grid.angles}, the surface has shape {f.shape}")
    refusal.check(f, grid)
    spectrum = np.fft.rfft(unit_srnf(f, grid), axis=1)
    q_table = level_table(spectrum, template.levels[0].kernel, grid)
    angle, here = search.best_start(q_table, template)
    energies = [here.energies]
    for level, coarser in zip(template.levels[1:], template.levels, strict=False):
        q_table = level_table(spectrum, level.kernel, grid)
        here = descent.descend(q_table, _refine(here.u, coarser, level), level, angle)
        energies.append(here.energies)
    return _result(f, q_table, angle, here, energies, template)


def _refine(u, coarser, level):
    """The displacement on the next grid, halved until its Jacobian is admissible there too."""
    u_table = table.coefficients(u, coarser.grid)
    points = level.grid.points
    u = diffeo.positions(u_table, points) - points
    while not diffeo.jacobian(u, level.grid).min() > descent.LEAST_JACOBIAN:
        u = diffeo.on_circle(points + u / 2) - points
    return u


def _result(f, q_table, angle, here, energies, template):
    """The surface looked up once, in its own table, and its diffeomorphism on the checking grid."""
    u_table = table.coefficients(here.u, template.levels[-1].grid)
    least = _least_jacobian(u_table)
    gamma = diffeo.turn(diffeo.positions(u_table, template.grid.points), angle)
    before, rotated = _unregistered(q_table, angle, template)
    words = "converged" if here.converged else f"stopped short of its tolerance after {len(here.energies) - 1} steps"
    return Registered(
        surface=rotation.rotate(here.rotation, table.lookup(table.coefficients(f, template.grid), gamma)),
        rotation=here.rotation,
        gamma=gamma,
        energy_before=before,
        energy_rotation_only=rotated,
        energy_after=here.energy,
        min_jacobian=least,
        energies=tuple(energies),
        iterations=sum(len(level) - 1 for level in energies),
        converged=here.converged,
        message=f"registration {words}: energy {before:.4g}, rotated {rotated:.4g}, registered {here.energy:.4g}",
    )


def _least_jacobian(u_table):
    """min J on the checking grid; refused where the diffeomorphism folds between the points it was computed on."""
    grid = polar_grid(*CHECK)
    least = float(diffeo.jacobian(diffeo.positions(u_table, grid.points) - grid.points, grid).min())
    if not least > 0:
        raise Rejected("folded_registration", f"the registration folds the disk (J = {least:.3g}); look at the scan")
    return least


def _unregistered(q_table, angle, template):
    """E with no alignment, and with the best rotations of space and of the disk."""
    level = template.levels[-1]
    before = table.lookup(q_table, level.grid.points)
    turned = table.lookup(q_table, diffeo.turn(level.grid.points, angle)) if angle else before
    best = rotation.best_rotation(rotation.covariance(level.q, turned, level.grid))
    return tuple(srnf.distance_squared(level.q, q, level.grid) for q in (before, rotation.rotate(best, turned)))
