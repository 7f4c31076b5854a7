"""The K-norm gradient mechanism: density proportional to exp(-|grad F(x; D)| / sigma) on B_r(p0), drawn exactly.

F(x; D) = (1/2n) sum_i dist(x, x_i)^2. Along the geodesic from the mean the gradient grows at least like L(t) of
`rejection.gradient_envelope`: the Hessian of F is bounded below by curvature. Proposals about the mean or about p0 are
accepted with a least share on any data that is known before they are read.

Proofs: docs/mathematics.md, (7.3) and (8.1), and of the share "A draw that no data can hold up" there.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.samplers import rejection
from shapedp.privacy.samplers.rejection import choose_proposal, prepare


def sample(
    manifold: Any,
    data: NDArray,
    p0: NDArray,
    r: float,
    sigma: float,
    rng: Any,
    size: int = 1,
    means: NDArray | None = None,
    restricted: bool = True,
    fallback: Any = None,
) -> tuple[NDArray, Any]:
    """Draw exactly from the K-norm gradient law at any scale, for papers and audits; releases take the private `draw`.

    One law for each data set in B_r(p0).

    Parameters
    ----------
    manifold : Manifold
        Where the points lie.
    data : (..., n, *point) array
        One data set for each leading index.
    p0 : (*point) array
        The ball's center.
    r : float
        The ball's radius.
    sigma : float
        Scale of the law.
    rng : numpy.random.Generator or SecureGenerator
        Of the draws.
    size : int
        Draws of each data set.
    means : (..., *point) array or None
        Points of the ball near the Fréchet means, by default the means to 1e-12. Their own gradient is allowed for:
        they change the acceptance and not the law.
    restricted : bool
        False leaves the ball, where curvature is not positive.
    fallback : int or None
        The place of the proposal that works on any data (`check_acceptance`).

    Returns
    -------
    points : (..., size, *point) array
    acceptance : Acceptance
        Private.
    """
    data = np.asarray(data)
    means = frechet.mean(manifold, data).point if means is None else means
    lead = np.shape(means)[: means.ndim - manifold.point_ndim]
    data, means = data.reshape(-1, *data.shape[len(lead) :]), np.reshape(means, (-1, *manifold.point_shape))
    candidates = list(_targets(manifold, data, means, (p0, r) if restricted else None, sigma))
    cost = data.shape[1] * int(np.prod(manifold.point_shape))
    best = choose_proposal(candidates, rng, cost)
    points, acceptance = best.collect(rng, size, cost, None if fallback is None else candidates[fallback])
    return points.reshape(*lead, size, *manifold.point_shape), acceptance


def _targets(manifold, data, means, ball, sigma):
    """Return several ways to draw from the K-norm gradient law, as targets, on the ball (p0, r) or the whole manifold.

    ball : None for the whole manifold, where L(t) = t
    """
    if ball is None and manifold.curvature_bounds()[1] > 0:
        raise RefusedRelease(f"on {manifold} the gradient mechanism is defined on the ball only")
    at_mean = manifold.norm(means, manifold.gradient(means[:, None], data)[:, 0])[:, None]
    distances = None if ball is None else manifold.dist(np.expand_dims(means, 1), data)

    # |grad F(x)| + |grad F(mean)|, which is at least L(dist(x, mean)) even where the mean is not exact.
    def loss(rows, x):
        return manifold.norm(x, manifold.gradient(x, data[rows])) + at_mean[rows]

    def radii(reach, shifts):
        return rejection.gradient_envelope(manifold, sigma, ball[1], distances, reach, shifts)

    return rejection.targets(manifold, sigma, loss, means, ball, radii)


def log_density(manifold: Any, data: NDArray, ball: tuple[NDArray, float] | None, sigma: float) -> Callable:
    """Return KNG's log density up to a constant, by which privacy loss is measured and the papers' chains are run.

    It is the function x (..., b, *point) -> -|grad F(x; D)| / sigma, and -inf outside the ball, if there is one. No
    release is drawn by it: `draw` draws exactly.

    Parameters
    ----------
    manifold : Manifold
        Where the points lie.
    data : (..., n, *point) array
        One data set for each row of b points.
    ball : (p0, r) or None
        None: the whole manifold.
    sigma : float
        Scale of the law.
    """

    def evaluate(x):
        level = -manifold.norm(x, manifold.gradient(x, data)) / sigma
        return level if ball is None else np.where(manifold.dist(ball[0], x) <= ball[1], level, -np.inf)

    return evaluate


def draw(
    manifold: Any,
    points: NDArray,
    p0: NDArray,
    r: float,
    epsilon: float,
    rng: Any,
    size: int = 1,
    rounding: float = 0.0,
    fallback: Any = None,
) -> tuple[NDArray, Any]:
    """Return private means: points drawn near the records' Frechet mean, with the scale that makes each epsilon-DP.

    The pure-DP release of a mean shape draws by it, and so do experiments on other manifolds. Records beyond the ball
    are first projected to it.

    Parameters
    ----------
    manifold : Manifold
        Where the records lie.
    points : (n, *point) array
        The records.
    p0 : (*point) array
        The ball's center.
    r : float
        The ball's radius.
    epsilon : float
        What the draw spends.
    rng : SecureGenerator or numpy.random.Generator
        Of the draws.
    size : int
        How many points are drawn.
    rounding : float
        Of the gradient, part of its sensitivity.
    fallback : int or None
        As of `sample`; with it nothing depends on a solver.

    Returns
    -------
    points : (size, *point) array
    acceptance : Acceptance
        Private.
    """
    inside, outside = prepare(manifold, points, p0, r)
    n = outside.shape[-1]
    scale = sensitivity.scale(manifold, sensitivity.KNG, r, n, epsilon, restricted=True, tolerance=rounding)
    mean = frechet.mean(manifold, inside) if fallback is None else frechet.find_certified_mean(manifold, inside, p0, r)
    draws, acceptance = sample(manifold, inside, p0, r, scale.sigma, rng, size, mean.point, fallback=fallback)
    # a draw comes in the phase of the mean, and that in the phase of some person's record
    return manifold.align(p0, draws), acceptance


# Places of the two proposals in `sample`.
MEAN, CENTER = 0, 1
# Below it a draw could take hours.
LEAST_ACCEPTED = 1e-7
# By which the envelope's lines may lie above the area, in the exponent.
SLACK = 0.1
CELLS, ANGLES = 1000, 200


@lru_cache(maxsize=64)
def worst_case(manifold: Any, r: float, sigma: float, h: float) -> tuple:
    """Return how well KNG's draw does on the worst data, so that one that would not end is refused before any record.

    That is the proposal that is accepted most on the worst data in the ball, and its share accepted there.

    Parameters
    ----------
    manifold : Manifold
        Where the records lie.
    r : float
        The ball's radius.
    sigma : float
        Scale of the law.
    h : float
        Below which no Hessian of F lies in the ball.
    """
    # Of the proposal about the mean, which lies anywhere in the ball.
    t, widths = _cells(sigma, 2 * r)
    area, is_inside = _log_area(manifold, t) + widths, t <= r
    cap_share = scipy.special.betainc((manifold.dim - 1) / 2, 0.5, 1 - (t[is_inside] / (2 * r)) ** 2) / 2
    with np.errstate(divide="ignore"):
        target = scipy.special.logsumexp(area[is_inside] - t[is_inside] / sigma + np.log(cap_share))
    about_mean = np.exp(target - scipy.special.logsumexp(area - h * t / sigma) - SLACK)
    # Of the proposal about p0.
    t, widths = _cells(sigma, r)
    area, angle = _log_area(manifold, t) + widths, (np.arange(ANGLES) + 0.5) * (np.pi / ANGLES)
    opposite = np.sqrt(r**2 + t[:, None] ** 2 - 2 * r * t[:, None] * np.cos(angle))
    weight = (manifold.dim - 2) * np.log(np.sin(angle))
    log_shares = scipy.special.logsumexp(weight - opposite / sigma, axis=1) - scipy.special.logsumexp(weight)
    about_center = np.exp(scipy.special.logsumexp(area + log_shares) - scipy.special.logsumexp(area) - SLACK)
    shares = (float(about_mean), float(about_center))
    best = int(np.argmax(shares))
    return best, shares[best]


def check_acceptance(manifold: Any, r: float, sigma: float, h: float) -> Any:
    """Return the proposal that surely ends on any data; refuse, before any is read, where none does in time.

    Parameters
    ----------
    manifold, r, sigma, h
        As of `worst_case`.
    """
    proposal, share = worst_case(manifold, r, sigma, h)
    if share < LEAST_ACCEPTED:
        raise RefusedRelease(
            f"kng with r = {r:.4g} in {manifold.dim} dimensions: on some data as few as {share:.1e} of the proposals "
            f"are accepted (at least {LEAST_ACCEPTED:.0e} are needed), and whether a draw ends may not depend on the "
            "data; use a smaller r, fewer modes, or laplace"
        )
    return proposal


def _log_area(manifold, t):
    """Return the log volume factor log A(t), the same in all directions, for shares accepted in the worst case."""
    point = manifold.project(np.eye(1, *manifold.point_shape, dtype=manifold.dtype)[0] - 1e-3)
    direction = manifold.tangent_basis(point)[0]
    return manifold.log_area(point, t[:, None] * direction)


def _cells(first, stop):
    """Return (middles, log widths) of cells that grow geometrically to `stop`, from far below the noise's scale."""
    edges = np.concatenate([[0.0], np.geomspace(min(first, stop) / 1000, stop, CELLS)])
    return (edges[1:] + edges[:-1]) / 2, np.log(np.diff(edges))
