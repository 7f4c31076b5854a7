"""The Laplace mechanism: density proportional to exp(-dist(x, mean) / sigma), drawn exactly, without a Markov chain.

Proof: docs/mathematics.md, (7.1).

Laplace noise in the flat space around the manifold: R^(d+1) for the sphere, symmetric matrices for P(k).

Density proportional to exp(-|y - c| / sigma). Three scales: for the arithmetic mean of the embedded points, for the
Fréchet mean, and the one the papers put on the Fréchet mean, which is not private (`published`).

Proof: docs/mathematics.md, (7.5).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.errors import RefusedRelease
from shapedp.manifolds import frechet
from shapedp.manifolds.spd import SPD
from shapedp.manifolds.sphere import Sphere
from shapedp.mechanisms.accounting import sensitivity
from shapedp.mechanisms.accounting.sensitivity import Scale, check_count, check_epsilon, check_radius, mean_sensitivity
from shapedp.mechanisms.samplers import rejection
from shapedp.mechanisms.samplers.rejection import Drawn, Target, best_of, prepare


def sample(
    manifold: Any,
    mean: NDArray,
    sigma: float,
    rng: Any,
    size: int = 1,
    ball: tuple[NDArray, float] | None = None,
) -> NDArray:
    """Exact draws about each mean: (..., *point) -> (..., size, *point).

    A uniform direction, a radius from the envelope, accepted with the ratio of the volume to its bound. On S^d and
    CP^m the volume depends on the radius alone; on P(k) also on the direction.
    ball : (p0, r) restricts the law to B_r(p0), which costs a factor 2 in sigma (`sensitivity.factor`)
    """
    means = np.reshape(mean, (-1, *manifold.point_shape))
    candidates = [_free(manifold, means, sigma)] if ball is None else _targets(manifold, means, ball, sigma)
    cost = int(np.prod(manifold.point_shape))
    points, _ = best_of(candidates, rng, cost).collect(rng, size, cost)
    return points.reshape(*np.shape(mean)[: -manifold.point_ndim], size, *manifold.point_shape)


def _free(manifold, means, sigma):
    """The law on the whole manifold."""
    sensitivity.check_normaliser(manifold, sigma)
    radii = rejection.linear(manifold, sigma, manifold.injectivity_radius, np.zeros(len(means)))
    return Target(manifold, sigma, _loss(manifold, means), means, None, means, radii)


def _targets(manifold, means, ball, sigma):
    """The law on the ball, proposed about the means and about p0."""
    p0, r = ball
    for centers in (means, np.broadcast_to(p0, means.shape)):
        reach, shifts = r + manifold.dist(p0, centers), manifold.dist(centers, means)
        radii = rejection.linear(manifold, sigma, min(reach.max(), manifold.injectivity_radius), shifts)
        yield Target(manifold, sigma, _loss(manifold, means), means, ball, centers, radii)


def _loss(manifold, means):
    return lambda rows, x: manifold.dist(means[rows, None], x)


def draw(
    manifold: Any,
    points: NDArray,
    p0: NDArray,
    r: float,
    epsilon: float,
    rng: Any,
    size: int = 1,
    restricted: bool = False,
    bound: str = sensitivity.RAUCH,
    certified: float | None = None,
) -> Drawn:
    """Project to the ball, average to the public tolerance, and draw with the scale that gives epsilon-DP.

    certified : the tolerance with rounding, where the mean is to be one that no data can miss (`frechet.certified`)
    """
    records = prepare(manifold, points, p0, r)
    tolerance = certified or frechet.TOLERANCE
    scale = sensitivity.scale(manifold, sensitivity.LAPLACE, r, records.n, epsilon, restricted, bound, tolerance)
    mean = frechet.certified(manifold, records.points, p0, r) if certified else records.mean(tolerance)
    draws = sample(manifold, mean.point, scale.sigma, rng, size, (p0, r) if restricted else None)
    return Drawn(manifold.represent(draws, p0), scale, mean, records.outside)


ARITHMETIC = "arithmetic"
FRECHET = "frechet"
PUBLISHED = "published"


def flat_radius(manifold: Any, p0: NDArray, r: float) -> float:
    """r_E: every point of B_r(p0) is this near p0 in the flat space: 2 sin(r/2); λ_max(p0) (e^r - 1)."""
    if isinstance(manifold, Sphere):
        return 2 * np.sin(r / 2)
    return np.linalg.eigvalsh(p0)[-1] * np.expm1(r)


def flat_scale(
    manifold: Any, statistic: str, p0: NDArray | None, r: float, n: int, epsilon: float, tolerance: float = 0.0
) -> Scale:
    """The noise scale of one of the three statistics."""
    check_epsilon(epsilon)
    check_count(n)
    check_radius(manifold, r)
    if not isinstance(manifold, Sphere | SPD):
        raise RefusedRelease(f"{manifold} has no flat space around it here: use the point-wise mechanism for shapes")
    delta = _flat_sensitivity(manifold, statistic, p0, r, n, tolerance)
    return Scale(delta / epsilon, delta, 1, private=statistic != PUBLISHED)


def _flat_sensitivity(manifold, statistic, p0, r, n, tolerance):
    """The arithmetic mean moves by the ball's width in the flat space over n. Chords are no longer than the geodesics
    between two Fréchet means, times e^r λ_max(p0) on P(k). As published, the arithmetic mean's is put on the Fréchet
    mean, which can move further: not private.
    """
    sphere = isinstance(manifold, Sphere)
    if statistic == ARITHMETIC:
        width = 2 * np.sin(r) if sphere else 2 * flat_radius(manifold, p0, r)
        return width / n
    if statistic == FRECHET:
        stretch = 1.0 if sphere else np.linalg.eigvalsh(p0)[-1] * np.exp(r)
        return stretch * mean_sensitivity(manifold, r, n, tolerance=tolerance)
    if statistic == PUBLISHED:
        return 2 * flat_radius(manifold, p0, r) / n
    raise RefusedRelease(f"statistic '{statistic}' is unknown: use '{ARITHMETIC}', '{FRECHET}' or '{PUBLISHED}'")


def flat_sample(center: NDArray, sigma: float, rng: Any, size: int = 1) -> NDArray:
    """Uniform direction, radius Gamma(d, 1) sigma: (..., d) -> (..., size, d)."""
    shape = (*np.shape(center)[:-1], size, np.shape(center)[-1])
    v = rng.standard_normal(shape)
    radius = sigma * rng.standard_gamma(shape[-1], shape[:-1])
    return np.asarray(center)[..., None, :] + v * (radius / np.linalg.norm(v, axis=-1))[..., None]
