"""The Laplace mechanism: density proportional to exp(-dist(x, mean) / sigma), drawn exactly, without a Markov chain."""

import numpy as np

from shapedp.manifolds import frechet
from shapedp.mechanisms import envelope, rejection, sensitivity
from shapedp.mechanisms.records import Release, prepare


def draw(manifold, mean, sigma, rng, size=1, ball=None):
    """Exact draws about each mean: (..., *point) -> (..., size, *point).

    A uniform direction, a radius from the envelope, accepted with the ratio of the volume to its bound. On S^d and
    CP^m the volume depends on the radius alone; on P(k) also on the direction.
    ball : (p0, r) restricts the law to B_r(p0), which costs a factor 2 in sigma (`sensitivity.factor`)
    """
    if ball is None:
        sensitivity.check_normaliser(manifold, sigma)
    flat = np.reshape(mean, (-1, *manifold.point_shape))
    reach = manifold.injectivity_radius if ball is None else min(2 * ball[1], manifold.injectivity_radius)
    radii = envelope.linear(manifold, sigma, reach)

    def attempt(rows, width):
        centre = flat[rows, None]
        t, _, area = radii.draw(rng, np.zeros(len(rows), dtype=int), width)
        v = manifold.spread(t) * manifold.random_tangent(flat[rows], rng, width).swapaxes(0, 1)
        accepted = np.log1p(-rng.random(t.shape)) < manifold.log_area(centre, v) - area
        points = manifold.exp(centre, v)
        if ball is not None:
            accepted &= manifold.dist(ball[0], points) <= ball[1]
        return points, accepted

    points = rejection.collect(manifold, len(flat), size, int(np.prod(manifold.point_shape)), attempt)
    return points.reshape(*np.shape(mean)[: -manifold.point_ndim], size, *manifold.point_shape)


def release(manifold, points, p0, r, epsilon, rng, size=1, restricted=False, bound=sensitivity.RAUCH):
    """Project to the ball, average to the public tolerance, and draw with the scale that gives epsilon-DP."""
    records = prepare(manifold, points, p0, r)
    tolerance = frechet.TOLERANCE
    scale = sensitivity.scale(manifold, sensitivity.LAPLACE, r, records.n, epsilon, restricted, bound, tolerance)
    mean = records.mean(tolerance)
    draws = draw(manifold, mean.point, scale.sigma, rng, size, (p0, r) if restricted else None)
    return Release(draws, scale, mean, records.outside)
