"""Prepare a template, linearised once for all faces at its own field q1: docs/mathematics.md, (1.8) and (1.9).

H = A^T W A - A^T W B (B^T W B)^-1 B^T W A + mu M, B_j = e_j x q1: each step solves exactly for rotations of space.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from threadpoolctl import threadpool_limits

from shapedp.base.storage.loops import loop
from shapedp.surfaces import polar, table
from shapedp.surfaces.polar import PolarGrid, polar_grid
from shapedp.surfaces.registration import srnf
from shapedp.surfaces.registration.basis import Basis, modes

SEARCHES = ("auto", "always", "never")


@dataclass(frozen=True)
class Level:
    """One grid of the coarse-to-fine sequence: its size, its largest basis and the smoothing of q, in disk radii."""

    rings: int
    angles: int
    basis: int
    sigma: float


LEVELS = (Level(24, 64, 60, 0.06), Level(32, 96, 100, 0.03), Level(64, 192, 1000, 0.0))
# Rings and angles of the grid on which the Jacobian is checked in the end: finer than the finest level, to see what
# folds between its points.
CHECK = (128, 384)


@dataclass(frozen=True)
class Options:
    """levels : how many of the three grids are used, always ending with the finest
    basis : deformations of the disk on the finest grid, about
    regularisation : mu, weight of sum_k (lambda_k / lambda_1)^1.5 c_k^2 on the displacement's coefficients c
    search : over rotations of the disk; `auto` looks for one where the unturned face fits worse than a turned one
    """

    levels: int = 3
    basis: int = 500
    regularisation: float = 0.1
    search: str = "auto"

    def __post_init__(self):
        if not 1 <= self.levels <= len(LEVELS):
            raise ValueError(f"levels must be 1 to {len(LEVELS)}, got {self.levels}")
        if self.basis < 10 or not self.regularisation >= 0:
            raise ValueError(f"basis must be at least 10 and regularisation at least 0, got {self}")
        if self.search not in SEARCHES:
            raise ValueError(f"search must be one of {', '.join(SEARCHES)}, got {self.search!r}")

    def grids(self):
        """Return the levels from coarse to fine."""
        return LEVELS[-self.levels :]


# The power of the eigenvalues in the penalty M of (1.9).
ROUGHNESS_POWER = 1.5
# Share of the mean diagonal that is added to H, so that it can be inverted at mu = 0.
REGULAR = 1e-9


@dataclass(frozen=True)
class InRays:
    """What a descent asks of a level, `polar.in_rays`: the grid's points (T, 2 R), q1 and its gradient (T, 3 R)."""

    points: np.ndarray
    q: np.ndarray
    along_x: np.ndarray
    along_y: np.ndarray


@dataclass(frozen=True)
class TemplateLevel:
    """The template on one grid: smoothing kernel (None for none), table of q1, q1, its gradient, basis, mu M, H^-1."""

    grid: PolarGrid
    kernel: tuple | None
    table: np.ndarray
    q: np.ndarray
    gradient: tuple
    basis: Basis
    penalty: np.ndarray
    inverse: np.ndarray

    @cached_property
    def in_rays(self):
        """Return the InRays, this level's fields laid out as a descent's loops take them."""
        return InRays(polar.in_rays(self.grid.points), *map(polar.in_rays, (self.q, *self.gradient)))


@dataclass(frozen=True)
class Template:
    """What `register` needs of the template: its fine grid and its levels from coarse to fine."""

    grid: PolarGrid
    options: Options
    levels: tuple


def prepare(f, options=None, levels_chosen=None):
    """Return the Template of a surface, with all that a registration needs of it alone, computed once for all scans.

    One thread: the order of a product's sums, and with it the last bit, may depend on the number of threads.

    Parameters
    ----------
    f : (R, T, 3) array
        The template on the polar grid, of unit area.
    options : Options or None
        Of the registration; None: as they are by default.
    levels_chosen : sequence of Level or None
        The grids, from coarse to fine; None: those of the options.
    """
    options = options or Options()
    levels_chosen, grid = levels_chosen or options.grids(), polar_grid(*f.shape[:2])
    q = unit_srnf(f, grid)
    with threadpool_limits(1):
        kernels = iter(polar.heat_kernels(grid, tuple(level.sigma for level in levels_chosen if level.sigma > 0)))
        levels = [
            _linearise(q, grid, level, next(kernels) if level.sigma > 0 else None, options) for level in levels_chosen
        ]
    return Template(grid, options, tuple(levels))


