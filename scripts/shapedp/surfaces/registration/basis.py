"""An orthonormal basis of the vector fields on the disk that are tangent to its boundary, smooth at the center.

    gradients  b = grad phi,   phi = N J_m(k r) e^(i m theta), J'_m(k) = 0   (Neumann eigenfunctions)
    rotations  b = grad^perp psi = (-psi_y, psi_x),   J_m(k) = 0              (Dirichlet eigenfunctions)

with eigenvalue lambda = k^2, N such that the integral of |b|^2 is 1; div b = -k^2 phi for the first kind, 0 for the
second. Each m > 0 stands for two real fields, cos and sin: a complex coefficient C = c_cos - i c_sin stands for
Re(C phi). Fields separate into radius and angle, so sums over the basis are short sums over each, of few frequencies: a
Fourier transform would give many more.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from shapedp.base.storage.loops import loop
from shapedp.surfaces import polar
from shapedp.surfaces.topology import dot

# The interval of a quarter that brackets a zero is halved until Newton's method surely ends there, which then squares
# what is left in each step.
HALVINGS, NEWTON_STEPS = 4, 4


@dataclass(frozen=True)
class Modes:
    """The first modes by eigenvalue: angular frequency m, wave number k, kind (0 gradient, 1 rotation), each (K',)."""

    frequency: np.ndarray
    wave: np.ndarray
    kind: np.ndarray

    @property
    def eigenvalues(self):
        """Return (K',), lambda = k^2."""
        return self.wave**2

    @property
    def real_size(self):
        """Return K, the number of real fields."""
        return int((self.frequency > 0).sum() + len(self.frequency))


@lru_cache(maxsize=8)
def modes(size):
    """Return the Modes of the smoothest vector fields on the disk, at least `size` real ones, by which a surface is
    deformed.

    They are sorted by eigenvalue.
    """
    reach = 1.5 * np.sqrt(size) + 5  # by Weyl's law the two kinds have about k^2 / 2 fields below k
    zeros = [bessel_zeros(reach, derivative=kind == 0) for kind in (0, 1)]
    listed_modes = sorted(
        (k, m, kind) for kind in (0, 1) for m, wave_numbers in enumerate(zeros[kind]) for k in wave_numbers
    )
    sizes = np.cumsum([2 if m else 1 for _, m, _ in listed_modes])
    wave, frequency, kind = map(np.array, zip(*listed_modes[: np.searchsorted(sizes, size) + 1], strict=True))
    return Modes(frequency, wave, kind)


def bessel(order, x):
    """Return J_m(x) for m = 0..order, (order + 1, *x.shape), of which the disk's modes consist, without importing
    scipy.special.

    |x| is at most some hundreds. Bessel's integral by equal steps,

    J_m(x) = 1/N sum_j cos(m t_j - x sin t_j),  t_j = 2 pi j/N,

    is off by J_(N - m)(x): nothing, for N well beyond m + x. By a Fourier transform for all m at once; a step's process
    starts in half the time that scipy's functions take to be imported.
    """
    x = np.asarray(x, dtype=float)
    largest = np.max(np.abs(x), initial=1.0)
    count = 2 ** int(np.ceil(np.log2(order + largest + 12 * largest ** (1 / 3) + 20)))
    waves = np.exp(1j * x[..., None] * np.sin(2 * np.pi * np.arange(count) / count))
    return np.moveaxis(np.fft.fft(waves, axis=-1).real[..., : order + 1] / count, -1, 0)


def bessel_zeros(reach, derivative):
    """Return the positive zeros of J_m, or of J'_m, up to `reach`, the wave numbers of modes that fit the disk's
    boundary.

    One array for each m = 0, 1, ... up to `reach`. They lie beyond x = m and more than 2 apart: bracketed on a grid,
    halved a few times, and then by Newton's method, with J'' = -J'/x - (1 - m^2/x^2) J.
    """
    order = int(reach)
    low = np.arange(0.25, reach, 0.25)
    values = _evaluate_both(order, np.append(low, low[-1] + 0.25))[int(derivative)]
    between = np.sign(values[:, :-1]) != np.sign(values[:, 1:])
    m, at = np.nonzero(between & (low >= np.arange(order + 1)[:, None]))
    a, b, sign = low[at], low[at] + 0.25, np.sign(values[m, at])
    for _ in range(HALVINGS):
        middle = (a + b) / 2
        is_left = np.sign(_evaluate_both(order, middle)[int(derivative)][m, np.arange(len(m))]) == sign
        a, b = np.where(is_left, middle, a), np.where(is_left, b, middle)
    x = (a + b) / 2
    for _ in range(NEWTON_STEPS):
        j, slope = (part[m, np.arange(len(m))] for part in _evaluate_both(order, x))
        x = x - (slope / (-slope / x - (1 - (m / x) ** 2) * j) if derivative else j / slope)
    return [x[(m == own_order) & (x <= reach)] for own_order in range(order + 1)]


def _evaluate_both(order, x):
    """Return Bessel functions and slopes (J_m(x), J'_m(x)) for m = 0..order, whose zeros `bessel_zeros` looks for."""
    values = bessel(order + 1, x)
    return values[:-1], _find_slopes(values)[:-1]


def _find_slopes(values):
    """Return the slopes of Bessel functions J_0..J_M from their values, for modes of the disk and their wave numbers.

    J'_m = (J_(m-1) - J_(m+1))/2, J'_0 = -J_1; that of the last is not known.
    """
    slopes = np.empty_like(values)
    slopes[0] = -values[1]
    slopes[1:-1] = (values[:-2] - values[2:]) / 2
    slopes[-1] = np.nan
    return slopes


def radial_parts(modes, r):
    """Return (P, Q, S), each (R, K'): the modes along a radius, from which the basis is summed ring by ring.

    With phi = N J_m(k r) e^(i m theta), P = d/dr, Q = m/r, S = -k^2 (rotations: S = 0).

    gradients: b_r = P, b_theta = i Q;  rotations: b_r = -i Q, b_theta = P;  div b = S; each times e^(i m theta).
    """
    m, k = modes.frequency, modes.wave
    values, numbers = bessel(int(m.max()) + 1, np.append(r, 1.0)[:, None] * k), np.arange(len(m))
    j, slope = values[m, :, numbers].T, _find_slopes(values)[m, :, numbers].T
    at_rim = np.where(modes.kind == 0, (1 - (m / k) ** 2) * j[-1] ** 2, slope[-1] ** 2)
    scale = 1 / (k * np.sqrt(at_rim * np.pi / np.where(m == 0, 1, 2)))
    value = scale * j[:-1]
    return scale * k * slope[:-1], m * value / r[:, None], np.where(modes.kind == 0, -(k**2) * value, 0.0)


# Rays, or frequencies, of which sums are taken at once, so that a sum is read and written once for four terms. There
# are always a multiple of so many, some of them 0.
TOGETHER = 4


class Basis:
    """The basis on a polar grid, with its sums over modes and over the grid.

    Loops take a field in rays, see `polar.in_rays`. The rays at theta, -theta, pi - theta and pi + theta have the same
    cosines and sines, but for their signs: all sums are over a quarter of the circle, of rays added and subtracted,
    and over the even frequencies and the odd ones.
    """

    def __init__(self, modes, grid):
        if modes.frequency.max() >= grid.angles // 2:
            raise ValueError(
                f"{grid.angles} angles cannot carry frequency {modes.frequency.max()}; take a smaller basis"
            )
        if grid.angles % 4:
            raise ValueError(f"the angles of a basis must be a multiple of 4, got {grid.angles}")
        self.modes, self.grid = modes, grid
        self.p, q, self.s = (np.ascontiguousarray(part.T) for part in radial_parts(modes, grid.r))
        self.q = np.where(modes.kind == 0, 1.0, -1.0)[:, None] * q
        sizes = np.where(modes.frequency > 0, 2, 1)
        self.place = np.cumsum(sizes) - sizes
        self.real = np.flatnonzero(np.column_stack([np.ones_like(modes.frequency), modes.frequency]).ravel() > 0)
        # The even frequencies and the odd ones have each a table of their own, since on the opposite ray the odd ones
        # alone change sign.
        frequencies, rays = _pad_count(modes.frequency.max() // 2 + 1), grid.angles // 4 + 1
        order = np.arange(2 * frequencies).reshape(frequencies, 2).T  # the even ones, the odd ones
        turn = order[..., None] * np.arange(_pad_count(rays)) * (2 * np.pi / grid.angles)
        self.cos, self.sin = np.cos(turn), np.sin(turn)
        self.cos[..., rays:] = self.sin[..., rays:] = 0
        self.by_ray = tuple(np.ascontiguousarray(np.swapaxes(part, 1, 2)) for part in (self.cos, self.sin))

    def field(self, c):
        """Return v = sum_k c_k b_k on the grid, (R, T, 2) Cartesian: the deformation that coefficients (K,) stand
        for.
        """
        return polar.from_rays(self.field_in_rays(c), 2)

    def field_in_rays(self, c):
        """Return v = sum_k c_k b_k on the grid, in rays (T, 2 R): the deformation that coefficients (K,) stand for."""
        return _sum_field(
            c, self.modes.frequency, self.modes.kind, self.place, self.p, self.q, *self.by_ray, self.grid.angles
        )

    def products(self, vector):
        """Return the integrals of v . b_k, (K,), for a field v (R, T, 2): its coefficients in the basis."""
        return self.products_in_rays(polar.in_rays(vector))

    def products_in_rays(self, fields):
        """Return the integrals of v . b_k + s div b_k, (K,), by which a descent has its slope along each deformation
        b_k.

        fields : (v, s) in rays (T, 3 R), or v alone (T, 2 R)
        """
        modes = self.modes
        return _integrate_products(
            fields,
            modes.frequency,
            modes.kind,
            self.place,
            self.p,
            self.q,
            self.s,
            self.grid.weights,
            self.cos,
            self.sin,
        )


def _pad_count(count):
    """Return a count made a multiple of TOGETHER, so that loops take so many at once to the end."""
    return -(-count // TOGETHER) * TOGETHER


@loop(fastmath={"contract"})
def _add_four_products(a, b, rows, n, out, other):
    """Add four products at once to two sums of a registration's deformation: the inner loop of `_add_sums`.

    To out the sum over j < TOGETHER of a_(n + j) rows_(n + j) is added, and to other the same of b.
    """
    first, second, third, fourth = rows[n], rows[n + 1], rows[n + 2], rows[n + 3]
    a0, a1, a2, a3 = a[n], a[n + 1], a[n + 2], a[n + 3]
    b0, b1, b2, b3 = b[n], b[n + 1], b[n + 2], b[n + 3]
    for i in range(len(out)):
        out[i] += (a0 * first[i] + a1 * second[i]) + (a2 * third[i] + a3 * fourth[i])
        other[i] += (b0 * first[i] + b1 * second[i]) + (b2 * third[i] + b3 * fourth[i])


@loop
def _add_sums(table, rows, out):
    """Add up a registration's waves over rays or frequencies, for `_sum_field` and `_integrate_products`.

    To out_k the sum over n of table_kn rows_n is added, for two k at once, and TOGETHER n.
    """
    for k in range(0, len(out), 2):
        for n in range(0, len(rows), TOGETHER):
            _add_four_products(table[k], table[k + 1], rows, n, out[k], out[k + 1])


@loop
def _sum_field(c, frequency, kind, place, p, q, cos, sin, angles):
    """Return the deformation v of the disk that coefficients c stand for, in rays, as registration tries many.

    It is the compiled part of `Basis.field_in_rays`.

    With C = c_cos - i c_sin it is along a mode Re(C p e^(i m theta)), across it Re(i C q e^(i m theta)).

    cos, sin : (2, rays, frequencies) those of even and of odd ones

    kind : gradients (0) are radial along p and around across it, rotations (1) the other way; q has its sign
    """
    rings, quarter, width, count = p.shape[1], angles // 4, 2 * p.shape[1], cos.shape[2]
    v = np.empty((angles, width))
    of_cos, of_sin = np.zeros((2, count, width)), np.zeros((2, count, width))
    for k in range(len(frequency)):
        m, odd = frequency[k] // 2, frequency[k] % 2
        along, across = (0, rings) if kind[k] == 0 else (rings, 0)
        _add_mode(c[place[k]], p[k], q[k], 1.0, of_cos[odd, m, along:], of_sin[odd, m, across:])
        if frequency[k] > 0:
            _add_mode(c[place[k] + 1], p[k], q[k], -1.0, of_sin[odd, m, along:], of_cos[odd, m, across:])
    even, odd = np.zeros((2, cos.shape[1], width)), np.zeros((2, cos.shape[1], width))
    for parity in range(2):
        _add_sums(cos[parity], of_cos[parity], even[parity])
        _add_sums(sin[parity], of_sin[parity], odd[parity])
    x, y = cos[1, :, 0], sin[1, :, 0]  # of the frequency 1: of the angle itself
    for k in range(quarter + 1):
        _write_field_on_ray(even[0, k], even[1, k], odd[0, k], odd[1, k], 1.0, 1.0, x[k], y[k], v[k])
        if k > 0:
            _write_field_on_ray(even[0, k], even[1, k], odd[0, k], odd[1, k], 1.0, -1.0, x[k], -y[k], v[angles - k])
        if k < quarter:
            _write_field_on_ray(
                even[0, k], even[1, k], odd[0, k], odd[1, k], -1.0, 1.0, -x[k], -y[k], v[2 * quarter + k]
            )
            if k > 0:
                _write_field_on_ray(
                    even[0, k], even[1, k], odd[0, k], odd[1, k], -1.0, -1.0, -x[k], y[k], v[2 * quarter - k]
                )
    return v


@loop
def _add_mode(c, p, q, sign, along, across):
    """Add one mode of a registration's deformation, at coefficient c, to the sums of `_sum_field`.

    c p is added to what is along the mode, -sign c q to what is across it, a quarter of a turn apart.
    """
    other = -sign * c
    for i in range(len(p)):
        along[i] += c * p[i]
        across[i] += other * q[i]


@loop
def _write_field_on_ray(even, odd, even_sines, odd_sines, far, below, cos, sin, v):
    """Write a registration's deformation on one ray, v (2 R,), in Cartesian components, for `_sum_field`.

    It is made of that function's sums of cosines and of sines. They are of radial components and of those around, of
    even and of odd frequencies.

    far : -1 on the other side of the center; below : -1 where sines have the other sign than at the ray between 0 and
    pi/2, beside what `far` says
    """
    rings = len(v) // 2
    x, y = v[:rings], v[rings:]
    for i in range(rings):
        n = i + rings
        radial = (even[i] + far * odd[i]) + below * (even_sines[i] + far * odd_sines[i])
        around = (even[n] + far * odd[n]) + below * (even_sines[n] + far * odd_sines[n])
        x[i], y[i] = cos * radial - sin * around, sin * radial + cos * around


@loop
def _integrate_products(fields, frequency, kind, place, p, q, s, weights, cos, sin):
    """Return the integrals (K,) of fields with the basis, by which a registration has its slope along each deformation.

    It is the compiled loop of `products_in_rays`, folded onto a quarter of the circle.
    """
    angles, rings = len(fields), p.shape[1]
    products = np.empty(len(frequency) + np.count_nonzero(frequency))
    quarter, width, count = angles // 4, fields.shape[1], cos.shape[1]
    even, odd = np.zeros((2, cos.shape[2], width)), np.zeros((2, cos.shape[2], width))
    x, y, turned_rays, row = cos[1, 0], sin[1, 0], np.empty((4, width)), np.empty(width)
    for n in range(width):
        row[n] = weights[n % rings]
    for k in range(quarter + 1):
        # On these two rays two of the four that are folded together are one and the same, and each would count twice.
        share = 0.5 if k in (0, quarter) else 1.0
        _turn_ray(fields[k], x[k], y[k], rings, row, share, turned_rays[0])
        _turn_ray(fields[(angles - k) % angles], x[k], -y[k], rings, row, share, turned_rays[1])
        _turn_ray(fields[2 * quarter - k], -x[k], y[k], rings, row, share, turned_rays[2])
        _turn_ray(fields[(2 * quarter + k) % angles], -x[k], -y[k], rings, row, share, turned_rays[3])
        _fold_rays(
            turned_rays[0], turned_rays[1], turned_rays[2], turned_rays[3], even[0, k], even[1, k], odd[0, k], odd[1, k]
        )
    of_cos, of_sin = np.zeros((2, count, width)), np.zeros((2, count, width))
    for parity in range(2):
        _add_sums(cos[parity], even[parity], of_cos[parity])
        _add_sums(sin[parity], odd[parity], of_sin[parity])
    for k in range(len(frequency)):
        m, parity = frequency[k] // 2, frequency[k] % 2
        cos_sums, sin_sums = of_cos[parity, m], of_sin[parity, m]
        along, across = (0, rings) if kind[k] == 0 else (rings, 0)
        a = dot(p[k], cos_sums[along : along + rings]) - dot(q[k], sin_sums[across : across + rings])
        b = dot(p[k], sin_sums[along : along + rings]) + dot(q[k], cos_sums[across : across + rings])
        if width > 2 * rings and kind[k] == 0:
            a += dot(s[k], cos_sums[2 * rings :])
            b += dot(s[k], sin_sums[2 * rings :])
        products[place[k]] = a
        if frequency[k] > 0:
            products[place[k] + 1] = b
    return products


@loop
def _turn_ray(ray, cos, sin, rings, weights, share, out):
    """Write a ray of a field as a registration's slope is integrated from it, by `_integrate_products`.

    It is its radial components, those around, and scalars, if any, times weights and a share.

    cos, sin : of the ray's angle
    """
    x, y, radial, around = ray[:rings], ray[rings:], out[:rings], out[rings:]
    for i in range(rings):
        w = weights[i] * share
        radial[i], around[i] = w * (cos * x[i] + sin * y[i]), w * (cos * y[i] - sin * x[i])
    for i in range(2 * rings, len(ray)):
        out[i] = weights[i] * share * ray[i]


@loop
def _fold_rays(right, below, left, beyond, even, odd, even_sines, odd_sines):
    """Write what four rays of a field add to a registration's slope, at once, for the sums of `_integrate_products`.

    They have the same cosines and sines but for signs: they lie at theta, -theta, pi - theta, pi + theta. The sums are
    of cosines and sines, of even and odd waves.
    """
    for i in range(len(right)):
        near, far, up, down = right[i] + below[i], left[i] + beyond[i], right[i] - below[i], beyond[i] - left[i]
        even[i], odd[i], even_sines[i], odd_sines[i] = near + far, near - far, up + down, up - down
