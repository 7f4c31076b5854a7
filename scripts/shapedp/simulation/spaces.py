"""The spaces of the experiments: manifold, ball, how data are drawn, and the flat distance that the papers plot."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shapedp.manifolds import balls
from shapedp.manifolds.base import Manifold
from shapedp.manifolds.projective import ComplexProjective
from shapedp.manifolds.spd import SPD
from shapedp.manifolds.sphere import Sphere

ROOM = 2_000_000  # numbers that the data sets of one chunk may hold


@dataclass(frozen=True)
class Space:
    """sample(rng, size) -> points in B_r(p0); flatten : points -> coordinates (..., d) of the space around."""

    manifold: Manifold
    p0: np.ndarray
    r: float
    sample: Callable
    flatten: Callable

    def flat_distance(self, x, y):
        """The papers' measure of utility: |x - y| on the sphere, |vech(x) - vech(y)| on P(k)."""
        return np.linalg.norm(self.flatten(x) - self.flatten(y), axis=-1)


def vech(x):
    """Entries i <= j, as they are."""
    i, j = np.triu_indices(x.shape[-1])
    return x[..., i, j]


def from_vech(y, k):
    """The symmetric matrix with these entries."""
    i, j = np.triu_indices(k)
    x = np.empty((*y.shape[:-1], k, k))
    x[..., i, j] = x[..., j, i] = y
    return x


def published(name):
    """S2 : r = π/8, polar sampling about the north pole; P2 : r = 1.5, Wishart matrices about the identity."""
    if name == "S2":
        return _uniform(Sphere(2), np.array([0.0, 0.0, 1.0]), np.pi / 8)
    manifold, r = SPD(2), 1.5
    return Space(manifold, np.eye(2), r, lambda rng, size: balls.wishart(manifold, r, rng, size), vech)


def family(name, order):
    """S : S^order, r = π/8; P : P(order), r = 1; CP : CP^order, r = 0.1. Uniform direction and radius about p0."""
    if name == "P":
        return _uniform(SPD(order), np.eye(order), 1.0, vech)
    first = np.eye(order + 1)[0]
    if name == "S":
        return _uniform(Sphere(order), first, np.pi / 8)
    return _uniform(ComplexProjective(order), first.astype(complex), 0.1)


def chunks(replicates, n, space):
    """Sizes of the chunks that `replicates` data sets of n points are worked in, so that memory is bounded."""
    size = max(1, ROOM // (n * int(np.prod(space.manifold.point_shape))))
    return [min(size, replicates - start) for start in range(0, replicates, size)]


def _uniform(manifold, p0, r, flatten=lambda x: x):
    return Space(manifold, p0, r, lambda rng, size: balls.uniform_radius(manifold, p0, r, rng, size), flatten)
