"""The Fréchet mean: the minimiser of F(x) = (1/2n) sum_i dist(x, x_i)^2; and the balls B_r(p0) in which it is unique.

Proofs of the comparison function of curvature and of the radius: docs/mathematics.md, (5.2) and (5.3).
"""

from dataclasses import dataclass

import numpy as np

from shapedp.base.errors import NotConverged, RefusedRelease, Rejected, ShapedpError
from shapedp.privacy.manifolds.sphere import TINY

_MOST_TRIES = 10_000


def h_max(s, kappa):
    """Return how convex squared distances are at least within s, which sensitivities of means are divided by.

    It is s √κ cot(s √κ) for κ > 0, else 1, and bounds the Hessian of dist²/2 at distance s below, for curvature <= κ.

    Parameters
    ----------
    s : array of float
        Distances, below π/√κ.
    kappa : float
        Largest curvature.
    """
    if kappa <= 0:
        return np.ones_like(np.asarray(s, dtype=float))
    a = np.asarray(s, dtype=float) * np.sqrt(kappa)
    return np.where(a > 0, a / np.tan(np.where(a > 0, a, 1.0)), 1.0)


def radius_limit(manifold):
    """Return the radius that the ball of records must stay below to have one mean alone: `check_radius` refuses more.

    Squared distances are convex in such a ball, as the sensitivities of pure mechanisms take for granted. It is
    ½ min(injectivity radius, (π/2) κ_max^(-1/2)): S^d π/4, Kendall π/8, P(k) none.
    """
    _, kappa = manifold.curvature_bounds()
    convex = np.pi / 2 / np.sqrt(kappa) if kappa > 0 else np.inf
    return min(manifold.injectivity_radius, convex) / 2


def check_radius(manifold, r):
    """Refuse a public ball so large that records in it may have several means, about which no pure release is proved.

    In it squared distances need not be convex (Assumption 1 of the 2022 paper).
    """
    limit = radius_limit(manifold)
    if not 0 < r < limit or not np.isfinite(r):
        raise RefusedRelease(
            f"radius r = {r:.6g} is not usable on {manifold}: it must be positive and finite"
            + (f", below the limit {limit:.6g}" if np.isfinite(limit) else "")
        )


def uniform_radius(manifold, p0, r, rng, size):
    """Draw points with a uniform direction from p0 and a radius uniform on [0, r], as the papers' experiments do.

    The points crowd towards p0: this is not the uniform law of the ball (2021 supplement A.3.1; 2022 supplement 2.4.1).

    Parameters
    ----------
    manifold : Manifold
        Where the points lie.
    p0 : (*point) array
        The ball's center.
    r : float
        The ball's radius.
    rng : numpy.random.Generator
        Of the draws.
    size : tuple of int
        How many.

    Returns
    -------
    (*size, *point) array
    """
    v = manifold.random_tangent(p0, rng, size)
    return manifold.exp(p0, v * manifold.spread(r * rng.random(v.shape[: v.ndim - manifold.point_ndim])))


def wishart(manifold, r, rng, size):
    """Draw Wishart matrices of mean I, redrawn until within r of I: the papers' invented records on P(k).

    Both supplements have V = I/k, k degrees of freedom.

    Parameters
    ----------
    manifold : SPD
        Of k x k matrices.
    r : float
        Distance from the identity within which they lie.
    rng : numpy.random.Generator
        Of the draws.
    size : int or tuple of int
        How many.

    Returns
    -------
    (*size, k, k) float
    """
    k, count = manifold.k, int(np.prod(size))
    identity, near_draws = np.eye(k), np.empty((0, k, k))
    for _ in range(_MOST_TRIES):
        a = rng.standard_normal((2 * count, k, k))
        draws = a @ a.mT / k
        # a matrix within r of I has no eigenvalue below e^-r; nearly singular ones would fail in `dist`
        draws = draws[np.linalg.eigvalsh(draws)[:, 0] > np.exp(-r) / 2]
        near_draws = np.concatenate([near_draws, draws[manifold.dist(identity, draws) <= r]])
        if len(near_draws) >= count:
            return near_draws[:count].reshape(*np.atleast_1d(size), k, k)
    raise ShapedpError(f"no {count} Wishart matrices within {r:.4g} of the identity: use a larger r")


TOLERANCE = 1e-12
MAX_STEPS = 500
LARGEST_STEP = 2.0
SMALLEST_STEP = 0.1
# Steps; they are reached as r nears the limit, where squared distances stop being convex.
MOST_CERTIFIED = 2000


@dataclass(frozen=True)
class FrechetMean:
    """A Fréchet mean, and how well it was solved for.

    point : (..., *point); residual : (...) the gradient's norm there; steps : taken, of the slowest
    """

    point: np.ndarray
    residual: np.ndarray
    steps: int


