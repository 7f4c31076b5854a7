"""The K-norm gradient mechanism: density proportional to exp(-|grad F(x; D)| / sigma) on B_r(p0), drawn exactly.

F(x; D) = (1/2n) sum_i dist(x, x_i)^2. Along the geodesic from the mean the gradient grows at least like L(t)
(`envelope.gradient`), so that exp(-L(t)/sigma) times the volume of the sphere of radius t bounds the density.
"""

from dataclasses import dataclass, field

import numpy as np

from shapedp.errors import RefusedRelease, ShapedpError
from shapedp.manifolds import frechet
from shapedp.mechanisms import envelope, rejection, sensitivity
from shapedp.mechanisms.records import Release, prepare

# How far rounding may lift the density above its bound, in the exponent, before the bound counts as broken.
_ROUNDING = 1e-6


@dataclass
class Acceptance:
    """Counts of proposals: private, since they depend on the data.

    proposed : from exp(-L/sigma) · volume; inside : of these, in the ball; accepted : of these, kept
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


@dataclass(frozen=True)
class Target:
    """Data sets (A, n, *point), anchors (A, *point) near their means, and the proposals' envelope."""

    manifold: object
    data: np.ndarray
    anchors: np.ndarray
    ball: tuple | None
    sigma: float
    radii: envelope.Envelope
    acceptance: Acceptance = field(default_factory=Acceptance)

    def attempt(self, rng, rows, width):
        """Propose and accept, exactly: points (a, width, *point) and the mask of those accepted."""
        manifold, anchor = self.manifold, self.anchors[rows, None]
        t, decay, area = self.radii.draw(rng, rows if len(self.radii.decay_value) > 1 else 0 * rows, width)
        v = manifold.spread(t) * manifold.random_tangent(self.anchors[rows], rng, width).swapaxes(0, 1)
        proposed = np.log1p(-rng.random(t.shape)) < manifold.log_area(anchor, v) - area
        points = manifold.exp(anchor, v)
        inside = proposed if self.ball is None else proposed & (manifold.dist(self.ball[0], points) <= self.ball[1])
        accepted = inside & (np.log1p(-rng.random(t.shape)) < self._excess(rows, points, decay, inside))
        self.acceptance.proposed += int(proposed.sum())
        self.acceptance.inside += int(inside.sum())
        self.acceptance.accepted += int(accepted.sum())
        return points, accepted

    def _excess(self, rows, points, decay, inside):
        """log of the acceptance probability; the gradient is found only where some proposal lies in the ball."""
        excess = np.full(inside.shape, -np.inf)
        columns = np.flatnonzero(inside.any(axis=0))
        if not len(columns):
            return excess
        x, data = points[:, columns], self.data[rows]
        norms = self.manifold.norm(x, self.manifold.gradient(x, data))
        anchors = self.anchors[rows, None]
        at_anchor = self.manifold.norm(anchors, self.manifold.gradient(anchors, data))
        excess[:, columns] = -(norms + at_anchor) / self.sigma - decay[:, columns]
        if (excess[inside] > _ROUNDING).any():
            raise ShapedpError("the density exceeds its envelope: the sampler is not exact; please report this")
        return excess


def draw(manifold, data, p0, r, sigma, rng, size=1, anchors=None, restricted=True):
    """Exact draws for each data set in B_r(p0): (..., n, *point) -> points (..., size, *point) and Acceptance.

    anchors (..., *point) : any points of the ball near the Fréchet means, by default the means; they change the
    acceptance rate and not the law. restricted=False leaves the ball, where curvature is not positive.
    """
    data = np.asarray(data)
    anchors = frechet.mean(manifold, data).point if anchors is None else anchors
    lead = np.shape(anchors)[: anchors.ndim - manifold.point_ndim]
    target = _target(manifold, data.reshape(-1, *data.shape[len(lead) :]), anchors, (p0, r), sigma, restricted)
    cost = data.shape[len(lead)] * int(np.prod(manifold.point_shape))
    points = rejection.collect(
        manifold, len(target.data), size, cost, lambda rows, width: target.attempt(rng, rows, width)
    )
    return points.reshape(*lead, size, *manifold.point_shape), target.acceptance


def _target(manifold, data, anchors, ball, sigma, restricted):
    anchors = np.reshape(anchors, (-1, *manifold.point_shape))
    p0, r = ball
    if not restricted:
        if manifold.curvature_bounds()[1] > 0:
            raise RefusedRelease(f"on {manifold} the gradient mechanism is defined on the ball only")
        sensitivity.check_normaliser(manifold, sigma)
        return Target(manifold, data, anchors, None, sigma, envelope.linear(manifold, sigma, np.inf))
    distances = manifold.dist(np.expand_dims(anchors, 1), data)
    reach = r + manifold.dist(p0, anchors)
    return Target(manifold, data, anchors, ball, sigma, envelope.gradient(manifold, sigma, r, distances, reach))


def log_density(manifold, data, ball, sigma):
    """The function x (..., b, *point) -> -|grad F(x; D)| / sigma, and -inf outside the ball (p0, r), if there is one.

    data : (..., n, *point), one data set for each row of b points
    """

    def evaluate(x):
        level = -manifold.norm(x, manifold.gradient(x, data)) / sigma
        return level if ball is None else np.where(manifold.dist(ball[0], x) <= ball[1], level, -np.inf)

    return evaluate


def release(manifold, points, p0, r, epsilon, rng, size=1, bound=sensitivity.RAUCH):
    """Project to the ball and draw with the scale that gives epsilon-DP; also the (private) Acceptance."""
    records = prepare(manifold, points, p0, r)
    scale = sensitivity.scale(manifold, sensitivity.KNG, r, records.n, epsilon, restricted=True, bound=bound)
    mean = records.mean()
    draws, acceptance = draw(manifold, records.points, p0, r, scale.sigma, rng, size, mean.point)
    return Release(draws, scale, mean, records.outside), acceptance
