"""The privacy loss of a density on a ball of S², without sampling: both normalisers by quadrature."""

import numpy as np

from shapedp.manifolds.sphere import Sphere

SPHERE = Sphere(2)


def privacy_loss(first, second, p0, radius, order=240):
    """sup over the ball of |log f(x; D) - log f(x; D')|.

    first, second : unnormalised log densities, points (b, 3) -> (b,); radius pi covers the sphere
    Gauss-Legendre in the distance t from p0, the trapezium rule in the angle, weight sin t.
    """
    nodes, weights = np.polynomial.legendre.leggauss(order)
    t, weights = radius * (nodes + 1) / 2, radius * weights / 2
    angle = 2 * np.pi * np.arange(order) / order
    basis = SPHERE.tangent_basis(p0)
    direction = np.cos(angle)[:, None] * basis[0] + np.sin(angle)[:, None] * basis[1]
    points = SPHERE.exp(p0, t[:, None, None] * direction)
    logs = [density(points.reshape(-1, 3)).reshape(points.shape[:2]) for density in (first, second)]
    first, second = (log - _log_integral(log, weights * np.sin(t)) for log in logs)
    return float(np.abs(first - second).max())


def _log_integral(log, weights):
    top = log.max()
    return top + np.log((weights[:, None] * np.exp(log - top)).sum() * 2 * np.pi / log.shape[1])
