"""An orthonormal basis of the vector fields on the disk that are tangent to its boundary, smooth at the center.

    gradients  b = grad phi,   phi = N J_m(k r) e^(i m theta), J'_m(k) = 0   (Neumann eigenfunctions)
    rotations  b = grad^perp psi = (-psi_y, psi_x),   J_m(k) = 0              (Dirichlet eigenfunctions)

with eigenvalue lambda = k^2, N such that the integral of |b|^2 is 1; div b = -k^2 phi for the first kind, 0 for the
second. Each m > 0 stands for two real fields, cos and sin: a complex coefficient C = c_cos - i c_sin stands for
Re(C phi). Fields separate into radius and angle, so sums over the basis are short sums after an FFT in the angle.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from shapedp.storage.loops import loop

HALVINGS, NEWTON_STEPS = 4, 4  # of an interval of a quarter; then Newton squares what is left


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
    zeros = [bessel_zeros(reach, derivative=kind == 0) for kind in (0, 1)]
    found = sorted((k, m, kind) for kind in (0, 1) for m, every in enumerate(zeros[kind]) for k in every)
    sizes = np.cumsum([2 if m else 1 for _, m, _ in found])
    wave, frequency, kind = (
        np.array(column) for column in zip(*found[: np.searchsorted(sizes, size) + 1], strict=True)
    )
    return Modes(frequency, wave, kind)


def bessel(order, x):
    """J_m(x) for m = 0..order, (order + 1, *x.shape), |x| at most some hundreds: Bessel's integral by equal steps,

        J_m(x) = 1/N sum_j cos(m t_j - x sin t_j),  t_j = 2 pi j/N,

    which is off by J_(N - m)(x): nothing, for N well beyond m + x. By a Fourier transform for all m at once; a step's
    process starts in half the time that scipy's functions take to be imported.
    """
    x = np.asarray(x, dtype=float)
    largest = np.max(np.abs(x), initial=1.0)
    count = 2 ** int(np.ceil(np.log2(order + largest + 12 * largest ** (1 / 3) + 20)))
    waves = np.exp(1j * x[..., None] * np.sin(2 * np.pi * np.arange(count) / count))
    return np.moveaxis(np.fft.fft(waves, axis=-1).real[..., : order + 1] / count, -1, 0)


def bessel_zeros(reach, derivative):
    """The positive zeros of J_m, or of J'_m, up to `reach`: one array for each m = 0, 1, ... up to `reach`.

    They lie beyond x = m and more than 2 apart: bracketed on a grid, halved a few times, and then by Newton's method,
    with J'' = -J'/x - (1 - m^2/x^2) J.
    """
    order = int(reach)
    low = np.arange(0.25, reach, 0.25)
    values = _bessel_or_slope(order, np.append(low, low[-1] + 0.25), derivative)
    between = np.sign(values[:, :-1]) != np.sign(values[:, 1:])
    m, at = np.nonzero(between & (low >= np.arange(order + 1)[:, None]))
    a, b, sign = low[at], low[at] + 0.25, np.sign(values[m, at])
    for _ in range(HALVINGS):
        middle = (a + b) / 2
        left = np.sign(_bessel_or_slope(order, middle, derivative)[m, np.arange(len(m))]) == sign
        a, b = np.where(left, middle, a), np.where(left, b, middle)
    x = (a + b) / 2
    for _ in range(NEWTON_STEPS):
        j, slope = (part[m, np.arange(len(m))] for part in _both(order, x))
        x = x - (slope / (-slope / x - (1 - (m / x) ** 2) * j) if derivative else j / slope)
    return [x[(m == one) & (x <= reach)] for one in range(order + 1)]


def _both(order, x):
    """(J_m(x), J'_m(x)) for m = 0..order."""
    values = bessel(order + 1, x)
    return values[:-1], _slopes(values)[:-1]


def _bessel_or_slope(order, x, derivative):
    return _both(order, x)[int(derivative)]


def _slopes(values):
    """J'_m = (J_(m-1) - J_(m+1))/2, J'_0 = -J_1, of J_m for m = 0..M; that of the last is not known."""
    slopes = np.empty_like(values)
    slopes[0] = -values[1]
    slopes[1:-1] = (values[:-2] - values[2:]) / 2
    slopes[-1] = np.nan
    return slopes


def radial_parts(modes, r):
    """(P, Q, S), each (R, K'): with phi = N J_m(k r) e^(i m theta), P = d/dr, Q = m/r, S = -k^2 (S = 0 for rotations).

    gradients: b_r = P, b_theta = i Q;  rotations: b_r = -i Q, b_theta = P;  div b = S; each times e^(i m theta).
    """
    m, k = modes.frequency, modes.wave
    j, slope = _values_and_slopes(m, np.append(r, 1.0)[:, None] * k)
    at_rim = np.where(modes.kind == 0, (1 - (m / k) ** 2) * j[-1] ** 2, slope[-1] ** 2)
    scale = 1 / (k * np.sqrt(at_rim * np.pi / np.where(m == 0, 1, 2)))
    value = scale * j[:-1]
    return scale * k * slope[:-1], m * value / r[:, None], np.where(modes.kind == 0, -(k**2) * value, 0.0)


def _values_and_slopes(m, x):
    """J_m(x) and J'_m(x) for orders m (K',) and x (R, K')."""
    values = bessel(int(m.max()) + 1, x)
    each = np.arange(len(m))
    return values[m, :, each].T, _slopes(values)[m, :, each].T


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
        spectrum = np.zeros((2, modes.frequency.max() + 1, grid.rings), dtype=complex)
        _spread(self.unpack(c) * (grid.angles / 2), modes.frequency, modes.kind, self.p, self.q, spectrum)
        spectrum[:, 0] *= 2
        radial, around = np.fft.irfft(spectrum.transpose(0, 2, 1), grid.angles, axis=2)
        cos, sin = np.cos(grid.theta), np.sin(grid.theta)
        v = np.empty((grid.rings, grid.angles, 2))
        v[..., 0], v[..., 1] = cos * radial - sin * around, sin * radial + cos * around
        return v

    def products(self, vector, scalar=None):
        """The integrals of v . b_k + s div b_k, (K,), for a field v (R, T, 2) and a scalar field s (R, T), or 0."""
        modes, grid = self.modes, self.grid
        cos, sin = np.cos(grid.theta), np.sin(grid.theta)
        fields = np.empty((2 if scalar is None else 3, grid.rings, grid.angles))
        fields[0] = cos * vector[..., 0] + sin * vector[..., 1]
        fields[1] = cos * vector[..., 1] - sin * vector[..., 0]
        if scalar is not None:
            fields[2] = scalar
        spectrum = np.fft.rfft(fields * grid.weights[:, None], axis=2)[..., : modes.frequency.max() + 1]
        spectrum = np.ascontiguousarray(spectrum.transpose(0, 2, 1))  # the rings of a frequency together
        gathered = np.empty(len(modes.frequency), dtype=complex)
        _gather(spectrum, modes.frequency, modes.kind, self.p, self.q, self.s, gathered)
        return self.pack(gathered)


@loop
def _spread(c, frequency, kind, p, q, spectrum):
    """Add each mode's radial parts to the angular spectrum of (b_r, b_theta)."""
    for k in range(len(c)):
        m = frequency[k]
        turned = 1j * c[k] if kind[k] == 0 else -1j * c[k]
        along, across = (0, 1) if kind[k] == 0 else (1, 0)
        for i in range(p.shape[1]):
            spectrum[along, m, i] += c[k] * p[k, i]
            spectrum[across, m, i] += turned * q[k, i]


@loop
def _gather(spectrum, frequency, kind, p, q, s, out):
    """out_k = sum over the rings of the radial parts against the spectrum (2 | 3, M, R) of (v_r, v_theta, s)."""
    for k in range(len(out)):
        m = frequency[k]
        turn = -1j if kind[k] == 0 else 1j
        along, across = (0, 1) if kind[k] == 0 else (1, 0)
        total = 0j
        for i in range(p.shape[1]):
            total += p[k, i] * spectrum[along, m, i] + turn * q[k, i] * spectrum[across, m, i]
        if len(spectrum) > 2:
            for i in range(p.shape[1]):
                total += s[k, i] * spectrum[2, m, i]
        out[k] = total
