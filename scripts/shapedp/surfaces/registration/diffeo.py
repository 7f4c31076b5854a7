"""Diffeomorphisms of the disk, kept as displacements u on a polar grid: gamma(x) = x + u(x), (R, T, 2)."""

import numba
import numpy as np

from shapedp.surfaces.registration import table


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


def jacobian(u, grid):
    """J = det(I + grad u), (R, T)."""
    return _determinant(*grid.derivatives(u), grid.r, np.cos(grid.theta), np.sin(grid.theta))


@numba.njit(cache=True)
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
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = positions[..., 0], positions[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)