def prepare_part(whole, inner):
    """Return the Template for scans that show a part: the part of a whole one within an inner_disks.InnerDisk of its
    disk.

    Its q is that of the whole carried by the conformal map onto the part, |f'| q1(f). H^-1 are the whole's: they set
    the steps of a descent, not where it ends.
    """
    levels = []
    for level in whole.levels:
        grid, places = level.grid, inner.places(level.grid)
        q = inner.stretch(grid, places)[:, :, None] * table.lookup(level.table, places)
        q = q / np.sqrt(grid.integral(np.einsum("rtc,rtc->rt", q, q)))  # of a surface of area 1
        looked_up = table.coefficients(q, grid)
        # The inverse stays the whole template's: it sets the steps of a descent, not where that ends.
        levels.append(replace(level, table=looked_up, q=q, gradient=table.gradient(looked_up, grid)))
    return replace(whole, levels=tuple(levels))


def prepare_like(other, f):
    """Return the Template of a surface f (R, T, 3) that is like another's, such as one person's fit, at little cost:
    H^-1 is the other's.

    Both are on the same grid.
    """
    q, levels = unit_srnf(f, other.grid), []
    for level in other.levels:
        looked_up = level_table(q, level.kernel, other.grid)
        levels.append(replace(level, table=looked_up, **_read_on_level(looked_up, other.grid, level.grid)))
    return replace(other, levels=tuple(levels))


def _read_on_level(looked_up, fine, grid):
    """Return {q, gradient}, the template's fields on a level's grid, from a lookup table on the fine one."""
    slopes = (table.coefficients(slope, fine) for slope in table.gradient(looked_up, fine))
    q, *gradient = (table.lookup_grid(c, grid.rings, grid.angles) for c in (looked_up, *slopes))
    return {"q": q, "gradient": gradient}


@lru_cache(maxsize=8)
def _basis(size, grid):
    """Return (the basis of a level, its roughness), which are the same for every template."""
    basis = Basis(modes(size), grid)
    return basis, roughness(basis)


def unit_srnf(f, grid):
    """Return q, the square root normal field by which a surface is compared, scaled to area 1 on this grid.

    That differs a little from the mesh's.

    Parameters
    ----------
    f : (R, T, 3) array
    grid : polar.PolarGrid
    """
    n = srnf.normals(f, grid)
    return srnf.unit(n, grid.integral(np.sqrt((n**2).sum(axis=1))))


def level_table(q, kernel, grid):
    """Return the table in which one level of a coarse-to-fine registration looks up the normal field of a surface.

    The field is smoothed with the level's kernel, so that its grid can carry it.

    Parameters
    ----------
    q : (R, T, 3) array
        The square root normal field.
    kernel : tuple or None
        Of polar.heat_kernels; None: it is not smoothed.
    grid : polar.PolarGrid
        Of q.
    """
    return table.coefficients(q if kernel is None else polar.smooth_field(q, kernel), grid)


def _linearise(fine_q, fine, level, kernel, options):
    """Return the TemplateLevel of one grid, prepared once so that each step of a registration on it is cheap.

    It holds the template's q there and the inverse of H of (1.9).
    """
    grid = polar_grid(level.rings, level.angles)
    basis, rough = _basis(min(level.basis, options.basis), grid)
    looked_up = level_table(fine_q, kernel, fine)
    fields, penalty = _read_on_level(looked_up, fine, grid), options.regularisation * rough
    h = normal_matrix(fields["q"], fields["gradient"], basis, grid) + penalty
    h[np.diag_indices_from(h)] += REGULAR * np.trace(h) / len(h)
    return TemplateLevel(grid, kernel, looked_up, **fields, basis=basis, penalty=penalty, inverse=np.linalg.inv(h))


