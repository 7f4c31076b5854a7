"""Registration of a surface to a template: rotation O and diffeomorphism gamma that minimise ||q1 - O (q2, gamma)||^2.

Coarse to fine, inverse-compositional Gauss-Newton (design, "Registration"; compare Baker and Matthews 2004 for the
inverse composition and Jermyn, Kurtek, Laga, Srivastava 2017 for the square root normal field).
"""

from dataclasses import dataclass

import numpy as np
from scipy.signal import argrelmin

from shapedp.errors import Rejected
from shapedp.surfaces.registration import descent, diffeo, rotation, srnf, table
from shapedp.surfaces.registration.grid import polar_grid
from shapedp.surfaces.registration.options import CHECK
from shapedp.surfaces.registration.template import level_table, unit_srnf

CANDIDATES = 4  # turns of the disk that are descended from on the coarsest grid
TRIAL_STEPS = 4
FOLDED = 1e-9  # least area element, as a share of the mean one, that a surface may have inside the disk


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
    """Align the surface f (R, T, 3), sampled on the template's polar grid, to the template."""
    _check(f, template.grid)
    spectrum = np.fft.rfft(unit_srnf(f, template.grid), axis=1)
    angle, u = _turn_of_the_disk(spectrum, template)
    turned = _turned(spectrum, angle)
    first, energies, here = None, [], None
    for level in template.levels:
        q_table = level_table(turned, level.kernel, template.grid)
        u = np.zeros_like(level.grid.points) if u is None else _on_grid(u, level.grid)
        here = descent.descend(q_table, u, level)
        if here is None:  # admissible on the coarser grid, not on this one: begin again
            here = descent.descend(q_table, np.zeros_like(level.grid.points), level)
        first = descent.evaluate(q_table, np.zeros_like(level.grid.points), level)
        energies.append(here.energies)
        u = (here.u, level.grid)
    before = level_table(spectrum, level.kernel, template.grid)
    unaligned = srnf.distance_squared(table.lookup(before, level.grid.points), level.q, level.grid)
    return _result(f, template, angle, u, (unaligned, first.energy), energies, here)


def _result(f, template, angle, u, starts, energies, here):
    """Look the surface up once, in its own table, and check the diffeomorphism on a finer grid."""
    grid, check = template.grid, polar_grid(*CHECK)
    u_table = table.coefficients(*u)
    gamma = diffeo.turn(diffeo.positions(u_table, grid.points), angle)
    fine = diffeo.positions(u_table, check.points) - check.points
    least = float(diffeo.jacobian(fine, check).min())
    if least <= 0:
        raise Rejected(
            "folded_registration", f"the registration folds the disk (least Jacobian {least:.3g}); see the scan"
        )
    surface = table.lookup(table.coefficients(f, grid), gamma) @ here.rotation.T
    words = "converged" if here.converged else "stopped short of its tolerance"
    return Registered(
        surface=surface,
        rotation=here.rotation,
        gamma=gamma,
        energy_before=float(starts[0]),
        energy_rotation_only=float(starts[1]),
        energy_after=float(here.energy),
        min_jacobian=least,
        energies=tuple(energies),
        iterations=sum(len(level) - 1 for level in energies),
        converged=bool(here.converged),
        message=f"registration {words}: energy {starts[0]:.4g}, turned {starts[1]:.4g}, registered {here.energy:.4g}",
    )


def _check(f, grid):
    """Refuse a surface that no registration can help."""
    if f.shape[:2] != (grid.rings, grid.angles):
        raise Rejected(
            "wrong_grid", f"surface on a grid of {f.shape[:2]}, the template's is {(grid.rings, grid.angles)}"
        )
    if not np.isfinite(f).all():
        raise Rejected("non_finite", f"{np.sum(~np.isfinite(f))} coordinates of the surface are not finite")
    area = np.linalg.norm(srnf.normals(f, grid), axis=-1)
    total = grid.integral(area)
    if not total > 0:
        raise Rejected("zero_area", "the surface has no area")
    if np.mean(area < FOLDED * total / np.pi) > 0.01:
        raise Rejected("folded_grid", "the surface is folded flat over part of the disk; its disk map failed")


def _turned(spectrum, angle):
    """The Fourier coefficients of q(R x), R the turn of the disk by `angle`."""
    return spectrum * np.exp(1j * angle * np.arange(spectrum.shape[1]))[None, :, None]


def _on_grid(u, grid):
    """A displacement (u, its grid) on another grid."""
    return diffeo.positions(table.coefficients(*u), grid.points) - grid.points


def _turn_of_the_disk(spectrum, template):
    """(angle, displacement on the coarsest grid or None) of the best turn of the disk, by trial from a few of them."""
    if template.options.search == "never":
        return 0.0, None
    level = template.levels[0]
    q = table.lookup(level_table(spectrum, level.kernel, template.grid), level.grid.points)
    rolls = rotation.energies_of_rolls(level.q, q, level.grid)
    lowest = argrelmin(rolls, mode="wrap")[0]
    best = lowest[np.argsort(rolls[lowest], kind="stable")][:CANDIDATES] if len(lowest) else [np.argmin(rolls)]
    trials = [_trial(spectrum, 2 * np.pi * shift / level.grid.angles, template) for shift in best]
    angle, here = min(trials, key=lambda trial: trial[1].energy)
    return angle, (here.u, level.grid)


def _trial(spectrum, angle, template):
    """A few steps on the coarsest grid from one turn of the disk."""
    level = template.levels[0]
    q_table = level_table(_turned(spectrum, angle), level.kernel, template.grid)
    return angle, descent.descend(q_table, np.zeros_like(level.grid.points), level, TRIAL_STEPS)


def register(f, template):
    """Register the surface f (R, T, 3), unit area and centroid 0 on the template's polar grid, to the template.

    Refused (errors.Rejected): values that are not finite, zero area, a folded grid.
    """
    grid = template.grid
    if f.shape != (grid.rings, grid.angles, 3):
        raise ValueError(f"the template is sampled on {grid.rings} x {grid.angles}, the surface has shape {f.shape}")
    check_surface(f, grid)
    spectrum = np.fft.rfft(unit_srnf(f, grid), axis=1)
    starts = _starts(spectrum, template)
    best = min((_coarse(spectrum, turn, template) for turn in starts), key=lambda one: one[1].energy)
    turn, here = best
    return _finish(f, spectrum, turn, here, template)