def mean(manifold, points, start=None, tol=TOLERANCE, max_steps=MAX_STEPS):
    """Return the Fréchet mean, without noise, from which experiments and audits measure errors.

    Releases take `find_certified_mean`. It is found by Riemannian gradient descent, for all leading axes at once:

    x <- exp_x(-a grad F(x)) until |grad F| <= tol. The first step is a = 1, the exact one in flat space; later ones are
    secant (Barzilai-Borwein) steps a |g|^2 / (|g|^2 - <g', Pg>), g the old gradient, Pg the same transported to the new
    point, g' the new gradient, kept between SMALLEST_STEP and LARGEST_STEP. Raises NotConverged, with the iterate,
    after max_steps.

    Parameters
    ----------
    manifold : Manifold
        Where the points lie.
    points : (..., n, *point) array
        Of each data set.
    start : (..., *point) array or None
        By default the projected arithmetic mean.
    tol : float
        On the gradient's norm.
    max_steps : int
        After which it gives up.

    Returns
    -------
    FrechetMean
    """
    if not np.isfinite(points).all():
        raise Rejected("not_finite", "the points hold numbers that are not finite; correct or drop those records")
    frame = manifold.frame(manifold.extrinsic_mean(points) if start is None else start)
    descent = manifold.descent(frame, points)
    squared_length = _dot(manifold, descent, descent)
    step = np.ones_like(squared_length)
    for step_count in range(max_steps + 1):
        if (squared_length <= tol**2).all():
            return FrechetMean(manifold.project(manifold.foot(frame)), np.sqrt(squared_length), step_count)
        frame, transported = manifold.move(frame, manifold.spread(step) * descent)
        descent = manifold.descent(frame, points)
        overlap = _dot(manifold, descent, transported) / step
        # Where the gradient hardly changed the secant step would have no end; this keeps it at LARGEST_STEP.
        bend = np.maximum(squared_length - overlap, step * squared_length / LARGEST_STEP)
        step = np.maximum(step * squared_length / np.maximum(bend, TINY), SMALLEST_STEP)
        squared_length = _dot(manifold, descent, descent)
    worst = float(np.sqrt(squared_length.max()))
    words = f"Fréchet mean: gradient {worst:.3g} > {tol:.3g} after {max_steps} steps: use a smaller r or a larger tol"
    raise NotConverged(words, manifold.foot(frame))


def best(manifold, points, otherwise):
    """Return the mean, or where the descent ended if it does not converge, or `otherwise` where that is no point.

    For what is published without a claim (`pure.Published`, the papers' form), and may not stop a run.

    Parameters
    ----------
    manifold : Manifold
        Where the points lie.
    points : (n, *point) array
        Of one data set.
    otherwise : (*point) array
        Taken where the descent left the manifold.

    Returns
    -------
    FrechetMean
    """
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            return mean(manifold, points)
    except NotConverged as error:
        point = error.iterate if np.isfinite(error.iterate).all() else otherwise
        gradient = manifold.gradient(point[None], points)[0]
        return FrechetMean(point, manifold.norm(point, gradient), MAX_STEPS)


def certified_steps(manifold, r, tol=TOLERANCE):
    """Return how many steps surely bring any points of B_r(p0) to within tol of their mean, whatever they are; public.

    See `find_certified_mean`.

    Parameters
    ----------
    manifold : Manifold
        Where the points lie.
    r : float
        The ball's radius.
    tol : float
        On the gradient's norm.
    """
    h = float(h_max(2 * r, manifold.curvature_bounds()[1]))
    # One step is exact in flat space, where h = 1.
    needed_steps = np.inf if h <= 0 else 1.0
    if 0 < h < 1:
        needed_steps = max(1.0, 2 * np.log(np.sqrt(h) * r / tol) / -np.log1p(-h))
    if manifold.curvature_bounds()[0] < 0 or needed_steps > MOST_CERTIFIED:
        raise RefusedRelease(f"radius r = {r:.6g} on {manifold}: a mean cannot be certified there; use a smaller r")
    return int(np.ceil(needed_steps))


def find_certified_mean(manifold, points, p0, r, tol=TOLERANCE):
    """Return a point surely within (tol + e)/h of the mean of points of B_r(p0), on which a pure release may count.

    It cannot fail, whatever the points are. Curvature must not be negative, 8r below the circumference 2π/√κ; h =
    h_max(2r, κ), e the rounding of a step. x <- P(exp_x(-grad F(x))), from p0; P moves to the ball. After
    `certified_steps`, or before where |grad F| <= tol, the distance to the mean is at most tol/h, and errors of the
    steps add at most e/h: docs/mathematics.md, (4.8).

    Parameters
    ----------
    manifold : Manifold
        Where the points lie.
    points : (n, *point) array
        The records.
    p0 : (*point) array
        The ball's center.
    r : float
        Its radius.
    tol : float
        On the gradient's norm.

    Returns
    -------
    FrechetMean
    """
    x = p0
    step, step_count, most_steps = manifold.descent(x, points), 0, certified_steps(manifold, r, tol)
    while step_count < most_steps and manifold.norm(x, step) > tol:
        x, _ = manifold.to_ball(manifold.exp(x, step), p0, r)
        step, step_count = manifold.descent(x, points), step_count + 1
    return FrechetMean(x, manifold.norm(x, step), step_count)


def _dot(manifold, u, v):
    """Return the Euclidean inner product of vectors in a frame."""
    axes = tuple(range(-manifold.point_ndim, 0))
    return (u.conj() * v).real.sum(axis=axes)
