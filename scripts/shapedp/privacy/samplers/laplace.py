"""The Laplace mechanism: density proportional to exp(-dist(x, mean) / sigma), drawn exactly, without a Markov chain.

Besides, Laplace noise in the flat space around the manifold: R^(d+1) for the sphere, symmetric matrices for P(k).

Proofs: docs/mathematics.md, (7.1) and (7.5).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.accounting.sensitivity import Scale, check_count, check_epsilon, check_radius, mean_sensitivity
from shapedp.privacy.manifolds.spd import SPD
from shapedp.privacy.manifolds.sphere import Sphere
from shapedp.privacy.samplers import rejection


def sample(
    manifold: Any, mean: NDArray, sigma: float, rng: Any, size: int = 1, ball: tuple[NDArray, float] | None = None
) -> NDArray:
    """Draw exactly from the Laplace law exp(-dist/sigma) about each mean, on any manifold, for experiments and audits.

    A uniform direction, a radius from the envelope, accepted with the ratio of the volume to its bound. On S^d and CP^m
    the volume depends on the radius alone; on P(k) also on the direction.

    Parameters
    ----------
    manifold : Manifold
        Where the means lie.
    mean : (..., *point) array
        Centers of the law.
    sigma : float
        Its scale.
    rng : SecureGenerator or numpy.random.Generator
        Of the draws.
    size : int
        Draws about each mean.
    ball : (p0, r) or None
        Restricts the law to B_r(p0), which costs a factor 2 in sigma (`sensitivity.find_noise_factor`).

    Returns
    -------
    (..., size, *point) array
    """
    means = np.reshape(mean, (-1, *manifold.point_shape))

    def loss(rows, x):
        return manifold.dist(means[rows, None], x)

    def radii(reach, shifts):
        return rejection.linear_envelope(manifold, sigma, min(reach.max(), manifold.injectivity_radius), shifts)

    cost = int(np.prod(manifold.point_shape))
    candidates = rejection.targets(manifold, sigma, loss, means, ball, radii)
    points, _ = rejection.choose_proposal(candidates, rng, cost).collect(rng, size, cost)
    return points.reshape(*np.shape(mean)[: -manifold.point_ndim], size, *manifold.point_shape)


ARITHMETIC = "arithmetic"
FRECHET = "frechet"
PUBLISHED = "published"


def flat_radius(manifold: Any, p0: NDArray, r: float) -> float:
    """Return r_E, to which the papers' baseline scales its flat noise: how far B_r(p0) reaches from p0 in flat space.

    It is 2 sin(r/2) on the sphere, λ_max(p0) (e^r - 1) on P(k).

    Parameters
    ----------
    manifold : Sphere or SPD
    p0 : (*point) array
        The ball's center.
    r : float
        The ball's radius on the manifold.
    """
    if isinstance(manifold, Sphere):
        return 2 * np.sin(r / 2)
    return np.linalg.eigvalsh(p0)[-1] * np.expm1(r)


def flat_scale(manifold: Any, statistic: str, p0: NDArray | None, r: float, n: int, epsilon: float) -> Scale:
    """Return the scale of flat-space Laplace noise for one of three means, the papers' baseline: (7.5).

    As published, that of the arithmetic mean is put on the Fréchet mean, which can move further: not private.

    Parameters
    ----------
    manifold : Sphere or SPD
    statistic : str
        ARITHMETIC, FRECHET or PUBLISHED.
    p0 : (*point) array or None
        The ball's center; none is needed on the sphere.
    r : float
        The ball's radius.
    n : int
        Records, public.
    epsilon : float
        What the release may spend.
    """
    check_epsilon(epsilon)
    check_count(n)
    check_radius(manifold, r)
    if not isinstance(manifold, Sphere | SPD):
        raise RefusedRelease(f"{manifold} has no flat space around it here: use the point-wise mechanism for shapes")
    sphere = isinstance(manifold, Sphere)
    if statistic == ARITHMETIC:
        delta = (2 * np.sin(r) if sphere else 2 * flat_radius(manifold, p0, r)) / n
    elif statistic == FRECHET:
        stretch = 1.0 if sphere else np.linalg.eigvalsh(p0)[-1] * np.exp(r)
        delta = stretch * mean_sensitivity(manifold, r, n)
    elif statistic == PUBLISHED:
        delta = 2 * flat_radius(manifold, p0, r) / n
    else:
        raise RefusedRelease(f"statistic '{statistic}' is unknown: use '{ARITHMETIC}', '{FRECHET}' or '{PUBLISHED}'")
    return Scale(delta / epsilon, delta, 1, private=statistic != PUBLISHED)


def flat_sample(center: NDArray, sigma: float, rng: Any, size: int = 1) -> NDArray:
    """Return centers with Laplace noise of flat space, which experiments compare with noise on the manifold itself.

    About each center the direction is uniform and the radius is sigma times a draw of Gamma(d, 1). No release draws by
    it.

    Parameters
    ----------
    center : (..., d) float
    sigma : float
        Scale of the noise.
    rng : SecureGenerator or numpy.random.Generator
        Of the draws.
    size : int
        Draws about each center.

    Returns
    -------
    (..., size, d) float
    """
    shape = (*np.shape(center)[:-1], size, np.shape(center)[-1])
    v = rng.standard_normal(shape)
    radius = sigma * rng.standard_gamma(shape[-1], shape[:-1])
    return np.asarray(center)[..., None, :] + v * (radius / np.linalg.norm(v, axis=-1))[..., None]
