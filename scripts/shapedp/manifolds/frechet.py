"""The Fréchet mean: the minimiser of F(x) = (1/2n) sum_i dist(x, x_i)^2."""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import NotConverged, Rejected

TOLERANCE = 1e-12
MAX_STEPS = 500
LARGEST_STEP = 2.0


@dataclass(frozen=True)
class FrechetMean:
    """point (..., *point); residual (...) the gradient's norm there; steps taken (of the slowest)."""

    point: np.ndarray
    residual: np.ndarray
    steps: int


def mean(manifold, points, start=None, tol=TOLERANCE, max_steps=MAX_STEPS):
    """Riemannian gradient descent x <- exp_x(-a grad F(x)) until |grad F| <= tol, for all leading axes at once.

    points : (..., n, *point); start : (..., *point), by default the projected arithmetic mean
    The first step is a = 1, the exact one in flat space; later ones are secant (Barzilai-Borwein) steps
    a |g|^2 / (|g|^2 - <g', Pg>), g the old gradient, Pg the same carried to the new point, g' the new gradient.
    Raises NotConverged, with the iterate, after max_steps.
    """
    if not np.isfinite(points).all():
        raise Rejected("not_finite", "the points hold numbers that are not finite; mend or drop those records")
    x = manifold.extrinsic_mean(points) if start is None else start
    gradient, residual = _gradient(manifold, x, points)
    step = np.ones_like(residual)
    for taken in range(max_steps):
        if (residual <= tol).all():
            return FrechetMean(x, residual, taken)
        new = manifold.exp(x, -manifold.spread(step) * gradient)
        carried = manifold.transport(x, new, gradient)
        old_residual = residual
        gradient, residual = _gradient(manifold, new, points)
        step = _secant(step, old_residual, manifold.inner(new, gradient, carried))
        x = new
    worst = float(np.max(residual))
    raise NotConverged(f"Fréchet mean: gradient {worst:.3g} > {tol:.3g} after {max_steps} steps; is r too large?", x)


def _gradient(manifold, x, points):
    gradient = np.squeeze(
        manifold.gradient(np.expand_dims(x, -manifold.point_ndim - 1), points), -manifold.point_ndim - 1
    )
    return gradient, manifold.norm(x, gradient)


def _secant(step, norm, overlap):
    """Barzilai-Borwein step, kept between a tenth of the flat step and LARGEST_STEP."""
    bend = norm**2 - overlap
    usable = bend > norm**2 / LARGEST_STEP * step
    return np.where(usable, np.maximum(step * norm**2 / np.where(usable, bend, 1.0), 0.1), LARGEST_STEP)
