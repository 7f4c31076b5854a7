"""How near the sensitivity bounds are to the truth: a numerical maximisation over the ball."""

import numpy as np

from shapedp.manifolds import frechet


def gradient_expansion(manifold, p0, r, rng, climbers=200, steps=600):
    """Largest |log_x y - log_x z| found for x, y, z in B_r(p0): compare with 2r · `sensitivity.expansion`."""

    def difference(points):
        x, y, z = np.moveaxis(points, 1, 0)
        return manifold.norm(x, manifold.log(x, y) - manifold.log(x, z))

    return climb(manifold, p0, r, difference, 3, rng, climbers, steps)


def mean_shift(manifold, p0, r, n, rng, climbers=100, steps=300):
    """Largest n · dist of the Fréchet means of (w, .., w, y) and (w, .., w, z): compare with n · `mean_sensitivity`."""

    def shift(points):
        rest = np.repeat(points[:, :1], n - 1, axis=1)
        first, second = (
            frechet.mean(manifold, np.concatenate([rest, points[:, i : i + 1]], axis=1), tol=1e-10).point
            for i in (1, 2)
        )
        return n * manifold.dist(first, second)

    return climb(manifold, p0, r, shift, 3, rng, climbers, steps)


def climb(manifold, p0, r, objective, count, rng, climbers, steps):
    """Random hill climbing from many starts: `count` points in the ball each, steps shrinking from r to r/1000."""
    axes = (climbers, count)
    points = manifold.exp(p0, r * manifold.random_tangent(p0, rng, axes) * (1 - 1e-12))
    best = objective(points)
    for size in r * np.geomspace(1, 1e-3, steps):
        moved, _ = manifold.to_ball(manifold.exp(points, size * manifold.random_tangent(points, rng)), p0, r)
        value = objective(moved)
        better = value > best
        points, best = np.where(better[:, None, *(None,) * manifold.point_ndim], moved, points), np.maximum(best, value)
    return float(best.max())
