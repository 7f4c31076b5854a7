"""Exact draws by rejection from densities exp(-loss(x) / sigma), where loss(x) >= L(dist(x, mean)), for many data sets.

Records are checked and moved into the public ball first. A proposal has a uniform direction about a center, and a
radius from a piecewise exponential bound: on each cell between two knots its log is a line, the sum of two, minus the
decay and the log area. The mean is the better center where the noise is small beside the ball; the ball's center is
where the ball's edge holds the noise in.

Proof: docs/mathematics.md, (8.1).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease, Rejected, ShapedpError
from shapedp.privacy.accounting.sensitivity import check_count, check_normaliser
from shapedp.privacy.manifolds.frechet import check_radius, h_max

Floats, Whole, Mask = NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]

# Cells grow by the ratio exp(spacing): a tangent to (D - 1) log t is then within (D - 1) spacing² / 8 < 0.02 of it.
_SPACING = 0.4
# And no wider, where the dimension is low.
_WIDEST = 0.1
# First knot, in units of sigma.
_FIRST = 1e-2
# Distances d_i are rounded up to a multiple of 2r / _BINS, so that one table serves all records.
_BINS = 512


@dataclass(frozen=True)
class Envelope:
    """A piecewise exponential bound on the density of radii: its log is a sum of two lines on each cell.

    knots : (N + 1,), the last may be inf
    decay_value, decay_slope : (A, N) lines value + slope (t - knot) below minus the loss over sigma, for each data set
    area_value, area_slope : (N,) lines above the log area
    """

    knots: np.ndarray
    decay_value: np.ndarray
    decay_slope: np.ndarray
    area_value: np.ndarray
    area_slope: np.ndarray

    def draw(self, rng: Any, rows: Whole, width: int) -> tuple[Floats, Floats, Floats]:
        """Return radii drawn from the envelope for the data sets `rows` (a,), and its two lines there, to accept by.

        That is t, the decay line and the area line at t, each (a, width).
        """
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
        """Return where in a cell a radius falls, by a uniform u: the inverse distribution function of exp(slope t)."""
        start, stop = self.knots[cell], self.knots[cell + 1]
        steep = np.maximum(np.abs(slope), np.finfo(float).tiny)
        flat = steep * (stop - start) < 1e-9
        depth = np.log1p(u * np.expm1(-steep * (stop - start))) / steep
        ends = np.where(slope < 0, start - depth, stop + depth)
        return np.where(flat, start + u * np.where(flat, stop - start, 0.0), ends)


def _cell_masses(value, slope, span):
    """Return the mass of each of an envelope's cells, by which one is drawn, up to one factor a row.

    It is the integral of exp(value + slope (t - knot)).
    """
    rise = slope * span
    steep = np.abs(rise) > 1e-9
    safe = np.where(steep, np.abs(slope), 1.0)
    log_width = np.where(steep, np.log(-np.expm1(-np.where(steep, np.abs(rise), 1.0)) / safe), np.log(span))
    log_mass = value + np.maximum(rise, 0.0) + log_width
    return np.exp(log_mass - log_mass.max(axis=-1, keepdims=True))


def _choose(cumulative, u):
    """Return the envelope's cells from which radii are proposed, (a, b): of each row, those that its uniforms fall in.

    cumulative : (a, N) shares of cells; u : (a, b) uniforms
    """
    row = np.arange(len(u))[:, None]
    flat = np.searchsorted((cumulative + row).ravel(), (u + row).ravel(), side="right").reshape(u.shape)
    return np.clip(flat - row * cumulative.shape[-1], 0, cumulative.shape[-1] - 1)


def linear_envelope(manifold: Any, sigma: float, stop: float, shifts: Floats) -> Envelope:
    """Return the Envelope from which radii of a Laplace law are proposed, decay = (t - a)+ / sigma on [0, stop].

    Parameters
    ----------
    manifold : Manifold
        Whose area bounds the density.
    sigma : float
        Scale of the law.
    stop : float
        The largest radius; it may be inf where a = 0.
    shifts : (A,) float
        a of each data set.
    """
    knots = _knots(manifold, sigma, stop)
    return _envelope(manifold, knots, np.broadcast_to(knots, (len(shifts), len(knots))), shifts, sigma)


def gradient_envelope(
    manifold: Any, sigma: float, r: float, distances: Floats, reach: Floats, shifts: Floats
) -> Envelope:
    """Return the Envelope from which radii of a K-norm gradient law are proposed, by a lower bound L of its loss.

    The decay is L((t - a)+) / sigma, L(t) = (1/n) sum_i int_0^t g(min(d_i + u, 2r)) du, and g = h_max. The line used is
    below L: g falls, so d_i may be rounded up; g is concave, so on a cell the trapezium is below the integral (the
    right end where the cell holds the kink at 2r); L is concave, so the chord is below it.

    Parameters
    ----------
    manifold : Manifold
        Whose curvature gives g.
    sigma : float
        Scale of the law.
    r : float
        The ball's radius.
    distances : (A, n) float
        d_i from the mean to the data.
    reach : (A,) float
        The largest t that lies in the ball.
    shifts : (A,) float
        a of each data set.
    """
    knots = _knots(manifold, sigma, reach.max())
    bins = np.clip(np.ceil(distances / (2 * r) * _BINS), 0, _BINS).astype(int)
    shares = np.array([np.bincount(row, minlength=_BINS + 1) for row in bins]) / bins.shape[1]
    rises = shares @ _mean_hessian(manifold, r, knots) * np.diff(knots)
    floor = np.concatenate([np.zeros((len(rises), 1)), np.cumsum(rises, axis=-1)], axis=-1)
    return _envelope(manifold, knots, floor, shifts, sigma)


def _envelope(manifold, knots, floor, shifts, sigma):
    """Return the Envelope from which both kinds of laws propose radii, by a lower bound of the loss at the knots.

    The bound is `floor` (A, N + 1), concave, moved to the right by shifts (A,).
    """
    width = np.diff(knots)
    place = np.maximum(knots - shifts[:, None], 0.0)
    cell = np.clip(np.searchsorted(knots, place, side="right") - 1, 0, len(width) - 1)
    row = np.arange(len(floor))[:, None]
    floor_at_knots = floor[row, cell] + _slopes(floor, width)[row, cell] * _finite(place - knots[cell])
    # no slope where the cell holds the corner at t = a, from which the floor rises
    holds_corner = (knots[:-1] < shifts[:, None]) & (knots[1:] > shifts[:, None])
    slope = np.where(holds_corner, 0.0, _slopes(floor_at_knots, width))
    return Envelope(knots, -floor_at_knots[:, :-1] / sigma, -slope / sigma, *manifold.area_bound(knots[:-1], knots[1:]))


def _slopes(values, width):
    """Return slopes between knots; 1 on the last cell where it has no end."""
    return np.where(np.isfinite(width), _finite(np.diff(values, axis=-1)) / _finite(width, 1.0), 1.0)


def _finite(a, replacement=0.0):
    """Return an array with another number in the place of what is not finite."""
    return np.where(np.isfinite(a), a, replacement)


def _mean_hessian(manifold, r, knots):
    """Return, for `gradient_envelope`, a lower bound of the mean Hessian over each cell, for each rounded distance b.

    It is of g(min(b + t, 2r)); its shape is (_BINS + 1, N).
    """
    _, kappa = manifold.curvature_bounds()
    distances = np.linspace(0, 2 * r, _BINS + 1)[:, None] + knots
    g = h_max(np.minimum(distances, 2 * r), kappa)
    holds_kink = (distances[:, :-1] < 2 * r) & (distances[:, 1:] > 2 * r)
    return np.where(holds_kink, g[:, 1:], (g[:, :-1] + g[:, 1:]) / 2)


def _knots(manifold, sigma, stop):
    """Return the ends of an envelope's cells: 0, then knots that grow geometrically to `stop`.

    Where stop = inf they go to twice the peak of the last cell's bound, then to inf.
    """
    end = stop if np.isfinite(stop) else 2 * manifold.dim / (1 / sigma - manifold.growth)
    spacing = min(_SPACING / np.sqrt(manifold.dim), _WIDEST)
    first = min(_FIRST * sigma, end / 2)
    inner = np.geomspace(first, end, int(np.ceil(np.log(end / first) / spacing)) + 1)
    return np.concatenate([[0.0], inner, [] if np.isfinite(stop) else [np.inf]])


def prepare(manifold: Any, points: NDArray, p0: NDArray, r: float) -> tuple[NDArray, Mask]:
    """Return the records moved into the public ball, and which were outside; refuse what is no point or no ball.

    Parameters
    ----------
    manifold : Manifold
        Where the records lie.
    points : (..., n, *point) array
        The records.
    p0 : (*point) array
        The ball's center.
    r : float
        The ball's radius.

    Returns
    -------
    inside : (..., n, *point) array
        Of which those outside B_r(p0) are moved to its boundary.
    outside : (..., n) bool
        Which these are; private, as their count is.
    """
    check_radius(manifold, r)
    for name, array in (("the center p0", np.asarray(p0)), ("the records", np.asarray(points))):
        if array.shape[-manifold.point_ndim :] != manifold.point_shape:
            raise RefusedRelease(
                f"{name} must be points of {manifold}, shape {manifold.point_shape}, got {array.shape}"
            )
        if not np.isfinite(array).all():
            raise Rejected("not_finite", f"{name} hold numbers that are not finite; correct or drop those records")
        if np.linalg.norm(array - manifold.project(array), axis=-1).max() > 1e-9:
            raise RefusedRelease(f"{name} do not lie on {manifold}: project them first")
    check_count(np.shape(points)[-manifold.point_ndim - 1])
    return manifold.to_ball(points, p0, r)


# Numbers that one round may hold at once, and proposals after which a draw is given up.
_ROOM = 4_000_000
MOST_PROPOSALS = 100_000_000


class Exhausted(ShapedpError):
    """Raised where no draw was accepted in MOST_PROPOSALS; nothing else is returned in its place."""


def collect(manifold: Any, sets: Any, size: int, cost: int, attempt: Callable, most: float = MOST_PROPOSALS) -> Any:
    """Return `size` accepted points of each of `sets` laws, (sets, size, *point), proposing until there are enough.

    Parameters
    ----------
    manifold : Manifold
        Where they lie.
    sets, size : int
        How many targets, and points of each.
    cost : int
        Numbers that `attempt` holds for one proposal.
    attempt : callable
        (rows, width) -> `width` proposed points for each of the targets `rows`, (a, width, *point), and the mask
        (a, width) of those accepted.
    most : float
        Proposals after which a draw is given up; inf where a share of them is accepted whatever the data are, since
        giving up would depend on the data.
    """
    out = np.empty((sets, size, *manifold.point_shape), dtype=manifold.dtype)
    filled_counts = np.zeros(sets, dtype=int)
    proposals, rate = 0, 0.5
    while (filled_counts < size).any():
        rows = np.flatnonzero(filled_counts < size)[: max(1, _ROOM // cost)]
        # A few more than are needed, for the rate is an estimate.
        wanted_proposals = 1.1 * (size - filled_counts[rows]).max() / rate + 1
        points, accepted = attempt(rows, int(np.clip(wanted_proposals, 1, max(1, _ROOM // (len(rows) * cost)))))
        place = filled_counts[rows][:, None] + np.cumsum(accepted, axis=1) - 1
        row, column = np.nonzero(accepted & (place < size))
        out[rows[row], place[row, column]] = points[row, column]
        filled_counts[rows] = np.minimum(filled_counts[rows] + accepted.sum(axis=1), size)
        proposals += accepted.size
        # A round without a hit must not ask for endless proposals in the next: the rate falls to a quarter at most.
        rate = max(accepted.mean(), rate / 4)
        if proposals > most * sets * size:
            raise Exhausted(f"no draw in {most:,} proposals: use a smaller dimension or more records")
    return out


# How far the density may lie above its bound, in the exponent, before the bound counts as broken: far beyond rounding,
# which is paid for, so that no data can meet this.
_BROKEN = 0.01
# The trial of a proposal: data sets, least and most proposals for each, numbers held.
_PILOT_SETS, _PILOT_LEAST, _PILOT_MOST, _PILOT_ROOM = 4, 8, 256, 1_000_000
# The acceptance with which a trial is content, so that no further proposal is tried.
_GOOD = 0.25


@dataclass
class Acceptance:
    """How many proposals were made and accepted: private, since they depend on the data.

    proposed : from the envelope; inside : of these, in the ball; accepted : of these, kept
    """

    proposed: int = 0
    inside: int = 0
    accepted: int = 0


@dataclass(frozen=True, eq=False)
class Target:
    """A law of density exp(-loss/sigma), and the proposals from which it is drawn.

    loss(rows, x) : points (a, b, *point) -> (a, b), for the data sets `rows`; ball : (p0, r) or None
    means, centers (A, *point); radii : the envelope of the proposals about the centers
    """

    manifold: object
    sigma: float
    loss: Callable
    means: np.ndarray
    ball: tuple | None
    centers: np.ndarray
    radii: Envelope
    acceptance: Acceptance = field(default_factory=Acceptance)

    def propose(self, rng: Any, rows: Whole, width: int) -> tuple[NDArray, Floats, Floats]:
        """Return points to be accepted or not as exact draws, the envelope's -L/sigma there, and which are in the ball.

        Points are (a, width, *point).
        """
        centers = self.centers[rows]
        t, decay, area = self.radii.draw(rng, rows, width)
        v = self.manifold.spread(t) * self.manifold.random_tangent(centers, rng, width).swapaxes(0, 1)
        proposed = np.log1p(-rng.random(t.shape)) < self.manifold.log_area(centers[:, None], v) - area
        points = self.manifold.exp(centers[:, None], v)
        self.acceptance.proposed += int(proposed.sum())
        if self.ball is not None:
            proposed &= self.manifold.dist(self.ball[0], points) <= self.ball[1]
        self.acceptance.inside += int(proposed.sum())
        return points, decay, proposed

    def log_chance(self, rows: Whole, points: NDArray, decay: Floats, inside: Mask) -> NDArray:
        """Return the log of the chance to accept each proposal; the loss is computed only where one is in the ball."""
        chance = np.full(inside.shape, -np.inf)
        columns = np.flatnonzero(inside.any(axis=0))
        if len(columns):
            chance[:, columns] = -self.loss(rows, points[:, columns]) / self.sigma - decay[:, columns]
        if (chance[inside] > _BROKEN).any():
            raise ShapedpError("the density exceeds its envelope: the sampler is not exact; please report this")
        return np.where(inside, chance, -np.inf)

    def attempt(self, rng: Any, rows: Whole, width: int) -> tuple[NDArray, Mask]:
        """Propose and accept once, as exact draws of pure releases are collected: return (points, mask of the draws).

        Points are (a, width, *point), for the data sets `rows` (a,); those that the mask takes follow the law exactly.
        """
        points, decay, inside = self.propose(rng, rows, width)
        accepted = np.log1p(-rng.random(inside.shape)) < self.log_chance(rows, points, decay, inside)
        self.acceptance.accepted += int(accepted.sum())
        return points, accepted

    def collect(self, rng: Any, size: int, cost: int, fallback: Any = None) -> tuple:
        """Return `size` exact draws of the law for each data set, and how many proposals were accepted.

        fallback : a target of the same law, of whose proposals a share is accepted whatever the data are; then every
            other round is its, and no draw is given up
        """
        turns = cycle([self] if fallback in (None, self) else [self, fallback])
        most = MOST_PROPOSALS if fallback is None else np.inf

        def attempt(rows, width):
            return next(turns).attempt(rng, rows, width)

        return collect(self.manifold, len(self.means), size, cost, attempt, most), self.acceptance


def targets(
    manifold: Any, sigma: float, loss: Callable, means: NDArray, ball: tuple[NDArray, float] | None, radii: Callable
) -> Iterator[Target]:
    """Yield several ways to draw from one law, as Targets, of which `choose_proposal` takes the quickest.

    On the ball (p0, r) proposals lie about the means and about p0; where ball is None, on the whole manifold, about the
    means, where loss(x) is at least dist(x, mean).

    Parameters
    ----------
    manifold : Manifold
        Where the points lie.
    sigma : float
        Scale of the law.
    loss : callable
        As of `Target`.
    means : (A, *point) array
        Of the data sets.
    ball : (p0, r) or None
        To which the law is restricted.
    radii : callable
        (the largest distance of the ball from the centers, distances of the means from them), (A,) each -> Envelope.
    """
    if ball is None:
        check_normaliser(manifold, sigma)
        envelope = linear_envelope(manifold, sigma, manifold.injectivity_radius, np.zeros(len(means)))
        yield Target(manifold, sigma, loss, means, None, means, envelope)
        return
    p0, r = ball
    for centers in (means, np.broadcast_to(p0, means.shape)):
        envelope = radii(r + manifold.dist(p0, centers), manifold.dist(centers, means))
        yield Target(manifold, sigma, loss, means, ball, centers, envelope)


def choose_proposal(candidates: Any, rng: Any, cost: int) -> Any:
    """Return the Target to draw by: the first whose proposals a trial accepts often enough, or else the most often.

    Parameters
    ----------
    candidates : iterable of Target
        In the order in which they are tried.
    rng : numpy.random.Generator or SecureGenerator
        Of the trial, whose draws are thrown away.
    cost : int
        Numbers held for one proposal.
    """
    best, best_chance = None, -1.0
    for target in candidates:
        trial, rows = replace(target, acceptance=Acceptance()), np.arange(min(len(target.means), _PILOT_SETS))
        width = int(np.clip(_PILOT_ROOM // cost, _PILOT_LEAST, _PILOT_MOST))
        points, decay, inside = trial.propose(rng, rows, width)
        chance = np.exp(trial.log_chance(rows, points, decay, inside)).sum() / max(trial.acceptance.proposed, 1)
        if chance > best_chance:
            best, best_chance = target, chance
        if chance > _GOOD:
            break
    return best
