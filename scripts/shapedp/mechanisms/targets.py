"""Densities exp(-loss(x) / sigma), where loss(x) >= L(dist(x, mean)): drawn exactly by rejection.

A proposal has a uniform direction and a radius t about a center c, from exp(-L((t - a)+) / sigma) times the volume of
the sphere of radius t, a = dist(c, mean): dist(x, mean) >= t - a, and L grows. The mean itself (a = 0) is the better
center where the noise is small beside the ball; the ball's center is where the ball's edge holds the noise in.

Proof: docs/mathematics.md, (8.1).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import cycle

import numpy as np

from shapedp.errors import ShapedpError
from shapedp.mechanisms import envelope, rejection

# How far the density may lie above its bound, in the exponent, before the bound counts as broken: far beyond rounding,
# which is paid for, so that no data can meet this.
_BROKEN = 0.01
# The trial of a proposal: data sets, proposals for each, numbers held; and the acceptance with which one is content.
_PILOT_SETS, _PILOT_WIDTHS, _PILOT_ROOM = 4, (8, 256), 1_000_000
_GOOD = 0.25


@dataclass
class Acceptance:
    """Counts of proposals: private, since they depend on the data.

    proposed : from the envelope; inside : of these, in the ball; accepted : of these, kept
    """

    proposed: int = 0
    inside: int = 0
    accepted: int = 0

    @property
    def gradient(self):
        """Share kept of those in the ball."""
        return self.accepted / self.inside

    @property
    def overall(self):
        """Share kept of all."""
        return self.accepted / self.proposed


@dataclass(frozen=True, eq=False)
class Target:
    """loss(rows, x) : points (a, b, *point) -> (a, b), for the data sets `rows`; ball : (p0, r) or None.

    means, centers (A, *point); radii : the envelope of the proposals about the centers
    """

    manifold: object
    sigma: float
    loss: Callable
    means: np.ndarray
    ball: tuple | None
    centers: np.ndarray
    radii: envelope.Envelope
    acceptance: Acceptance = field(default_factory=Acceptance)

    def propose(self, rng, rows, width):
        """Points (a, width, *point), the envelope's -L/sigma there, and which of them are in the ball."""
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

    def log_chance(self, rows, points, decay, inside):
        """log of the probability to accept; the loss is found only where some proposal lies in the ball."""
        chance = np.full(inside.shape, -np.inf)
        columns = np.flatnonzero(inside.any(axis=0))
        if len(columns):
            chance[:, columns] = -self.loss(rows, points[:, columns]) / self.sigma - decay[:, columns]
        if (chance[inside] > _BROKEN).any():
            raise ShapedpError("the density exceeds its envelope: the sampler is not exact; please report this")
        return np.where(inside, chance, -np.inf)

    def attempt(self, rng, rows, width):
        """Propose and accept: points (a, width, *point) and the mask of those accepted."""
        points, decay, inside = self.propose(rng, rows, width)
        accepted = np.log1p(-rng.random(inside.shape)) < self.log_chance(rows, points, decay, inside)
        self.acceptance.accepted += int(accepted.sum())
        return points, accepted

    def collect(self, rng, size, cost, sure=None):
        """`size` draws for each data set, and the acceptance.

        sure : a target of the same law, of whose proposals a share is accepted whatever the data are; then every other
            round is its, and no draw is given up
        """
        turns = cycle([self] if sure in (None, self) else [self, sure])
        most = rejection.MOST_PROPOSALS if sure is None else np.inf
        points = rejection.collect(
            self.manifold,
            len(self.means),
            size,
            cost,
            lambda rows, width: next(turns).attempt(rng, rows, width),
            most,
        )
        return points, self.acceptance


def best_of(candidates, rng, cost):
    """The first target, of several with the same law, that is good in a trial, or else the best.

    cost : numbers held for one proposal; the trial's draws are thrown away
    """
    best, best_chance = None, -1.0
    for target in candidates:
        chance = _mean_chance(target, rng, cost)
        if chance > best_chance:
            best, best_chance = target, chance
        if chance > _GOOD:
            break
    return best


def _mean_chance(target, rng, cost):
    trial = replace(target, acceptance=Acceptance())
    rows = np.arange(min(len(target.means), _PILOT_SETS))
    chance = trial.log_chance(rows, *trial.propose(rng, rows, int(np.clip(_PILOT_ROOM // cost, *_PILOT_WIDTHS))))
    return np.exp(chance).sum() / max(trial.acceptance.proposed, 1)
