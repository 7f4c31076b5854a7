"""Gauss-Newton on one grid: E(gamma) = min over O of ||O (q2, gamma) - q1||^2, inverse-compositional.

With r = O (q2, gamma) - q1 and coefficients c_u of the displacement so far, one step is

    c = -H^-1 (A^T W r + mu M c_u),   v = sum_k c_k b_k,   gamma <- gamma o (x + v) / sqrt(1 + |v|^2),

times a scale that grows while the energy falls by more than promised, halved until E and E + mu c_u^T M c_u have
both fallen and J stays above a floor.

The descent starts from a rotation of the disk: a scan may show the face at any roll, and the disk's angle then is
arbitrary. The *data* are turned, not the starting diffeomorphism, which the regulariser would pull back.

Diffeomorphisms of the disk, kept as displacements u on a polar grid: gamma(x) = x + u(x), (R, T, 2).
"""

from dataclasses import dataclass, replace

import numpy as np

from shapedp.storage.loops import loop
from shapedp.surfaces import table
from shapedp.surfaces.registration import srnf


def step(v, grid):
    """The small diffeomorphism phi(x) = (x + v) / sqrt(1 + |v|^2), as positions (R, T, 2).

    A field v tangent to the boundary has x . v = 0 there, so phi maps the circle to itself exactly.
    """
    return (grid.points + v) / np.sqrt(1 + np.einsum("rtc,rtc->rt", v, v))[:, :, None]


def on_circle(positions):
    """The positions (R, T, 2) with the last ring put back on the circle: interpolation leaves it by a little."""
    positions[-1] /= np.hypot(positions[-1, :, :1], positions[-1, :, 1:])
    return positions


def positions(u_table, points):
    """gamma at the points (R, T, 2) of any polar grid, or gamma(phi) for positions phi; the last ring is the rim."""
    return on_circle(points + table.lookup(u_table, points))


def on_grid(u_table, grid):
    """gamma at the points of a polar grid, (R, T, 2): as `positions` there, only faster."""
    return on_circle(grid.points + table.lookup_grid(u_table, grid.rings, grid.angles))


def jacobian(u, grid):
    """J = det(I + grad u), (R, T)."""
    return _determinant(*grid.derivatives(u), grid.r, np.cos(grid.theta), np.sin(grid.theta))


@loop
def _determinant(along, around, r, cos, sin):
    """From (du/dr, du/dtheta), each (R, T, 2), in one pass: half the time of whole arrays of du/dx and du/dy."""
    rings, angles, _ = along.shape
    determinant = np.empty((rings, angles))
    for i in range(rings):
        for k in range(angles):
            c, s = cos[k], sin[k]
            turning_x, turning_y = around[i, k, 0] / r[i], around[i, k, 1] / r[i]
            xx, yx = c * along[i, k, 0] - s * turning_x, s * along[i, k, 0] + c * turning_x
            xy, yy = c * along[i, k, 1] - s * turning_y, s * along[i, k, 1] + c * turning_y
            determinant[i, k] = (1 + xx) * (1 + yy) - xy * yx
    return determinant


def act(q_table, gamma, jacobian):
    """(q, gamma) = sqrt(J) q(gamma), (R, T, 3), q looked up in its own table."""
    return np.sqrt(jacobian)[:, :, None] * table.lookup(q_table, gamma)


def turn(positions, angle):
    """The positions turned about the center by `angle`, counter-clockwise."""
    if angle == 0:
        return positions
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = positions[..., 0], positions[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


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
    stretch = jacobian(u, level.grid)
    if not stretch.min() > LEAST_JACOBIAN:
        return None
    q = act(q_table, turn(level.grid.points + u, angle), stretch)
    best = srnf.best_rotation(srnf.covariance(level.q, q, level.grid))
    aligned = srnf.rotate(best, q)
    energy = srnf.distance_squared(aligned, level.q, level.grid)
    c = level.basis.products(u)
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
    slope = level.basis.products(vector, scalar) + apply(level.penalty, here.coefficients)
    c = -apply(level.inverse, slope)
    return c, float(-(c * slope).sum())


def apply(matrix, c):
    """The product of a matrix with a vector, summed in an order that does not depend on the number of threads."""
    return np.einsum("kj,j->k", matrix, c)


@loop
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
        phi = step(level.basis.field(taken * c), level.grid)
        after = evaluate(q_table, positions(u_table, phi) - level.grid.points, level, angle)
        if after is not None and after.energy < here.energy and after.objective < here.objective:
            return after, taken
    return None, scale


ANGLES = 32  # starting angles of a full search, of which
DESCENDED = 8  # are descended from: those where the best rotation of space alone brings q nearest
CLEARLY_BETTER = 0.9  # `auto` searches if a turned start has less than this share of the unturned one's energy
HOPELESS = 4.0  # and leaves out starts, the unturned one too, with more than so many times the least energy
LEAST_ENERGY = 1e-9  # what rounding leaves of the template registered to itself, and may be below 0


def best_start(q_table, template):
    """(angle, alignment on the coarsest grid) of the best turn of the disk; q_table : of the surface, for that grid."""
    level = template.levels[0]
    still = np.zeros_like(level.grid.points)
    trials = [
        (angle, descend(q_table, still, level, angle)) for angle in _start_angles(q_table, level, template.options)
    ]
    return min(trials, key=lambda trial: trial[1].objective)


def _start_angles(q_table, level, options):
    """The starting angles."""
    if options.search == "never":
        return [0.0]
    energies = srnf.energies_of_rolls(
        level.q, table.lookup_grid(q_table, level.grid.rings, level.grid.angles), level.grid
    )
    if options.search == "always":
        every = np.arange(0, level.grid.angles, level.grid.angles // ANGLES)
        chosen = every[np.argsort(energies[every], kind="stable")[:DESCENDED]]
    else:
        lowest = (energies <= np.roll(energies, 1)) & (energies <= np.roll(energies, -1))
        better = np.flatnonzero(lowest & (energies < CLEARLY_BETTER * energies[0]))
        hopeless = HOPELESS * max(energies.min(), LEAST_ENERGY)
        chosen = [one for one in (0, *better) if energies[one] <= hopeless]
    return [2 * np.pi * shift / level.grid.angles for shift in chosen]