def roughness(basis):
    """Return M = P diag((lambda_k / lambda_1)^1.5) P, (K, K), the penalty on rough deformations in a registration.

    P removes the disk's automorphisms. Those are v = i z (turns) and v = a - conj(a) z^2 (which point lies at the
    center): what the disk map leaves open. Left free, neither the angle of the disk nor an error in the nose tip counts
    as a deformation.
    """
    eigenvalues = np.repeat(basis.modes.eigenvalues, 2)[basis.real]
    z = basis.grid.points @ np.array([1, 1j])
    motions = [np.stack([v.real, v.imag], axis=-1) for v in (1j * z, 1 - z**2, 1j * (1 + z**2))]
    free = np.linalg.qr(np.array([basis.products(v) for v in motions]).T)[0]
    keep = np.eye(len(free)) - free @ free.T
    return (keep * (eigenvalues / eigenvalues[0]) ** ROUGHNESS_POWER) @ keep


def normal_matrix(q, gradient, basis, grid):
    """Return A^T W A (K, K), how each deformation changes q, by which a registration chooses its steps.

    It is the core of the Gauss-Newton matrix H of (1.9); the rotations of space are projected out.

    Ring by ring. On a ring A_k = Re or Im of e^(i m theta) (v_0 q + v_1 q_r + v_2 q_theta), v constant: products of two
    are sums of the Fourier coefficients, at the sum and the difference of their frequencies, of the products of q, q_r
    and q_theta.
    """
    modes, size = basis.modes, basis.modes.real_size
    cos, sin = np.cos(grid.theta)[:, None], np.sin(grid.theta)[:, None]
    frequency, rotational = modes.frequency.astype(np.int64), modes.kind == 1
    sums, ab, b = np.zeros((2, len(frequency), len(frequency)), dtype=complex), np.zeros((size, 3)), np.zeros((3, 3))
    x, y = gradient
    fields = np.stack([q, cos * x + sin * y, cos * y - sin * x])
    products = np.einsum("artc,brtc->rtab", fields, fields)
    waves = np.fft.ifft(products, axis=1) * grid.angles
    crossed_waves = np.fft.ifft(np.cross(q, fields[1:]), axis=2) * grid.angles
    areas = products[:, :, 0, 0].sum(axis=1)
    for i in range(grid.rings):
        along, across = basis.p[:, i].astype(complex), 1j * basis.q[:, i]  # b_r and b_theta of gradients
        both = np.where(rotational, across, along), np.where(rotational, along, across)
        v = np.stack([basis.s[:, i] / 2, *both], axis=1)  # (K', 3) what multiplies q, q_r and q_theta
        _add_products(sums, frequency, v, waves[i], grid.weights[i])
        crossed = v[:, 1, None] * crossed_waves[0, i, frequency] + v[:, 2, None] * crossed_waves[1, i, frequency]
        ab += grid.weights[i] * np.stack([crossed.real, crossed.imag], axis=1).reshape(-1, 3)[basis.real]
        b += grid.weights[i] * (areas[i] * np.eye(3) - q[i].T @ q[i])
    same, apart = sums
    real = np.stack([[(same + apart).real, (same - apart).imag], [(same + apart).imag, (apart - same).real]]) / 2
    a = real.transpose(2, 0, 3, 1).reshape(2 * len(frequency), -1)[np.ix_(basis.real, basis.real)]
    both = a - ab @ np.linalg.solve(b, ab.T)
    return (both + both.T) / 2


@loop
def _add_products(sums, frequency, v, waves, weight):
    """Add a ring's share of what `normal_matrix` is made of: sums over theta of Z_k . Z_l and of Z_k . conj(Z_l).

    Z_k is how q changes along complex mode k; its real and imaginary parts are the A_k of `normal_matrix`.
    """
    count, angles = len(frequency), len(waves)
    s, d = np.empty((2, 3), dtype=np.complex128)
    for k in range(count):
        for n in range(frequency.max() + 1):
            above, below = waves[(frequency[k] + n) % angles], waves[(frequency[k] - n) % angles]
            for c in range(3):
                s[c] = weight * (v[k, 0] * above[0, c] + v[k, 1] * above[1, c] + v[k, 2] * above[2, c])
                d[c] = weight * (v[k, 0] * below[0, c] + v[k, 1] * below[1, c] + v[k, 2] * below[2, c])
            for o in range(count):
                if frequency[o] == n:
                    x, y, z = v[o]
                    sums[0, k, o] += s[0] * x + s[1] * y + s[2] * z
                    sums[1, k, o] += d[0] * x.conjugate() + d[1] * y.conjugate() + d[2] * z.conjugate()
