"""Laplace noise in the flat space around the manifold: R^(d+1) for the sphere, symmetric matrices for P(k).

Density proportional to exp(-|y - c| / sigma). Three scales: for the arithmetic mean of the embedded points, for the
Fréchet mean, and the one the papers put on the Fréchet mean, which is not private (`published`).

Proof: docs/mathematics.md, (7.5).
"""

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.manifolds.spd import SPD
from shapedp.manifolds.sphere import Sphere
from shapedp.mechanisms.records import Drawn, prepare
from shapedp.mechanisms.sensitivity import Scale, check_count, check_epsilon, check_radius, mean_sensitivity

ARITHMETIC = "arithmetic"
FRECHET = "frechet"
PUBLISHED = "published"


def embed(manifold, x):
    """Coordinates in the flat space: unit vectors as they are; matrices by svec, an isometry of the Frobenius norm.

    svec : entries i <= j, those off the diagonal times √2
    """
    if isinstance(manifold, Sphere):
        return x
    i, j = np.triu_indices(manifold.k)
    return x[..., i, j] * np.where(i == j, 1.0, np.sqrt(2))


def unembed(manifold, y):
    """The inverse of `embed`; the result need not lie on the manifold."""
    if isinstance(manifold, Sphere):
        return y
    i, j = np.triu_indices(manifold.k)
    x = np.empty((*y.shape[:-1], manifold.k, manifold.k))
    x[..., i, j] = x[..., j, i] = y / np.where(i == j, 1.0, np.sqrt(2))
    return x


def flat_radius(manifold, p0, r):
    """r_E: every point of B_r(p0) is this near p0 in the flat space: 2 sin(r/2); λ_max(p0) (e^r - 1)."""
    if isinstance(manifold, Sphere):
        return 2 * np.sin(r / 2)
    return np.linalg.eigvalsh(p0)[-1] * np.expm1(r)


def scale(manifold, statistic, p0, r, n, epsilon, tolerance=0.0):
    """The noise scale of one of the three statistics."""
    check_epsilon(epsilon)
    check_count(n)
    check_radius(manifold, r)
    if not isinstance(manifold, Sphere | SPD):
        raise RefusedRelease(f"{manifold} has no flat space around it here: use the point-wise mechanism for shapes")
    delta, why = _sensitivity(manifold, statistic, p0, r, n, tolerance)
    return Scale(delta / epsilon, delta, 1, why, private=statistic != PUBLISHED)


def _sensitivity(manifold, statistic, p0, r, n, tolerance):
    sphere = isinstance(manifold, Sphere)
    if statistic == ARITHMETIC:
        width = 2 * np.sin(r) if sphere else 2 * flat_radius(manifold, p0, r)
        return width / n, "the arithmetic mean moves by the ball's width in the flat space over n"
    if statistic == FRECHET:
        stretch = 1.0 if sphere else np.linalg.eigvalsh(p0)[-1] * np.exp(r)
        delta = stretch * mean_sensitivity(manifold, r, n, tolerance=tolerance)
        return delta, "chords are no longer than the geodesics between two Fréchet means, times e^r λ_max(p0) on P(k)"
    if statistic == PUBLISHED:
        why = "the arithmetic mean's sensitivity put on the Fréchet mean, which can move further: not private"
        return 2 * flat_radius(manifold, p0, r) / n, why
    raise RefusedRelease(f"statistic '{statistic}' is unknown: use '{ARITHMETIC}', '{FRECHET}' or '{PUBLISHED}'")


def sample(center, sigma, rng, size=1):
    """Uniform direction, radius Gamma(d, 1) sigma: (..., d) -> (..., size, d)."""
    shape = (*np.shape(center)[:-1], size, np.shape(center)[-1])
    v = rng.standard_normal(shape)
    radius = sigma * rng.standard_gamma(shape[-1], shape[:-1])
    return np.asarray(center)[..., None, :] + v * (radius / np.linalg.norm(v, axis=-1))[..., None]


def draw(manifold, points, p0, r, epsilon, rng, size=1, statistic=ARITHMETIC):
    """Project to the ball, average (as `statistic` says), add noise; Drawn.points are flat-space points.

    On the sphere y / |y| brings them back to it; on P(k) a matrix may lack positive eigenvalues.
    """
    records = prepare(manifold, points, p0, r)
    tolerance = 1e-12
    noise = scale(manifold, statistic, p0, r, records.n, epsilon, tolerance)
    mean = records.mean(tolerance)
    center = embed(manifold, mean.point)
    if statistic == ARITHMETIC:
        center = embed(manifold, records.points).mean(axis=-2)
    return Drawn(unembed(manifold, sample(center, noise.sigma, rng, size)), noise, mean, records.outside)
