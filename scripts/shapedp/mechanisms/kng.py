"""The K-norm gradient mechanism: density proportional to exp(-|grad F(x; D)| / sigma) on B_r(p0), drawn exactly.

F(x; D) = (1/2n) sum_i dist(x, x_i)^2. Along the geodesic from the mean the gradient grows at least like L(t) of
`envelope.gradient`: the Hessian of F is bounded below by curvature.

Proofs: docs/mathematics.md, (7.3) and (8.1).
"""

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.manifolds import frechet
from shapedp.mechanisms import envelope, sensitivity
from shapedp.mechanisms.records import Drawn, prepare
from shapedp.mechanisms.targets import Target, best_of


def sample(manifold, data, p0, r, sigma, rng, size=1, means=None, restricted=True, sure=None):
    """Exact draws for each data set in B_r(p0): (..., n, *point) -> points (..., size, *point) and the Acceptance.

    means (..., *point) : points of the ball near the Fréchet means, by default the means to 1e-12. Their own gradient
    is allowed for: they change the acceptance and not the law. restricted=False leaves the ball, where curvature is
    not positive. sure : the place of the proposal that works on any data (`acceptance.check`), or None
    """
    data = np.asarray(data)
    means = frechet.mean(manifold, data).point if means is None else means
    lead = np.shape(means)[: means.ndim - manifold.point_ndim]
    data, means = data.reshape(-1, *data.shape[len(lead) :]), np.reshape(means, (-1, *manifold.point_shape))
    ball = (p0, r)
    candidates = _targets(manifold, data, means, ball, sigma) if restricted else [_free(manifold, data, means, sigma)]
    candidates = list(candidates)
    cost = data.shape[1] * int(np.prod(manifold.point_shape))
    best = best_of(candidates, rng, cost)
    points, acceptance = best.collect(rng, size, cost, None if sure is None else candidates[sure])
    return points.reshape(*lead, size, *manifold.point_shape), acceptance


def _targets(manifold, data, means, ball, sigma):
    """The law on the ball, proposed about the means and about p0."""
    p0, r = ball
    loss = _loss(manifold, data, means)
    distances = manifold.dist(np.expand_dims(means, 1), data)
    for centers in (means, np.broadcast_to(p0, means.shape)):
        reach, shifts = r + manifold.dist(p0, centers), manifold.dist(centers, means)
        radii = envelope.gradient(manifold, sigma, r, distances, reach, shifts)
        yield Target(manifold, sigma, loss, means, ball, centers, radii)


def _free(manifold, data, means, sigma):
    """The law on the whole manifold, where curvature is not positive: L(t) = t."""
    if manifold.curvature_bounds()[1] > 0:
        raise RefusedRelease(f"on {manifold} the gradient mechanism is defined on the ball only")
    sensitivity.check_normaliser(manifold, sigma)
    radii = envelope.linear(manifold, sigma, np.inf, np.zeros(len(means)))
    return Target(manifold, sigma, _loss(manifold, data, means), means, None, means, radii)


def _loss(manifold, data, means):
    """|grad F(x)| + |grad F(mean)|: at least L(dist(x, mean)) even where the mean is not exact."""
    at_mean = manifold.norm(means, manifold.gradient(means[:, None], data)[:, 0])[:, None]

    def loss(rows, x):
        return manifold.norm(x, manifold.gradient(x, data[rows])) + at_mean[rows]

    return loss


def log_density(manifold, data, ball, sigma):
    """The function x (..., b, *point) -> -|grad F(x; D)| / sigma, and -inf outside the ball (p0, r), if there is one.

    data : (..., n, *point), one data set for each row of b points
    """

    def evaluate(x):
        level = -manifold.norm(x, manifold.gradient(x, data)) / sigma
        return level if ball is None else np.where(manifold.dist(ball[0], x) <= ball[1], level, -np.inf)

    return evaluate


def draw(manifold, points, p0, r, epsilon, rng, size=1, bound=sensitivity.RAUCH, rounding=0.0, sure=None):
    """Project to the ball and draw with the scale that gives epsilon-DP; also the (private) Acceptance.

    rounding : of the gradient, part of its sensitivity; sure : as in `sample`; with it nothing depends on a solver
    """
    records = prepare(manifold, points, p0, r)
    scale = sensitivity.scale(
        manifold, sensitivity.KNG, r, records.n, epsilon, restricted=True, bound=bound, tolerance=rounding
    )
    mean = records.mean() if sure is None else frechet.certified(manifold, records.points, p0, r)
    draws, acceptance = sample(manifold, records.points, p0, r, scale.sigma, rng, size, mean.point, sure=sure)
    return Drawn(manifold.represent(draws, p0), scale, mean, records.outside), acceptance
