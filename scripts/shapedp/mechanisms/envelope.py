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


def linear(manifold, sigma, stop):
    """Envelope for decay = t / sigma on [0, stop]; stop may be inf."""
    knots = _knots(manifold, sigma, stop)
    start = knots[:-1]
    return Envelope(knots, -start[None] / sigma, np.full((1, len(start)), -1 / sigma), *_area(manifold, knots))


def gradient(manifold, sigma, r, distances, reach):
    """Envelope for decay = L(t) / sigma, L(t) = (1/n) sum_i int_0^t g(min(d_i + u, 2r)) du <= |grad F|, g = h_max.

    distances : (A, n) d_i from the anchor to the data; reach : (A,) largest t that lies in the ball
    The line used is below L: g falls, so d_i may be rounded up; g is concave, so on a cell the trapezium is below the
    integral (the right end where the cell holds the kink at 2r); L is concave, so the chord is below it.
    """
    knots = _knots(manifold, sigma, 2 * r)
    start = knots[:-1]
    shares = _histogram(np.clip(np.ceil(distances / (2 * r) * _BINS), 0, _BINS).astype(int))
    slope = shares @ _mean_hessian(manifold, r, knots)
    value = np.cumsum(slope * np.diff(knots), axis=-1)
    value = np.concatenate([np.zeros((len(slope), 1)), value[:, :-1]], axis=-1)
    decay = np.where(start < reach[:, None], -value / sigma, -np.inf)
    return Envelope(knots, decay, -slope / sigma, *_area(manifold, knots))


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


def _area(manifold, knots):
    return manifold.area_bound(knots[:-1], knots[1:])
