"""Gauss-Newton on one grid: E(gamma) = min over O of ||O (q2, gamma) - q1||^2, inverse-compositional.

With r = O (q2, gamma) - q1 and coefficients c_u of the displacement so far, one step is

    c = -H^-1 (A^T W r + mu M c_u),   v = sum_k c_k b_k,   gamma <- gamma o (x + v) / sqrt(1 + |v|^2),

times a scale that grows while the energy falls by more than promised, halved until E and E + mu c_u^T M c_u have
both fallen and J stays above a floor.
"""

from dataclasses import dataclass, replace

import numba
import numpy as np

from shapedp.surfaces.registration import diffeo, rotation, srnf, table

TOLERANCE = 1e-3  # relative fall of the objective at which a level has converged
MOST_STEPS = 25
MOST_HALVINGS = 6
MORE_THAN_PROMISED = 1.3  # a fall beyond this multiple of the quadratic model's makes the next step longer
LONGER, LONGEST = 1.5, 3.0  # by this factor, up to this multiple: rough q1 makes A^T W A too stiff
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


def evaluate(q_table, u, level, angle=0.0):
    """The alignment at displacement u (R, T, 2), with its best rotation; None where J falls below its floor.

    angle : q2 is looked up with its disk turned by this, which is no part of u
    """
    jacobian = diffeo.jacobian(u, level.grid)
    if not jacobian.min() > LEAST_JACOBIAN:
        return None
    q = diffeo.act(q_table, diffeo.turn(level.grid.points + u, angle), jacobian)
    best = rotation.best_rotation(rotation.covariance(level.q, q, level.grid))
    aligned = rotation.rotate(best, q)
    energy = srnf.distance_squared(aligned, level.q, level.grid)
    c = level.basis.products(np.zeros(u.shape[:2]), u)
    return Alignment(u, aligned, best, energy, energy + (c * apply(level.penalty, c)).sum(), c, (energy,), False)


def descend(q_table, u, level, angle=0.0):
    """The alignment from displacement u on, step by step, or None where u itself is inadmissible on this grid."""
    here = evaluate(q_table, u, level, angle)
    if here is None:
        return None
    energies, converged, scale = [here.energy], False, 1.0
    while not converged and len(energies) <= MOST_STEPS:
        c, promised = direction(here, level)
        if scale * promised <= TOLERANCE * here.objective:
            converged = True
            break
        after, scale = _search_along(q_table, here, c, scale, level, angle)
        if after is None:
            converged = True
            break
        fall = here.objective - after.objective
        converged = bool(fall < TOLERANCE * here.objective)
        if fall > MORE_THAN_PROMISED * promised:
            scale = min(LONGER * scale, LONGEST)
        here = after
        energies.append(here.energy)
    return replace(here, energies=tuple(energies), converged=converged)


def direction(here, level):
    """(c, the fall it promises): the Gauss-Newton step as coefficients (K,), and that of the quadratic model."""
    scalar, vector = _slopes(here.aligned, level.q, *level.gradient)
    slope = level.basis.products(scalar, vector) + apply(level.penalty, here.coefficients)
    c = -apply(level.inverse, slope)
    return c, float(-(c * slope).sum())


def apply(matrix, c):
    """The product of a matrix with a vector, summed in an order that does not depend on the number of threads."""
    return np.einsum("kj,j->k", matrix, c)


@numba.njit(cache=True)
def _slopes(aligned, q, along_x, along_y):
    """(1/2 q1 . r, (r . dq1/dx, r . dq1/dy)), r = aligned - q1: what A^T r integrates against div b and b."""
    rings, angles, _ = q.shape
    scalar, vector = np.zeros((rings, angles)), np.zeros((rings, angles, 2))
    for i in range(rings):
        for k in range(angles):
            for c in range(3):
                r = aligned[i, k, c] - q[i, k, c]
                scalar[i, k] += q[i, k, c] * r / 2
                vector[i, k, 0] += along_x[i, k, c] * r
                vector[i, k, 1] += along_y[i, k, c] * r
    return scalar, vector


def _search_along(q_table, here, c, scale, level, angle):
    """(the first admissible alignment with lower energies at scale c, scale c/2, ..., or None; the scale taken)."""
    u_table = table.coefficients(here.u, level.grid)
    for taken in scale * 0.5 ** np.arange(MOST_HALVINGS):
        phi = diffeo.step(level.basis.field(taken * c), level.grid)
        after = evaluate(q_table, diffeo.positions(u_table, phi) - level.grid.points, level, angle)
        if after is not None and after.energy < here.energy and after.objective < here.objective:
            return after, taken
    return None, scale
