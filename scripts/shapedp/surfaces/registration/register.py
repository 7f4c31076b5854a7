"""Register a surface to a template: find the rotation O and the diffeomorphism gamma of least ||q1 - O (q2, gamma)||^2.

Coarse to fine: docs/mathematics.md, (1.7) to (1.9); compare Baker and Matthews 2004 for the inverse composition and
Jermyn, Kurtek, Laga, Srivastava 2017 for the square root normal field.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.storage.loops import loop
from shapedp.surfaces import table
from shapedp.surfaces.polar import PolarGrid, polar_grid
from shapedp.surfaces.registration import descent, srnf
from shapedp.surfaces.registration.template import CHECK, level_table


@dataclass(frozen=True)
class End:
    """Where a registration ended: u, the displacement on a grid; angle, by which the disk was turned first."""

    u: np.ndarray
    grid: PolarGrid
    angle: float


@dataclass(frozen=True)
class Registered:
    """surface : (R, T, 3) f registered, O f(gamma), on the template's polar grid
    rotation : (3, 3) O, det O = 1
    gamma : (R, T, 2) where each grid point is looked up in the disk
    energy_before, energy_rotation_only, energy_after : ||q1 - q2||^2 of unit areas: unaligned; with the best rotations
        of space and of the disk (the disk map leaves its own rotation open); with the best O and gamma
    min_jacobian : smallest J of gamma on the 128 x 384 checking grid; nan where that was not asked for
    energies : energy after each accepted step, one tuple a level
    end : where it ended, from which a registration of nearly the same surface on a finer grid may start
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
    end: End


def register(f, template, checked=True, start=None):
    """Return the Registered of a surface, whose points then correspond to the template's.

    Refused (errors.Rejected): values that are not finite, zero area, a folded grid.

    Parameters
    ----------
    f : (R, T, 3) array
        The surface on the template's polar grid, of unit area and with its centroid at 0.
    template : template.Template
        What it is registered to.
    checked : bool
        Whether the Jacobian is looked at on the checking grid and the energies of before are found; without, they are
        nan, and what is left is enough to tell where a face lies.
    start : End or None
        Of a registration of nearly the same surface; None: every turn of the disk that may do.

    Returns
    -------
    Registered
    """
    grid = template.grid
    if f.shape != (grid.rings, grid.angles, 3):
        raise ValueError(f"the template is sampled on {grid.rings} x {grid.angles}, the surface has shape {f.shape}")
    q = srnf.unit(*usable_normals(f, grid))
    energies = []
    for level in template.levels:
        # Each level smooths q anew from the finest grid: a coarse grid cannot carry the roughness of a fine one.
        q_table = level_table(q, level.kernel, grid)
        if start is None:
            angle, reached = descent.best_start(q_table, template)
        else:
            angle, reached = start.angle, descent.descend(q_table, _refine(start, level), level, start.angle)
        energies.append(reached.energies)
        start = End(reached.u, level.grid, angle)
    return _make_result(f, q_table, start, reached, energies, template, checked)


def _refine(end, level):
    """Return the displacement that a registration ended at on the grid of the next level, where it goes on.

    It is halved until its Jacobian is admissible there too.
    """
    points, u = level.grid.points, end.u
    if end.grid is not level.grid:
        u = descent.on_grid(table.coefficients(u, end.grid), level.grid) - points
    while not descent.jacobian(u, level.grid).min() > descent.LEAST_JACOBIAN:
        u = descent.on_circle(points + u / 2) - points
    return u


