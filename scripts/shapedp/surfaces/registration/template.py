"""The template, linearised once for all faces: the action of diffeomorphisms keeps distances, so the derivative of
the aligned field may be replaced by that of the template's own field.

    A_k = d/dt (q1, id + t b_k) = 1/2 div(b_k) q1 + (grad q1) b_k,     B_j = e_j x q1 (rotations of space).

H = A^T W A - A^T W B (B^T W B)^-1 B^T W A + mu M: rotations are solved for exactly in each step.
"""

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from shapedp.surfaces.polar import PolarGrid, polar_grid
from shapedp.surfaces.registration import heat, srnf, table
from shapedp.surfaces.registration.basis import Basis, modes
from shapedp.surfaces.registration.options import Options

ROUGHNESS_POWER = 1.5
REGULAR = 1e-9  # share of the mean diagonal added to H, so that it can be inverted at mu = 0


@dataclass(frozen=True)
class TemplateLevel:
    """The template on one grid: smoothing kernel (None for none), q1, its gradient, the basis, mu M, H^-1."""

    grid: PolarGrid
    kernel: np.ndarray | None
    q: np.ndarray
    gradient: tuple
    basis: Basis
    penalty: np.ndarray
    inverse: np.ndarray


@dataclass(frozen=True)
class Template:
    """What `register` needs of the template: its fine grid and its levels from coarse to fine."""

    grid: PolarGrid
    options: Options
    levels: tuple


def prepare(f, options=None):
    """The template f (R, T, 3), sampled on the polar grid with unit area, ready for registration.

    One thread: the order of a product's sums, and with it the last bit, may depend on the number of threads.
    """
    options = options or Options()
    grid = polar_grid(*f.shape[:2])
    spectrum = np.fft.rfft(unit_srnf(f, grid), axis=1)
    chosen = options.grids()
    with threadpool_limits(1):
        kernels = iter(heat.kernels(grid, [level.sigma for level in chosen if level.sigma > 0]))
        levels = [
            _linearise(spectrum, grid, level, next(kernels) if level.sigma > 0 else None, options) for level in chosen
        ]
    return Template(grid, options, tuple(levels))


def unit_srnf(f, grid):
    """q of the surface scaled to area 1 on this grid, whose area of it differs a little from the mesh's."""
    q = srnf.srnf(srnf.normals(f, grid))
    return q / np.sqrt(grid.integral(np.einsum("rtc,rtc->rt", q, q)))


def level_table(spectrum, kernel, grid):
    """The lookup table of q, smoothed with the level's kernel, from its Fourier coefficients."""
    return table.coefficients_of_spectrum(spectrum if kernel is None else heat.smooth_spectrum(kernel, spectrum), grid)


def _linearise(spectrum, fine, level, kernel, options):
    grid = polar_grid(level.rings, level.angles)
    basis = Basis(modes(min(level.basis, options.basis)), grid)
    looked_up = level_table(spectrum, kernel, fine)
    q, gradient = table.lookup(looked_up, grid.points), table.lookup_gradient(looked_up, grid.points)
    penalty = options.regularisation * roughness(basis)
    h = normal_matrix(q, gradient, basis, grid) + penalty
    h[np.diag_indices_from(h)] += REGULAR * np.trace(h) / len(h)
    return TemplateLevel(grid, kernel, q, gradient, basis, penalty, np.linalg.inv(h))


def roughness(basis):
    """M = P diag((lambda_k / lambda_1)^1.5) P, (K, K), where P removes the disk's automorphisms.

    Those are v = i z (turns) and v = a - conj(a) z^2 (which point lies at the center): what the disk map leaves open.
    Left free, neither the angle of the disk nor an error in the nose tip counts as a deformation.
    """
    eigenvalues = np.repeat(basis.modes.eigenvalues, 2)[basis.real]
    z = basis.grid.points @ np.array([1, 1j])
    motions = [np.stack([v.real, v.imag], axis=-1) for v in (1j * z, 1 - z**2, 1j * (1 + z**2))]
    free = np.linalg.qr(np.array([basis.products(np.zeros(z.shape), v) for v in motions]).T)[0]
    keep = np.eye(len(free)) - free @ free.T
    return (keep * (eigenvalues / eigenvalues[0]) ** ROUGHNESS_POWER) @ keep


def normal_matrix(q, gradient, basis, grid):
    """A^T W A with the rotations of space projected out, (K, K), summed ring by ring to keep memory small."""
    size = basis.modes.real_size
    both = np.zeros((size + 3, size + 3))
    for i in range(grid.rings):
        columns = _columns(i, q[i], [part[i] for part in gradient], basis, grid)
        both += grid.weights[i] * (columns @ columns.T)
    a, ab, b = both[:size, :size], both[:size, size:], both[size:, size:]
    return a - ab @ np.linalg.solve(b, ab.T)


def _columns(i, q, gradient, basis, grid):
    """A_k and B_j on ring i: (K + 3, 3 T)."""
    wave = np.exp(1j * np.outer(basis.modes.frequency, grid.theta))
    rotational = basis.modes.kind[:, None] == 1
    along, across = basis.p[:, i, None] * wave, 1j * basis.q[:, i, None] * wave
    radial, around = np.where(rotational, -across, along), np.where(rotational, along, across)
    turn = np.exp(1j * grid.theta)
    real = [_real(part, basis) for part in (radial, around, basis.s[:, i, None] * wave)]
    x, y = turn.real * real[0] - turn.imag * real[1], turn.imag * real[0] + turn.real * real[1]
    a = real[2][..., None] / 2 * q + x[..., None] * gradient[0] + y[..., None] * gradient[1]
    b = np.cross(np.eye(3)[:, None, :], q[None])
    return np.concatenate([a, b]).reshape(len(a) + 3, -1)


def _real(wave, basis):
    """The cosine and sine fields of each complex one, Re and Im: (K, T)."""
    return np.stack([wave.real, wave.imag], axis=1).reshape(-1, wave.shape[1])[basis.real]
