"""The matched Gaussian mechanism for shapes: noise in the tangent space at a public point.

v_i = log_p0(x_i), clipped to length r; their mean moves by at most 2r/n, whatever the curvature, so that white noise of
standard deviation 2r/(n mu) in an orthonormal basis is mu-GDP. exp_p0 maps it back. The release estimates
exp_p0(mean of logs), which is near the Fréchet mean, not equal to it. (epsilon, delta), not pure epsilon.

Proof: docs/mathematics.md, (7.4).
"""

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms.sensitivity import check_count


def clipped_coordinates(manifold, points, p0, r):
    """Coordinates (n, dim) of log_p0(x_i) in the orthonormal `tangent_basis` at p0, each of length at most r.

    A point on the cut locus of p0 has no log and counts as p0. r may be anything below the injectivity radius.
    """
    check_radius(manifold, r)
    check_count(len(points))
    v = manifold.log(p0, points)
    v = np.where(np.isfinite(v), v, 0.0)
    basis = manifold.tangent_basis(p0)
    coordinates = np.stack([manifold.inner(p0, b, v) for b in basis], axis=-1)
    length = np.linalg.norm(coordinates, axis=-1, keepdims=True)
    # an ulp below r, so that rounding never lifts the length above it
    bound = r * (1 - 4 * np.finfo(float).eps)
    return coordinates * np.minimum(1.0, bound / np.maximum(length, bound))


def check_radius(manifold, r):
    """Refuse a ball that reaches the cut locus of its center."""
    if not 0 < r < manifold.injectivity_radius:
        raise RefusedRelease(f"radius r = {r:.6g} must be positive and below {manifold.injectivity_radius:.6g}")


def standard_deviation(r, n, mu):
    """2r / (n mu), in every coordinate."""
    if not (np.isfinite(mu) and mu > 0):
        raise RefusedRelease(f"mu must be a positive number, got {mu}")
    return 2 * r / (n * mu)


def to_manifold(manifold, p0, coordinates, smooth=None):
    """exp_p0 of coordinates (..., dim), after `smooth`, a public map of tangent vectors (post-processing)."""
    v = np.tensordot(coordinates, manifold.tangent_basis(p0), axes=1)
    if smooth is not None:
        v = manifold.to_tangent(p0, smooth(v))
    return manifold.exp(p0, v)


def draw(manifold, points, p0, r, mu, gaussian, smooth=None):
    """One draw: gaussian(values, sd) adds noise of standard deviation sd to each of the values (dim,)."""
    mean = clipped_coordinates(manifold, points, p0, r).mean(axis=0)
    return to_manifold(manifold, p0, gaussian(mean, standard_deviation(r, len(points), mu)), smooth)
