"""Map a part of a disk to a disk of its own: where the map of a whole surface is known, that of a part costs little.

The part is star-shaped about 0, its boundary at r = rho(phi), and f(w) = w exp(h(w)) the conformal map of the disk onto
it: docs/mathematics.md, "The map of a part" (Theodorsen 1931; Gaier, Konstruktive Methoden der konformen Abbildung,
1964). Near its end the iteration is linear, with eigenvalues on the imaginary axis up to e = max |rho'/rho|: with steps
shortened by 1/(1 + e^2) it converges there whatever e is (Niethammer 1966).
"""

from dataclasses import dataclass

import numpy as np

from shapedp.surfaces import polar, table

MOST_STEPS, TOLERANCE = 400, 1e-6
# |rho'/rho| beyond which the iteration, whose steps are shortened by it, is not begun.
STEEPEST = 4.0
# Of the fixed point that inverts the map, at most, and where it ends.
ROUNDS, CLOSE = 15, 1e-4
# Rings and angles of the coarse grid on which it is inverted.
TABLE = 48, 128


@dataclass(frozen=True)
class InnerDisk:
    """A part of the disk, and the conformal map onto it; spectrum : (N,) coefficients of h, in powers of w."""

    spectrum: np.ndarray

    def logarithm(self, r, angles):
        """Return h, in which the map onto the part is w exp(h(w)), at polar points: places and stretch are made of it.

        It is (len(r), angles) complex, at the radii r and as many equal angles.
        """
        coefficients = self.spectrum[: angles // 2]
        powers = coefficients * np.asarray(r)[:, None] ** np.arange(len(coefficients))
        return np.fft.ifft(powers, angles, axis=1) * angles

    def places(self, grid, step=1):
        """Return (R, T, 2), where in the whole disk a polar grid's points read the part, to register it alone.

        step : of every so many rings and angles alone
        """
        w = grid.points[::step, ::step] @ np.array([1, 1j])
        return _to_plane(w * np.exp(self.logarithm(grid.r[::step], grid.angles // step)))

    def stretch(self, grid, places):
        """Return (R, T), |f'| of the map at a polar grid's points, by which a square root normal field is carried onto
        the part.

        |f'| = |f(w) / w (1 + w h')|; places : where the map takes these points
        """
        order = np.arange(len(self.spectrum))
        # It is w h'(w), whose coefficients are those of h times their powers.
        turning = InnerDisk(order * self.spectrum).logarithm(grid.r, grid.angles)
        return np.hypot(places[..., 0], places[..., 1]) / grid.r[:, None] * np.abs(1 + turning)

    def inverse(self, grid, at=None):
        """Return (R, T, 2), where in the part's own disk points of the whole disk lie, to read a cut scan there.

        They are those of the whole disk's grid, or its places `at`.
        Where they lie outside of the part it is some continuation. By the fixed point of w = z exp(-h(w)) on a coarse
        grid, and splines between its points.
        """
        coarse = polar.polar_grid(TABLE[0], TABLE[1])
        looked_up = table.coefficients(_to_plane(self.logarithm(coarse.r, coarse.angles)), coarse)
        z = coarse.points @ np.array([1, 1j])
        w = z * np.exp(-self.spectrum[0])
        for _ in range(ROUNDS):
            before, w = w, z * np.exp(-(table.lookup(looked_up, _to_plane(w)) @ np.array([1, 1j])))
            if np.abs(w - before).max() < CLOSE:
                break
        spline = table.coefficients(_to_plane(w), coarse)
        places = table.lookup_grid(spline, grid.rings, grid.angles) if at is None else table.lookup(spline, at)
        return places / np.maximum(np.hypot(places[..., :1], places[..., 1:]), 1)


def _to_plane(z):
    """Return complex numbers as points (..., 2)."""
    return np.stack([z.real, z.imag], axis=-1)


def map_onto(rho):
    """Return the InnerDisk within radii rho (N,) at N equal angles, by which a part of a mapped scan needs no map of
    its own.

    None where its boundary is too steep for it.
    """
    count = len(rho)
    log = np.log(rho)
    step = 2 * np.pi / count
    steep = np.abs(np.roll(log, -1) - log).max() / step
    if steep > STEEPEST:
        return None
    share = 1 / (1 + steep**2)
    t = step * np.arange(count)
    padded, at = np.append(log, log[0]), np.arange(count + 1)
    conjugation = -1j * np.ones(count // 2 + 1)
    conjugation[[0, -1]] = 0
    phi = t
    for _ in range(MOST_STEPS):
        u = np.interp(phi / step % count, at, padded)
        spectrum = np.fft.rfft(u)
        again = t + np.fft.irfft(conjugation * spectrum, count)
        largest_step, phi = np.abs(again - phi).max(), phi + share * (again - phi)
        if largest_step < TOLERANCE:
            series = 2 * spectrum[:-1] / count
            series[0] /= 2
            return InnerDisk(series)
    return None


def find_radii(height, grid, center=0j):
    """Return (N,), rho, how far the part of the disk reaches in each direction that a scan is to be cut to.

    That is where a field height (R, T) is below 0, round `center`, moved to 0. Along each ray the part ends where it is
    first above; rho is 1 where it is nowhere.
    """
    angles, rings = grid.angles, grid.rings
    w = grid.points @ np.array([1, 1j])
    z = (w + center) / (1 + np.conj(center) * w)
    if center:
        height = table.lookup(table.coefficients(height[..., None], grid), _to_plane(z))[..., 0]
    above = height > 0
    first = np.where(above.any(axis=0), above.argmax(axis=0), rings)
    column = np.arange(angles)
    outer, inner = np.minimum(first, rings - 1), np.maximum(first - 1, 0)
    a, b = height[inner, column], height[outer, column]
    share = np.where(b > a, -a / np.where(b > a, b - a, 1), 0)
    rho = grid.r[inner] + np.clip(share, 0, 1) * (grid.r[outer] - grid.r[inner])
    return np.where(first == rings, 1.0, rho)


def place_around(inner, center, grid):
    """Return (R, T, 2), where the points of a grid lie in a disk, by the map onto a part round a center."""
    w = inner.places(grid) @ np.array([1, 1j])
    return _to_plane((w + center) / (1 + np.conj(center) * w))
