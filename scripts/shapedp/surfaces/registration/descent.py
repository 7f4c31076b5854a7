"""Gauss-Newton on one grid: E(gamma) = min over O of ||O (q2, gamma) - q1||^2, inverse-compositional.

With r = O (q2, gamma) - q1 and coefficients c_u of the displacement so far, one step is

    c = -H^-1 (A^T W r + mu M c_u),   v = sum_k c_k b_k,   gamma <- gamma o (x + v) / sqrt(1 + |v|^2),

halved until E and E + mu c_u^T M c_u have both fallen and J stays above a floor.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.surfaces.registration import diffeo, rotation, srnf, table

TOLERANCE = 1e-3  # relative fall of the objective at which a level has converged
MOST_STEPS = 25
MOST_HALVINGS = 6
LEAST_JACOBIAN = 0.05


@dataclass(frozen=True)
class Alignment:
    """Where a descent stands: displacement u, aligned field O (q2, gamma), O, E and E + roughness, steps taken."""

    u: np.ndarray
    aligned: np.ndarray
    rotation: np.ndarray
    energy: float
    objective: float
    coefficients: np.ndarray
    energies: tuple
    converged: bool


def evaluate(q_table, u, level):
    """The alignment at displacement u (R, T, 2), with its best rotation; None where J falls below its floor."""
    jacobian = diffeo.jacobian(u, level.grid)
    if not jacobian.min() > LEAST_JACOBIAN:
        return None
    q = diffeo.act(q_table, level.grid.points + u, jacobian)
    best = rotation.best_rotation(rotation.covariance(level.q, q, level.grid))
    aligned = q @ best.T
    energy = srnf.distance_squared(aligned, level.q, level.grid)
    c = level.basis.products(np.zeros(u.shape[:2]), u)
    return Alignment(u, aligned, best, energy, energy + (level.penalty * c * c).sum(), c, (energy,), False)


def descend(q_table, u, level, most_steps=MOST_STEPS):
    """The alignment from displacement u on, step by step, or None where u itself is inadmissible on this grid."""
    here = evaluate(q_table, u, level)
    if here is None:
        return None
    energies, converged = [here.energy], False
    while not converged and len(energies) <= most_steps:
        after = _search_along(q_table, here, direction(here, level), level)
        if after is None:
            converged = True
            break
        converged = here.objective - after.objective < TOLERANCE * here.objective
        here = after
        energies.append(here.energy)
    return Alignment(**{**vars(here), "energies": tuple(energies), "converged": converged})


def direction(here, level):
    """The Gauss-Newton step as coefficients c (K,)."""
    residual = here.aligned - level.q
    scalar = np.einsum("rtc,rtc->rt", level.q, residual) / 2
    vector = np.stack([np.einsum("rtc,rtc->rt", part, residual) for part in level.gradient], axis=-1)
    slope = level.basis.products(scalar, vector) + level.penalty * here.coefficients
    return -np.einsum("kj,j->k", level.inverse, slope)


def _search_along(q_table, here, c, level):
    """The first admissible alignment with lower energies at c, c/2, c/4, ...; None if there is none."""
    u_table = table.coefficients(here.u, level.grid)
    for halving in range(MOST_HALVINGS):
        phi = diffeo.step(level.basis.field(c / 2**halving), level.grid)
        after = evaluate(q_table, diffeo.positions(u_table, phi) - level.grid.points, level)
        if after is not None and after.energy < here.energy and after.objective < here.objective:
            return after
    return None
