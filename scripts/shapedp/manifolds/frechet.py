"""The Fréchet mean: the minimiser of F(x) = (1/2n) sum_i dist(x, x_i)^2."""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import NotConverged, Rejected
from shapedp.manifolds.sphere import TINY

TOLERANCE = 1e-12
MAX_STEPS = 500
LARGEST_STEP = 2.0
SMALLEST_STEP = 0.1


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
    a |g|^2 / (|g|^2 - <g', Pg>), g the old gradient, Pg the same transported to the new point, g' the new gradient.
    Raises NotConverged, with the iterate, after max_steps.
    """
    if not np.isfinite(points).all():
        raise Rejected("not_finite", "the points hold numbers that are not finite; mend or drop those records")
    frame = manifold.frame(manifold.extrinsic_mean(points) if start is None else start)
    descent = manifold.descent(frame, points)
    squared = _dot(manifold, descent, descent)
    step = np.ones_like(squared)
    for taken in range(max_steps + 1):
        if (squared <= tol**2).all():
            return FrechetMean(manifold.project(manifold.foot(frame)), np.sqrt(squared), taken)
        frame, carried = manifold.move(frame, manifold.spread(step) * descent)
        descent = manifold.descent(frame, points)
        step = _secant(step, squared, _dot(manifold, descent, carried) / step)
        squared = _dot(manifold, descent, descent)
    worst = float(np.sqrt(squared.max()))
    words = f"Fréchet mean: gradient {worst:.3g} > {tol:.3g} after {max_steps} steps: use a smaller r or a larger tol"
    raise NotConverged(words, manifold.foot(frame))


def _dot(manifold, u, v):
    """Euclidean inner product of vectors in a frame."""
    axes = tuple(range(-manifold.point_ndim, 0))
    return (u.conj() * v).real.sum(axis=axes)


def _secant(step, squared, overlap):
    """Barzilai-Borwein step, kept between SMALLEST_STEP and LARGEST_STEP."""
    bend = np.maximum(squared - overlap, step * squared / LARGEST_STEP)
    return np.maximum(step * squared / np.maximum(bend, TINY), SMALLEST_STEP)
