"""An orthonormal basis of the vector fields on the disk that are tangent to its boundary, smooth at the center.

    gradients  b = grad phi,   phi = N J_m(k r) e^(i m theta), J'_m(k) = 0   (Neumann eigenfunctions)
    rotations  b = grad^perp psi = (-psi_y, psi_x),   J_m(k) = 0              (Dirichlet eigenfunctions)

with eigenvalue lambda = k^2, N such that the integral of |b|^2 is 1; div b = -k^2 phi for the first kind, 0 for the
second. Each m > 0 stands for two real fields, cos and sin: a complex coefficient C = c_cos - i c_sin stands for
Re(C phi). Fields separate into radius and angle, so sums over the basis are short sums after an FFT in the angle.
"""

from dataclasses import dataclass
from functools import lru_cache

import numba
import numpy as np
from scipy.special import jn_zeros, jnp_zeros, jv, jvp


@dataclass(frozen=True)
class Modes:
    """The first modes by eigenvalue: angular frequency m, wave number k, kind (0 gradient, 1 rotation), each (K',)."""

    frequency: np.ndarray
    wave: np.ndarray
    kind: np.ndarray

    @property
    def eigenvalues(self):
        """(K',) lambda = k^2."""
        return self.wave**2

    @property
    def real_size(self):
        """K, the number of real fields."""
        return int((self.frequency > 0).sum() + len(self.frequency))


@lru_cache(maxsize=8)
def modes(size):
    """The first modes that make up at least `size` real fields, sorted by eigenvalue."""
    reach = 1.5 * np.sqrt(size) + 5  # by Weyl's law the two kinds have about k^2 / 2 fields below k
    found = []
    for m in range(int(reach) + 1):
        count = int(reach / np.pi) + 2
        found += [(k, m, 0) for k in jnp_zeros(m, count)] + [(k, m, 1) for k in jn_zeros(m, count)]
    found = sorted(one for one in found if one[0] <= reach)
    sizes = np.cumsum([2 if m else 1 for _, m, _ in found])
    wave, frequency, kind = (
        np.array(column) for column in zip(*found[: np.searchsorted(sizes, size) + 1], strict=True)
    )
    return Modes(frequency, wave, kind)


def radial_parts(modes, r):
    """(P, Q, S), each (R, K'): with phi = N J_m(k r) e^(i m theta), P = d/dr, Q = m/r, S = -k^2 (S = 0 for rotations).

    gradients: b_r = P, b_theta = i Q;  rotations: b_r = -i Q, b_theta = P;  div b = S; each times e^(i m theta).
    """
    m, k = modes.frequency, modes.wave
    at_rim = np.where(modes.kind == 0, (1 - (m / k) ** 2) * jv(m, k) ** 2, jvp(m, k) ** 2)
    scale = 1 / (k * np.sqrt(at_rim * np.pi / np.where(m == 0, 1, 2)))
    value = scale * jv(m, k * r[:, None])
    return scale * k * jvp(m, k * r[:, None]), m * value / r[:, None], np.where(modes.kind == 0, -(k**2) * value, 0.0)


class Basis:
    """The basis on a polar grid, with its sums over modes and over the grid."""

    def __init__(self, modes, grid):
        if modes.frequency.max() >= grid.angles // 2:
            raise ValueError(
                f"{grid.angles} angles cannot carry frequency {modes.frequency.max()}; take a smaller basis"
            )
        self.modes, self.grid = modes, grid
        self.p, self.q, self.s = (np.ascontiguousarray(part.T) for part in radial_parts(modes, grid.r))
        self.real = np.flatnonzero(np.column_stack([np.ones_like(modes.frequency), modes.frequency]).ravel() > 0)

    def pack(self, complex_coefficients):
        """Real coefficients (K,) c_cos, c_sin of each mode in turn, from C = c_cos - i c_sin."""
        return np.column_stack([complex_coefficients.real, -complex_coefficients.imag]).ravel()[self.real]

    def unpack(self, c):
        """The inverse of `pack`."""
        pairs = np.zeros(2 * len(self.modes.frequency))
        pairs[self.real] = c
        return pairs[0::2] - 1j * pairs[1::2]

    def field(self, c):
        """v = sum_k c_k b_k on the grid, (R, T, 2) Cartesian."""
        modes, grid = self.modes, self.grid
        spectrum = np.zeros((2, grid.rings, grid.angles // 2 + 1), dtype=complex)
        _spread(self.unpack(c), modes.frequency, modes.kind, self.p, self.q, spectrum)
        spectrum *= grid.angles / 2
        spectrum[:, :, 0] *= 2
        radial, around = np.fft.irfft(spectrum, grid.angles, axis=2)
        cos, sin = np.cos(grid.theta), np.sin(grid.theta)
        return np.stack([cos * radial - sin * around, sin * radial + cos * around], axis=-1)

    def products(self, scalar, vector):
        """The integrals of s div b_k + v . b_k, (K,), for a scalar field s (R, T) and a vector field v (R, T, 2)."""
        modes, grid = self.modes, self.grid
        cos, sin = np.cos(grid.theta), np.sin(grid.theta)
        radial = cos * vector[..., 0] + sin * vector[..., 1]
        around = cos * vector[..., 1] - sin * vector[..., 0]
        spectrum = np.fft.rfft(np.stack([radial, around, scalar]), axis=2) * grid.weights[:, None]
        gathered = np.empty(len(modes.frequency), dtype=complex)
        _gather(spectrum, modes.frequency, modes.kind, self.p, self.q, self.s, gathered)
        return self.pack(gathered)


@numba.njit(cache=True)
def _spread(c, frequency, kind, p, q, spectrum):
    """Add each mode's radial parts to the angular spectrum of (b_r, b_theta)."""
    for k in range(len(c)):
        m = frequency[k]
        turned = 1j * c[k] if kind[k] == 0 else -1j * c[k]
        along, across = (0, 1) if kind[k] == 0 else (1, 0)
        for i in range(p.shape[1]):
            spectrum[along, i, m] += c[k] * p[k, i]
            spectrum[across, i, m] += turned * q[k, i]


@numba.njit(cache=True)
def _gather(spectrum, frequency, kind, p, q, s, out):
    """out_k = sum over the rings of the radial parts against the angular spectrum of (v_r, v_theta, s)."""
    for k in range(len(out)):
        m = frequency[k]
        turn = -1j if kind[k] == 0 else 1j
        along, across = (0, 1) if kind[k] == 0 else (1, 0)
        total = 0j
        for i in range(p.shape[1]):
            total += p[k, i] * spectrum[along, i, m] + s[k, i] * spectrum[2, i, m]
            total += turn * q[k, i] * spectrum[across, i, m]
        out[k] = total
