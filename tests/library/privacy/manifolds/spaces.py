"""The manifolds that every law is tried on, with points spread as the laws need them."""

import numpy as np

from shapedp.privacy.manifolds.projective import ComplexProjective, Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere

PROJECTIVE = [ComplexProjective(1), ComplexProjective(3)]
ALL = [Sphere(2), Sphere(5), SPD(2), SPD(3), SPD(8), *PROJECTIVE, Kendall(3), Kendall(50)]
WIDE = 2.0  # what stands for the injectivity radius where there is none


def pairs(manifold, rng, count=200, share=0.9):
    """Points x, unit tangent vectors u at x and lengths t up to `share` of the injectivity radius."""
    x = points(manifold, rng, count)
    u = manifold.random_tangent(x, rng)
    return x, u, rng.uniform(0, share * min(manifold.injectivity_radius, WIDE), count)


def points(manifold, rng, count):
    """Random points; matrices near the identity, with condition numbers below about 20."""
    if isinstance(manifold, SPD):
        identity = np.eye(manifold.k)
        return manifold.exp(identity, 0.3 * manifold.gaussian_tangent(identity, rng, count))
    return manifold.random_point(rng, count)


def center(manifold):
    """A point that numbers do not favour: away from axes and ties."""
    return points(manifold, np.random.default_rng(7), 1)[0]


def cloud(manifold, rng, count, r):
    """Points of uniform direction and radius in B_r(center)."""
    x = center(manifold)
    return manifold.exp(x, manifold.spread(rng.uniform(0, r, count)) * manifold.random_tangent(x, rng, count))
