"""The Laplace mechanism: density proportional to exp(-dist(x, mean) / sigma), drawn exactly, without a Markov chain.

Proof: docs/mathematics.md, (7.1).
"""

import numpy as np

from shapedp.manifolds import frechet
from shapedp.mechanisms import envelope, sensitivity
from shapedp.mechanisms.records import Drawn, prepare
from shapedp.mechanisms.targets import Target, best_of


def sample(manifold, mean, sigma, rng, size=1, ball=None):
    """Exact draws about each mean: (..., *point) -> (..., size, *point).

    A uniform direction, a radius from the envelope, accepted with the ratio of the volume to its bound. On S^d and
    CP^m the volume depends on the radius alone; on P(k) also on the direction.
    ball : (p0, r) restricts the law to B_r(p0), which costs a factor 2 in sigma (`sensitivity.factor`)
    """
    means = np.reshape(mean, (-1, *manifold.point_shape))
    candidates = [_free(manifold, means, sigma)] if ball is None else _targets(manifold, means, ball, sigma)
    cost = int(np.prod(manifold.point_shape))
    points, _ = best_of(candidates, rng, cost).collect(rng, size, cost)
    return points.reshape(*np.shape(mean)[: -manifold.point_ndim], size, *manifold.point_shape)


def _free(manifold, means, sigma):
    """The law on the whole manifold."""
    sensitivity.check_normaliser(manifold, sigma)
    radii = envelope.linear(manifold, sigma, manifold.injectivity_radius, np.zeros(len(means)))
    return Target(manifold, sigma, _loss(manifold, means), means, None, means, radii)


def _targets(manifold, means, ball, sigma):
    """The law on the ball, proposed about the means and about p0."""
    p0, r = ball
    for centers in (means, np.broadcast_to(p0, means.shape)):
        reach, shifts = r + manifold.dist(p0, centers), manifold.dist(centers, means)
        radii = envelope.linear(manifold, sigma, min(reach.max(), manifold.injectivity_radius), shifts)
        yield Target(manifold, sigma, _loss(manifold, means), means, ball, centers, radii)


def _loss(manifold, means):
    return lambda rows, x: manifold.dist(means[rows, None], x)


def draw(manifold, points, p0, r, epsilon, rng, size=1, restricted=False, bound=sensitivity.RAUCH, certified=None):
    """Project to the ball, average to the public tolerance, and draw with the scale that gives epsilon-DP.

    certified : the tolerance with rounding, where the mean is to be one that no data can miss (`frechet.certified`)
    """
    records = prepare(manifold, points, p0, r)
    tolerance = certified or frechet.TOLERANCE
    scale = sensitivity.scale(manifold, sensitivity.LAPLACE, r, records.n, epsilon, restricted, bound, tolerance)
    mean = frechet.certified(manifold, records.points, p0, r) if certified else records.mean(tolerance)
    draws = sample(manifold, mean.point, scale.sigma, rng, size, (p0, r) if restricted else None)
    return Drawn(manifold.represent(draws, p0), scale, mean, records.outside)