def _make_result(f, q_table, end, here, energies, template, checked):
    """Return the Registered where a descent ended; raise Rejected where the diffeomorphism folds between the points of
    its grid.

    The surface is looked up once, in its own table, and the diffeomorphism on the checking grid.
    """
    u_table, level = table.coefficients(end.u, end.grid), template.levels[-1]
    gamma = descent.turn(descent.on_grid(u_table, template.grid), end.angle)
    least = before = rotated = np.nan
    if checked:
        fine, rings, angles = polar_grid(CHECK[0], CHECK[1]), level.grid.rings, level.grid.angles
        least = float(descent.jacobian(descent.on_grid(u_table, fine) - fine.points, fine).min())
        if not least > 0:
            raise Rejected(
                "folded_registration", f"the registration folds the disk (J = {least:.3g}); look at the scan"
            )
        q = table.lookup_grid(q_table, rings, angles)
        before = srnf.distance_squared(level.q, q, level.grid.weights)
        q = table.lookup_grid(q_table, rings, angles, end.angle) if end.angle else q
        best = srnf.best_rotation(srnf.covariance(level.q, q, level.grid.weights))
        rotated = srnf.distance_squared(level.q, srnf.rotate(best, q), level.grid.weights)
    words = "converged" if here.converged else f"stopped short of its tolerance after {len(here.energies) - 1} steps"
    return Registered(
        surface=srnf.rotate(here.rotation, table.lookup(table.coefficients(f, template.grid), gamma)),
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
        end=end,
    )


# In squared units of the surface's extent: less is a curve or a point.
LEAST_AREA = 1e-12
# Cosine between two neighbouring normals below which they count as a crease.
OPPOSITE = -0.8
# Length of all creases, in sides of the grid: a fold along a diameter has 1.2; lids and lips of real faces have up to
# .75.
MOST_CREASED = 1.0


def usable_normals(f, grid):
    """Return (the normals (R, 3, T) of a surface, its area); raise Rejected for a surface that cannot be registered.

    Rejected are values that are not finite, zero area and a folded grid.

    Parameters
    ----------
    f : (R, T, 3) array
    grid : polar.PolarGrid
        Of the surface.
    """
    if not np.isfinite(f).all():
        raise Rejected(
            "non_finite", f"{np.count_nonzero(~np.isfinite(f))} values of the surface are not finite numbers"
        )
    n = srnf.normals(f, grid)
    area, creases = _area_and_creases(n, grid.weights)
    reach = max(np.ptp(f[..., axis]) for axis in range(3))
    if not area > LEAST_AREA * max(reach, np.finfo(float).tiny) ** 2:
        raise Rejected("zero_area", f"the surface has area {area:.3g}; it is a curve or a point, not a surface")
    sides = creases / np.sqrt(grid.rings * grid.angles)
    if sides > MOST_CREASED:
        raise Rejected(
            "folded_grid",
            f"the surface turns back on itself along {sides:.1f} times a side of the grid (at most {MOST_CREASED:g}); "
            "check the disk map for flipped triangles",
        )
    return n, area


@loop
def _area_and_creases(n, weights):
    """Return (the integral of |n|, how many neighbours on the grid have opposite normals), by which a folded grid is
    told.

    n : (R, 3, T) the normals; neighbours are round a circle, and along a radius. A fold of the grid reverses the normal
    along a line across it, which has as many points as the grid has sides; a sharp edge of a surface does so along
    less.
    """
    rings, _, angles = n.shape
    area, count, squares, inner = 0.0, 0, np.empty(angles), np.empty(angles)
    for i in range(rings):
        x, y, z, total = n[i, 0], n[i, 1], n[i, 2], 0.0
        for k in range(angles):
            squares[k] = x[k] * x[k] + y[k] * y[k] + z[k] * z[k]
            total += np.sqrt(squares[k])
        area += weights[i] * total
        last = angles - 1
        count += _opposite(x[0] * x[last] + y[0] * y[last] + z[0] * z[last], squares[0] * squares[last])
        for k in range(1, angles):
            along = x[k] * x[k - 1] + y[k] * y[k - 1] + z[k] * z[k - 1]
            count += _opposite(along, squares[k] * squares[k - 1])
        if i > 0:
            u, v, w = n[i - 1, 0], n[i - 1, 1], n[i - 1, 2]
            for k in range(angles):
                count += _opposite(x[k] * u[k] + y[k] * v[k] + z[k] * w[k], squares[k] * inner[k])
        inner[:] = squares
    return area, count


@loop
def _opposite(product, squares):
    """Return 1 where two normals are opposite by their product and that of their squares, else 0."""
    return 1 if (product < 0) & (product * product > OPPOSITE * OPPOSITE * squares) else 0
