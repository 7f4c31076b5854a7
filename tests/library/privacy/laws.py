"""Laws of the mechanisms by quadrature, written apart from the samplers: what draws are compared with.

A comparison is a Kolmogorov-Smirnov test at level ALPHA: a right sampler fails it once in 1/ALPHA seeds.
"""

from typing import NamedTuple

import numpy as np
from scipy import integrate, stats

from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.samplers import laplace
from shapedp.privacy.samplers.rejection import prepare

ALPHA = 1e-6


def fits(draws, grid, density):
    """Whether the scalars `draws` follow the density (any scale) given on the grid."""
    mass = integrate.cumulative_simpson(density, x=grid, initial=0)
    return stats.kstest(draws, lambda t: np.interp(t, grid, mass / mass[-1])).pvalue > ALPHA


def fits_weights(draws, values, weights):
    """Whether the scalars `draws` follow a law given by many weighted values, of a fine grid of another space."""
    places, cell = np.unique(np.round(values, 12), return_inverse=True)
    mass = np.bincount(cell, weights=weights)
    # half of a cell's mass lies below its middle
    below = np.cumsum(mass) - mass / 2
    return stats.kstest(draws, lambda t: np.interp(t, places, below / weights.sum())).pvalue > ALPHA


def k_norm(q, sigma, rng, size=None):
    """Real draws of density exp(-|y|/sigma) on R^q, size + (q,): a uniform direction, a Gamma(q, sigma) radius."""
    direction = rng.standard_normal((q,) if size is None else (size, q))
    radius = sigma * rng.standard_gamma(q, size)
    return direction * np.asarray(radius / np.linalg.norm(direction, axis=-1))[..., None]


def ball_of_sphere(p0, r, rings=400, spokes=400):
    """A grid over B_r(p0) on S²: points (rings · spokes, 3), distances from p0, angles, areas."""
    t = (np.arange(rings) + 0.5) * r / rings
    angle = (np.arange(spokes) + 0.5) * 2 * np.pi / spokes - np.pi
    t, angle = (a.ravel() for a in np.meshgrid(t, angle, indexing="ij"))
    return polar_point(p0, t, angle), t, angle, np.sin(t)


def polar_axes(p0):
    """Two unit vectors that complete p0 to a right-handed frame."""
    first = np.cross([0.0, 1.0, 0.0], p0)
    first /= np.linalg.norm(first)
    return first, np.cross(p0, first)


def polar_point(p0, t, angle):
    """The point at distance t and angle from p0."""
    first, second = polar_axes(p0)
    direction = np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * second
    return np.cos(t)[:, None] * p0 + np.sin(t)[:, None] * direction


def polar_angle(p0, x):
    """The angle of the points x about p0, in (-π, π]."""
    first, second = polar_axes(p0)
    return np.arctan2(x @ second, x @ first)


def sphere_gradient_norm(x, data):
    """|(1/n) sum log_x x_i| on S², with arccos: x (b, 3), data (n, 3)."""
    total = np.zeros(x.shape)
    for y in data:
        c = np.clip(x @ y, -1, 1)
        angle = np.arccos(c)
        total += (angle / np.maximum(np.sin(angle), 1e-12))[:, None] * (y - c[:, None] * x)
    return np.linalg.norm(total, axis=1) / len(data)


def spd_eigenvalue_grid(k, reach, steps=260):
    """Eigenvalues (m, k) of whitened logs on a grid of spherical shells of radius <= reach, with cell volumes."""
    t = (np.arange(steps) + 0.5) * reach / steps
    if k == 2:
        angle = (np.arange(4 * steps) + 0.5) * 2 * np.pi / (4 * steps)
        t, angle = (a.ravel() for a in np.meshgrid(t, angle, indexing="ij"))
        return t[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1), t
    height = (np.arange(60) + 0.5) / 30 - 1
    angle = (np.arange(60) + 0.5) * 2 * np.pi / 60
    t, height, angle = (a.ravel() for a in np.meshgrid(t, height, angle, indexing="ij"))
    flat = np.sqrt(1 - height**2)
    return t[:, None] * np.stack([flat * np.cos(angle), flat * np.sin(angle), height], axis=-1), t**2


def weyl(eigen):
    """prod_(i<j) sinh(|l_i - l_j| / 2): the density of eigenvalues of a volume on P(k)."""
    i, j = np.triu_indices(eigen.shape[1], 1)
    return np.prod(np.sinh(np.abs(eigen[:, i] - eigen[:, j]) / 2), axis=1)


class Drawn(NamedTuple):
    """points (..., size, *point); the mean of the records in the ball, and the mask of those that were outside."""

    points: np.ndarray
    mean: frechet.FrechetMean
    outside: np.ndarray


def laplace_release(manifold, points, p0, r, epsilon, rng, size=1, certified=None):
    """Records moved into the ball, averaged to the public tolerance, and drawn about in doubles.

    certified : the tolerance with rounding, where the mean is to be one that no data can miss
    """
    inside, outside = prepare(manifold, points, p0, r)
    tolerance = certified or frechet.TOLERANCE
    scale = sensitivity.scale(manifold, sensitivity.LAPLACE, r, outside.shape[-1], epsilon, tolerance=tolerance)
    mean = (
        frechet.find_certified_mean(manifold, inside, p0, r)
        if certified
        else frechet.mean(manifold, inside, tol=tolerance)
    )
    draws = laplace.sample(manifold, mean.point, scale.sigma, rng, size)
    return Drawn(manifold.align(p0, draws), mean, outside)
