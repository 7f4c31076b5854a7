"""Gauss-Newton on one grid for E(gamma) = min over O of ||O (q2, gamma) - q1||^2: docs/mathematics.md, (1.9).

A step is taken times a scale that grows while the energy falls by more than promised, halved until E and
E + mu c_u^T M c_u have both fallen and J stays above a floor; c_u : coefficients of the displacement so far.

The descent starts from a rotation of the disk: a scan may show the face at any roll, and the disk's angle then is
arbitrary. The *data* are turned, not the starting diffeomorphism, which the regulariser would pull back.

Diffeomorphisms of the disk are kept as displacements u on a polar grid: gamma(x) = x + u(x), (R, T, 2).
"""

from dataclasses import dataclass, replace

import numpy as np

from shapedp.base.storage.loops import loop
from shapedp.surfaces import polar, table
from shapedp.surfaces.registration import srnf


def on_circle(positions):
    """Return positions (R, T, 2) with the last ring put back on the circle: interpolation leaves it by a little."""
    positions[-1] /= np.hypot(positions[-1, :, :1], positions[-1, :, 1:])
    return positions


def positions(u_table, points):
    """Return gamma, where a registration has the points of any polar grid in the surface's disk, from its
    displacement's table.

    Or gamma(phi) for positions phi; the last ring is the rim.

    Parameters
    ----------
    u_table : array
        The table.coefficients of the displacement.
    points : (R, T, 2) array
        Of the disk.
    """
    return on_circle(points + table.lookup(u_table, points))


def on_grid(u_table, grid):
    """Return gamma (R, T, 2), where a registration has the points of a polar grid in the surface's disk.

    It is what `positions` gives there, only faster.

    Parameters
    ----------
    u_table : array
        The table.coefficients of the displacement.
    grid : polar.PolarGrid
    """
    return on_circle(grid.points + table.lookup_grid(u_table, grid.rings, grid.angles))


def jacobian(u, grid):
    """Return J = det(I + grad u), (R, T), of a displacement (R, T, 2) on its grid: where it is not positive the disk
    folds.
    """
    return _find_determinant(polar.in_rays(u), *_steps(grid))[1].T


def _steps(grid):
    """Return what differences on a grid are multiplied by, along the radius and around, and the turns of its rays."""
    return 1 / (12 * grid.h), grid.angles / (24 * np.pi) / grid.r, *grid.turns


