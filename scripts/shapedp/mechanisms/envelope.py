"""Proposals of a radius: a piecewise exponential bound of exp(-decay(t)) · (volume of the sphere of radius t).

On each cell between two knots the log of the bound is a line, the sum of two: minus the decay, and the log area.
Where both bounds hold, accepting with the ratio of truth to bound draws the truth exactly.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.manifolds.curvature import h_max

# Cells grow by the ratio exp(spacing): a tangent to (D - 1) log t is then within (D - 1) spacing² / 8 < 0.02 of it.
_SPACING = 0.4
_WIDEST = 0.1
_FIRST = 1e-2  # first knot, in units of sigma
_BINS = 512  # distances d_i are rounded up to a multiple of 2r / _BINS


@dataclass(frozen=True)
class Envelope:
    """knots (N + 1,), the last may be inf; lines value + slope (t - knot), decay (A, N) per data set, area (N,)."""

    knots: np.ndarray
    decay_value: np.ndarray
    decay_slope: np.ndarray
    area_value: np.ndarray
    area_slope: np.ndarray

    def draw(self, rng, rows, width):
        """Radii for the data sets `rows` (a,): t, decay line and area line at t, each (a, width)."""
        slope = self.decay_slope[rows] + self.area_slope
        span = np.diff(self.knots)
        mass = np.cumsum(_cell_masses(self.decay_value[rows] + self.area_value, slope, span), axis=-1)
        cell = _choose(mass / mass[:, -1:], rng.random((len(rows), width)))
        row = np.arange(len(rows))[:, None]
        steep = slope[row, cell]
        t = self._within(cell, steep, rng.random(cell.shape))
        offset = t - self.knots[cell]
        decay = self.decay_value[rows[:, None], cell] + self.decay_slope[rows[:, None], cell] * offset
        return t, decay, self.area_value[cell] + self.area_slope[cell] * offset

    def _within(self, cell, slope, u):
        """Inverse of the distribution function of exp(slope t) on the cell."""
        start, stop = self.knots[cell], self.knots[cell + 1]
        steep = np.maximum(np.abs(slope), np.finfo(float).tiny)
        flat = steep * (stop - start) < 1e-9
        depth = np.log1p(u * np.expm1(-steep * (stop - start))) / steep
        ends = np.where(slope < 0, start - depth, stop + depth)
        return np.where(flat, start + u * np.where(flat, stop - start, 0.0), ends)


def _cell_masses(value, slope, span):
    """Integrals of exp(value + slope (t - knot)) over cells, up to one factor a row."""
    rise = slope * span
    steep = np.abs(rise) > 1e-9
    safe = np.where(steep, np.abs(slope), 1.0)
    log_width = np.where(steep, np.log(-np.expm1(-np.where(steep, np.abs(rise), 1.0)) / safe), np.log(span))
    log_mass = value + np.maximum(rise, 0.0) + log_width
    return np.exp(log_mass - log_mass.max(axis=-1, keepdims=True))


def _choose(cumulative, u):
    """For each row, the cells that hold the quantiles u: cumulative (a, N), u (a, b) -> (a, b)."""
    row = np.arange(len(u))[:, None]
    flat = np.searchsorted((cumulative + row).ravel(), (u + row).ravel(), side="right").reshape(u.shape)
    return np.clip(flat - row * cumulative.shape[-1], 0, cumulative.shape[-1] - 1)


def linear(manifold, sigma, stop, shifts):
    """Envelope for decay = (t - a)+ / sigma on [0, stop], a each of the shifts (A,); stop may be inf where a = 0."""
    knots = _knots(manifold, sigma, stop)
    return _envelope(manifold, knots, np.broadcast_to(knots, (len(shifts), len(knots))), shifts, sigma)


def gradient(manifold, sigma, r, distances, reach, shifts):
    """Envelope for decay = L((t - a)+) / sigma, L(t) = (1/n) sum_i int_0^t g(min(d_i + u, 2r)) du, g = h_max.

    distances : (A, n) d_i from the mean to the data; reach : (A,) largest t that lies in the ball; shifts : (A,) a
    The line used is below L: g falls, so d_i may be rounded up; g is concave, so on a cell the trapezium is below the
    integral (the right end where the cell holds the kink at 2r); L is concave, so the chord is below it.
    """
    knots = _knots(manifold, sigma, reach.max())
    shares = _histogram(np.clip(np.ceil(distances / (2 * r) * _BINS), 0, _BINS).astype(int))
    rises = shares @ _mean_hessian(manifold, r, knots) * np.diff(knots)
    floor = np.concatenate([np.zeros((len(rises), 1)), np.cumsum(rises, axis=-1)], axis=-1)
    return _envelope(manifold, knots, floor, shifts, sigma)


def _envelope(manifold, knots, floor, shifts, sigma):
    """Lines under the concave `floor` (A, N + 1), given at the knots and moved to the right by the shifts (A,)."""
    width = np.diff(knots)
    place = np.maximum(knots - shifts[:, None], 0.0)
    cell = np.clip(np.searchsorted(knots, place, side="right") - 1, 0, len(width) - 1)
    row = np.arange(len(floor))[:, None]
    moved = floor[row, cell] + _slopes(floor, width)[row, cell] * _finite(place - knots[cell])
    # no slope where the cell holds the corner at t = a, from which the floor rises
    corner = (knots[:-1] < shifts[:, None]) & (knots[1:] > shifts[:, None])
    slope = np.where(corner, 0.0, _slopes(moved, width))
    return Envelope(knots, -moved[:, :-1] / sigma, -slope / sigma, *manifold.area_bound(knots[:-1], knots[1:]))


def _slopes(values, width):
    """Slopes between knots; 1 on the last cell where it has no end."""
    return np.where(np.isfinite(width), _finite(np.diff(values, axis=-1)) / _finite(width, 1.0), 1.0)


def _finite(a, other=0.0):
    return np.where(np.isfinite(a), a, other)


def _mean_hessian(manifold, r, knots):
    """Lower bound of the mean of g(min(b + t, 2r)) over each cell, for each rounded distance b: (_BINS + 1, N)."""
    _, kappa = manifold.curvature_bounds()
    far = np.linspace(0, 2 * r, _BINS + 1)[:, None] + knots
    g = h_max(np.minimum(far, 2 * r), kappa)
    kink = (far[:, :-1] < 2 * r) & (far[:, 1:] > 2 * r)
    return np.where(kink, g[:, 1:], (g[:, :-1] + g[:, 1:]) / 2)


def _histogram(bins):
    """Shares of the bins in each row: (A, n) integers -> (A, _BINS + 1)."""
    rows = np.arange(len(bins))[:, None] * (_BINS + 1)
    counts = np.bincount((bins + rows).ravel(), minlength=len(bins) * (_BINS + 1))
    return counts.reshape(len(bins), _BINS + 1) / bins.shape[-1]


def _knots(manifold, sigma, stop):
    """0, then geometric to `stop`; where stop = inf, to twice the peak of the last cell's bound, then inf."""
    end = stop
    if not np.isfinite(stop):
        end = 2 * manifold.dim / (1 / sigma - manifold.growth)
    spacing = min(_SPACING / np.sqrt(manifold.dim), _WIDEST)
    first = min(_FIRST * sigma, end / 2)
    inner = np.geomspace(first, end, int(np.ceil(np.log(end / first) / spacing)) + 1)
    return np.concatenate([[0.0], inner, [] if np.isfinite(stop) else [np.inf]])
