"""Manifolds for `shapedp.private_mean`, and what an own one must have: a public place, whose names stay.

`Manifold` is what an own class derives from; Python says which members are missing. `frechet_mean` is not private.
"""

from numpy.typing import NDArray

from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.base import Manifold
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere

__all__ = ["SPD", "Kendall", "Manifold", "Sphere", "frechet_mean"]


def frechet_mean(manifold: Manifold, points: NDArray) -> NDArray:
    """Return the Fréchet mean of n points of a manifold, an array (n, ...). Not private: to compare with.

    >>> import numpy, shapedp.manifolds
    >>> north, east = numpy.array([0.0, 0.0, 1.0]), numpy.array([1.0, 0.0, 0.0])
    >>> mean = shapedp.manifolds.frechet_mean(shapedp.manifolds.Sphere(2), numpy.stack([north, east]))
    >>> bool(numpy.allclose(mean, (north + east) / numpy.sqrt(2)))
    True
    """
    return frechet.mean(manifold, points).point