@loop(error_model="numpy")
def _find_determinant(u, per_radius, per_angle, cos, sin):
    """Return (the least J, J (T, R)), the Jacobian of a displacement u in rays (T, 2 R), which tells whether it folds
    the disk.

    From (du/dr, du/(r dtheta)), as of `PolarGrid.derivatives`.
    """
    angles, rings = len(u), len(per_angle)
    determinant = np.empty((angles, rings))
    line_x, line_y, along_x, along_y = np.empty(rings + 2), np.empty(rings + 2), np.empty(rings), np.empty(rings)
    least = np.full(rings, np.inf)
    for k in range(angles):
        ray, opposite = u[k], u[(k + angles // 2) % angles]
        _write_slope_along(ray[:rings], opposite[:rings], per_radius, line_x, along_x)
        _write_slope_along(ray[rings:], opposite[rings:], per_radius, line_y, along_y)
        after, before = u[(k + 1) % angles], u[(k - 1) % angles]
        farther, earlier = u[(k + 2) % angles], u[(k - 2) % angles]
        after_y, before_y, farther_y, earlier_y = after[rings:], before[rings:], farther[rings:], earlier[rings:]
        c, s, out = cos[k], sin[k], determinant[k]
        for i in range(rings):
            turning_x = (8 * (after[i] - before[i]) - (farther[i] - earlier[i])) * per_angle[i]
            turning_y = (8 * (after_y[i] - before_y[i]) - (farther_y[i] - earlier_y[i])) * per_angle[i]
            xx, yx = c * along_x[i] - s * turning_x, s * along_x[i] + c * turning_x
            xy, yy = c * along_y[i] - s * turning_y, s * along_y[i] + c * turning_y
            area_change = (1 + xx) * (1 + yy) - xy * yx
            out[i] = area_change
            least[i] = least[i] if least[i] < area_change else area_change
    return least.min(), determinant


@loop
def _write_slope_along(here, opposite, per_radius, line, along):
    """Write d/dr along a ray, for `_find_determinant`: central through the center, one-sided at the last two rings.

    line : room for (R + 2,)
    """
    rings = len(here)
    line[0], line[1], line[2:] = opposite[1], opposite[0], here
    before, after, farther = line[1:], line[3:], line[4:]
    for i in range(rings - 2):
        along[i] = (8 * (after[i] - before[i]) - (farther[i] - line[i])) * per_radius
    a, b, c, d, e = here[rings - 1], here[rings - 2], here[rings - 3], here[rings - 4], here[rings - 5]
    along[rings - 2] = (3 * a + 10 * b - 18 * c + 6 * d - e) * per_radius
    along[rings - 1] = (25 * a - 48 * b + 36 * c + 3 * e - 16 * d) * per_radius


def turn(positions, angle):
    """Return positions in the disk turned about its center by `angle`, counter-clockwise, in radians, as a descent's
    start was.
    """
    if angle == 0:
        return positions
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = positions[..., 0], positions[..., 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


# A level has converged when a step lowers the objective by a smaller share than this, or promises no more.
TOLERANCE = 1e-3
MOST_STEPS = 25
MOST_HALVINGS = 6
# A fall beyond this multiple of what the quadratic model promises makes the next step longer.
MORE_THAN_PROMISED = 1.3
# By which factor it grows, and up to which multiple: where q1 is rough, A^T W A is too stiff, and plain steps are too
# short.
LONGER, LONGEST = 1.5, 3.0
# A step that brings the Jacobian to this floor or below has nearly folded the disk, so it is halved.
LEAST_JACOBIAN = 0.05


@dataclass(frozen=True)
class Alignment:
    """Where a descent stands: the displacement (T, 2 R) and the residual O (q2, gamma) - q1 (T, 3 R) in rays, O, E and
    E + roughness, the slopes (K,) of half the roughness, E after each step.
    """

    displacement: np.ndarray
    residual: np.ndarray
    rotation: np.ndarray
    energy: float
    objective: float
    rough: np.ndarray
    energies: tuple
    converged: bool

    @property
    def u(self):
        """Return (R, T, 2), the displacement."""
        return polar.from_rays(self.displacement, 2)


def evaluate(q_table, u, level, angle=0.0):
    """Return the Alignment at a displacement in rays (T, 2 R): its energy with the best rotation, by which steps are
    taken or not.

    None where J falls below its floor. angle : q2 is looked up with its disk turned by this, which is no part of u
    """
    grid, in_rays = level.grid, level.in_rays
    least, stretch = _find_determinant(u, *_steps(grid))
    if not least > LEAST_JACOBIAN:
        return None
    cos, sin = np.cos(angle), np.sin(angle)
    covariance, residual = _move_field(q_table, in_rays.points, u, cos, sin, stretch, in_rays.q, grid.weights)
    best = srnf.best_rotation(covariance)
    energy = _write_residual(best, in_rays.q, grid.weights, residual)
    c = level.basis.products_in_rays(u)
    rough = sum_rows(level.penalty, c)
    return Alignment(u, residual, best, energy, energy + (c * rough).sum(), rough, (energy,), False)


@loop(error_model="numpy")
def _move_field(q_table, points, u, cos, sin, stretch, q, weights):
    """Return (covariance (3, 3), q2 moved by gamma, in rays), from which `evaluate` has rotation and energy of a step.

    The field moved is (q2, gamma) = sqrt(J) q2(gamma), the covariance the integral of q1 (q2, gamma)^T. q2 is looked up
    in its table; stretch : J; cos, sin : of the angle by which gamma is turned
    """
    rings, angles = q_table.shape[0] - 3, q_table.shape[1] - 3
    flat, below, count = q_table.reshape(-1), 3 * (angles + 3), len(weights)
    x, y, first = np.empty(count), np.empty(count), np.empty(count, dtype=np.int64)
    across, around, sums = np.empty((4, count)), np.empty((4, count)), np.zeros((3, 3, count))
    moved_q, covariance = np.empty_like(q), np.empty((3, 3))
    for k in range(len(u)):
        point, away, size, out, template_ray = points[k], u[k], stretch[k], moved_q[k], q[k]
        point_y, away_y = point[count:], away[count:]
        for i in range(count):
            a, b = point[i] + away[i], point_y[i] + away_y[i]
            x[i], y[i] = cos * a - sin * b, sin * a + cos * b
        table.place(x, y, rings, angles, 3, first, across, around)
        own = out.reshape(3, count)
        table.read(flat, 3, below, first, across, around, own)
        for i in range(count):
            root = np.sqrt(size[i])
            for d in range(3):
                own[d, i] *= root
        for c in range(3):
            for d in range(3):
                a, b, total = template_ray[c * count : (c + 1) * count], own[d], sums[c, d]
                for i in range(count):
                    total[i] += a[i] * b[i]
    for c in range(3):
        for d in range(3):
            covariance[c, d] = (weights * sums[c, d]).sum()
    return covariance, moved_q


@loop
def _write_residual(o, q, weights, moved):
    """Write the residual r = O q2 - q1 in the place of q2, fields in rays; return ||r||^2, the energy of `evaluate`."""
    count = len(weights)
    squares = np.zeros(count)
    for k in range(len(q)):
        template_ray, surface_ray = q[k], moved[k]
        x, y, z = surface_ray[:count], surface_ray[count : 2 * count], surface_ray[2 * count :]
        to_x, to_y, to_z = template_ray[:count], template_ray[count : 2 * count], template_ray[2 * count :]
        for i in range(count):
            a = o[0, 0] * x[i] + o[0, 1] * y[i] + o[0, 2] * z[i] - to_x[i]
            b = o[1, 0] * x[i] + o[1, 1] * y[i] + o[1, 2] * z[i] - to_y[i]
            c = o[2, 0] * x[i] + o[2, 1] * y[i] + o[2, 2] * z[i] - to_z[i]
            x[i], y[i], z[i] = a, b, c
            squares[i] += a * a + b * b + c * c
    return (weights * squares).sum()


def descend(q_table, u, level, angle=0.0):
    """Return the Alignment of a surface to the template on one level's grid: what Gauss-Newton steps end at.

    They begin at the displacement u (R, T, 2). None where u is inadmissible on this grid.
    """
    reached = evaluate(q_table, polar.in_rays(u), level, angle)
    if reached is None:
        return None
    energies, converged, scale = [reached.energy], False, 1.0
    while not converged and len(energies) <= MOST_STEPS:
        c, promised = direction(reached, level)
        if scale * promised <= TOLERANCE * reached.objective:
            converged = True
            break
        after, scale = _search_along(q_table, reached, c, promised, scale, level, angle)
        if after is None:
            converged = True
            break
        fall = reached.objective - after.objective
        converged = bool(fall < TOLERANCE * reached.objective)
        if fall > MORE_THAN_PROMISED * promised:
            scale = min(LONGER * scale, LONGEST)
        reached = after
        energies.append(reached.energy)
    return replace(reached, energies=tuple(energies), converged=converged)


def direction(here, level):
    """Return (c, the fall it promises): the next step of a descent as coefficients (K,), and the quadratic model's fall
    by it.
    """
    q1 = level.in_rays
    slope = level.basis.products_in_rays(slopes(here.residual, q1.q, q1.along_x, q1.along_y)) + here.rough
    c = -sum_rows(level.inverse, slope)
    return c, float(-(c * slope).sum())


@loop
def sum_rows(rows, c):
    """Return the sum of rows (k, n) times c (k,), the same to the last bit on any machine, where BLAS differs.

    Descents and fits of the public model sum by it, so that faces come out alike everywhere. Of a symmetric matrix it
    is the product with c.

    Parameters
    ----------
    rows : (k, n) array
    c : (k,) array
    """
    sums = np.zeros(rows.shape[1])
    for k in range(len(rows)):
        row, share = rows[k], c[k]
        for j in range(len(sums)):
            sums[j] += share * row[j]
    return sums


@loop
def slopes(residual, q, along_x, along_y):
    """Return the fields whose products with the basis are a descent's gradient: (r . dq1/dx, r . dq1/dy, 1/2 q1 . r).

    In rays (T, 3 R); they are what A^T r integrates against b and div b. residual : r
    """
    products, count = np.empty_like(residual), residual.shape[1] // 3
    for k in range(len(residual)):
        r, template_ray, to_x, to_y, out = residual[k], q[k], along_x[k], along_y[k], products[k]
        _write_products(r, to_x, 1.0, out[:count])
        _write_products(r, to_y, 1.0, out[count : 2 * count])
        _write_products(r, template_ray, 0.5, out[2 * count :])
    return products


@loop
def _write_products(a, b, scale, out):
    """Write scale times a . b along a ray, each with three components, of which `slopes` makes a descent's gradient."""
    count = len(out)
    for i in range(count):
        out[i] = scale * (a[i] * b[i] + a[count + i] * b[count + i] + a[2 * count + i] * b[2 * count + i])


def _search_along(q_table, here, c, promised, scale, level, angle):
    """Return (the first admissible alignment with lower energies along a step c, or None; the scale taken): a descent's
    line search.

    Tried are scale c, scale c/2, ... Where a share s of c promises less than the tolerance, about 2 s of what c does,
    no further half is tried.
    """
    u_table = table.coefficients(here.u, level.grid)
    v = level.basis.field_in_rays(c)
    for scale_taken in scale * 0.5 ** np.arange(MOST_HALVINGS):
        if scale_taken < scale and 2 * scale_taken * promised <= TOLERANCE * here.objective:
            break
        after = evaluate(q_table, take_step(u_table, scale_taken * v, level.in_rays.points), level, angle)
        if after is not None and after.energy < here.energy and after.objective < here.objective:
            return after, scale_taken
    return None, scale


@loop(error_model="numpy")
def take_step(u_table, v, points):
    """Return the displacement, in rays, of gamma followed by a small step v: gamma(phi), phi(x) = (x + v) / sqrt(1 +
    |v|^2).

    A field v tangent to the boundary has x . v = 0 there, so phi maps the circle to itself exactly; gamma does so by
    a little less, and its last ring is put back on the circle.
    """
    displacement = np.empty_like(v)
    rings, angles = u_table.shape[0] - 3, u_table.shape[1] - 3
    flat, below, count = u_table.reshape(-1), 2 * (angles + 3), v.shape[1] // 2
    x, y, first = np.empty(count), np.empty(count), np.empty(count, dtype=np.int64)
    across, around = np.empty((4, count)), np.empty((4, count))
    for k in range(len(v)):
        move_x, move_y, point_x, point_y = v[k, :count], v[k, count:], points[k, :count], points[k, count:]
        away_x, away_y = displacement[k, :count], displacement[k, count:]
        for i in range(count):
            size = 1 / np.sqrt(1 + move_x[i] * move_x[i] + move_y[i] * move_y[i])
            x[i], y[i] = (point_x[i] + move_x[i]) * size, (point_y[i] + move_y[i]) * size
        table.place(x, y, rings, angles, 2, first, across, around)
        table.read(flat, 2, below, first, across, around, displacement[k].reshape(2, count))
        for i in range(count):
            away_x[i], away_y[i] = x[i] + away_x[i], y[i] + away_y[i]
        size = np.hypot(away_x[count - 1], away_y[count - 1])
        away_x[count - 1], away_y[count - 1] = away_x[count - 1] / size, away_y[count - 1] / size
        for i in range(count):
            away_x[i], away_y[i] = away_x[i] - point_x[i], away_y[i] - point_y[i]
    return displacement


# A full search looks at this many starting angles, and descends from the DESCENDED of them at which the best rotation
# of space alone brings q nearest.
ANGLES = 32
DESCENDED = 8
# With `auto` a turned start is tried only if it has less than this share of the unturned one's energy.
CLEARLY_BETTER = 0.9
# Starts with more than so many times the least energy are left out, the unturned one too.
HOPELESS = 4.0
# What rounding leaves of the template registered to itself; it may come out below 0, and multiples of that would leave
# out every start.
LEAST_ENERGY = 1e-9


def best_start(q_table, template):
    """Return (angle, Alignment on the coarsest grid) of the turn of the disk from which registration goes on, the best
    of some.

    q_table : of the surface, for that grid
    """
    level = template.levels[0]
    still = np.zeros_like(level.grid.points)
    angles = _start_angles(q_table, level, template.options)
    return min(
        ((angle, descend(q_table, still, level, angle)) for angle in angles), key=lambda start: start[1].objective
    )


def _start_angles(q_table, level, options):
    """Return the angles by which the disk is turned before a descent, since a scan may show the face at any roll.

    As many as the template's options ask for.
    """
    if options.search == "never":
        return [0.0]
    q = table.lookup_grid(q_table, level.grid.rings, level.grid.angles)
    # All turns at once, without a diffeomorphism: one correlation costs less than a single descent.
    energies = srnf.find_roll_energies(level.q, q, level.grid)
    if options.search == "always":
        all_shifts = np.arange(0, level.grid.angles, level.grid.angles // ANGLES)
        shifts = all_shifts[np.argsort(energies[all_shifts], kind="stable")[:DESCENDED]]
    else:
        lowest = (energies <= np.roll(energies, 1)) & (energies <= np.roll(energies, -1))
        better = np.flatnonzero(lowest & (energies < CLEARLY_BETTER * energies[0]))
        hopeless = HOPELESS * max(energies.min(), LEAST_ENERGY)
        shifts = [start for start in (0, *better) if energies[start] <= hopeless]
    return [2 * np.pi * shift / level.grid.angles for shift in shifts]
