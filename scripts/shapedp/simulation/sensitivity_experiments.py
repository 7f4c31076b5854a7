"""How far one person moves the mean: random neighbours, the worst ones found, and the ball's expansion by log."""

import numpy as np

from shapedp.audit import worst_case
from shapedp.manifolds import frechet
from shapedp.manifolds.sphere import Sphere
from shapedp.simulation import spaces

CLIMBERS, STEPS = 60, 150  # of the hill climbing for the worst pair
GRID = 120  # points on the ball's boundary, as the 2021 supplement's B.1 searches it
NORTH = np.array([0.0, 0.0, 1.0])


def neighbours(space, n, replicates, rng):
    """Distance of the Fréchet means of random data sets that differ in one record (2021, Figure 1 a and c); radian."""
    where = spaces.published(space)
    found = []
    for count in spaces.chunks(replicates, n, where):
        data = where.sample(rng, (count, n + 1))
        first, second = (frechet.mean(where.manifold, points).point for points in (data[:, 1:], data[:, :-1]))
        found.append(where.manifold.dist(first, second))
    return {"distance": np.concatenate(found)}


def worst_pair(space, n, replicates, rng):
    """n times the largest distance of means that hill climbing finds, on the manifold and in the flat space around."""
    where = spaces.published(space)

    def shift(distance):
        def objective(points):
            rest = np.repeat(points[:, :1], n - 1, axis=1)
            means = (
                frechet.mean(where.manifold, np.concatenate([rest, points[:, i : i + 1]], axis=1), tol=1e-9).point
                for i in (1, 2)
            )
            return n * distance(*means)

        return objective

    kinds = {"geodesic": where.manifold.dist, "flat": _frobenius(where)}

    def climb(distance):
        return worst_case.climb(where.manifold, where.p0, where.r, shift(distance), 3, rng, CLIMBERS, STEPS)

    return {name: np.array([max(climb(of) for _ in range(replicates))]) for name, of in kinds.items()}


def _frobenius(where):
    axes = tuple(range(-where.manifold.point_ndim, 0))
    return lambda x, y: np.sqrt(np.sum((x - y) ** 2, axis=axes))


def expansion(r, replicates, rng):
    """sup |log_x y - log_x z| over B_r on S² (2021, Figure 2): on a grid of the boundary, and over the whole ball."""
    climbs = [worst_case.gradient_expansion(Sphere(2), NORTH, r, rng) for _ in range(replicates)]
    return {"boundary": np.array([on_boundary(r)]), "ball": np.array([max(climbs)])}


def on_boundary(r, grid=GRID):
    """The supplement's search: x fixed on the boundary, y and z on a uniform grid of it."""
    angle = 2 * np.pi * np.arange(grid) / grid
    tilt = r * np.stack([np.cos(angle), np.sin(angle), np.zeros(grid)], axis=-1)
    ring = Sphere(2).exp(NORTH, tilt)
    logs = Sphere(2).log(ring[0], ring)
    return float(np.linalg.norm(logs[:, None] - logs[None], axis=-1).max())
