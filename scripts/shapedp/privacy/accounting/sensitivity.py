"""How far one person can move a gradient or a mean on a manifold, and the noise scale that follows.

Replace one of n records, all in B_r(p0); r is public and below the limit of `frechet.check_radius`. Rounding moves a
mean of logarithms of unit vectors besides, and that is part of the sensitivity.

Proofs: docs/mathematics.md, (4.7), (6.1), (6.2) and (7.2).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.manifolds.frechet import check_radius, h_max

RAUCH = "rauch"
PAPERS = "papers"
LAPLACE = "laplace"
KNG = "kng"


@dataclass(frozen=True)
class Scale:
    """The scale sigma of noise of density exp(-·/sigma), and what it follows from.

    factor : 1 or 2, so that sigma = factor · sensitivity / epsilon
    private : False for a scale that a paper prints and that does not give epsilon-DP
    """

    sigma: float
    sensitivity: float
    factor: int
    private: bool = True


def expansion(manifold: Any, r: float, bound: str = RAUCH) -> float:
    """Return the largest factor by which log_x, x in B_r(p0), stretches distances in the ball: curvature's part in Δ_K.

    It is 1 where curvature is not positive: there log_x contracts.

    Parameters
    ----------
    manifold : Manifold
        Whose largest curvature κ_max enters.
    r : float
        The ball's radius.
    bound : str
        `rauch`: s / sin s, s = 2r √κ_max (Rauch comparison on the ball of radius 2r about x); the default.
        `papers`: 2 - h_max(2r, κ_max), larger.
    """
    _, kappa = manifold.curvature_bounds()
    if bound == PAPERS:
        return float(2 - h_max(2 * r, kappa))
    if bound != RAUCH:
        raise RefusedRelease(f"bound '{bound}' is unknown: use '{RAUCH}' (proved, sharper) or '{PAPERS}'")
    return 1 / float(np.sinc(2 * r * np.sqrt(max(kappa, 0.0)) / np.pi))


def gradient_sensitivity(manifold: Any, r: float, n: int, bound: str = RAUCH, rounding: float = 0.0) -> float:
    """Return Δ_K, how far one record moves the gradient of the Fréchet mean's objective: KNG's noise is scaled to it.

    It is (2r/n) · expansion + 2 rounding: the sup of |grad F(x; D) - grad F(x; D')| over x in B_r(p0).

    Parameters
    ----------
    manifold : Manifold
        Where records lie.
    r : float
        Radius of the public ball that holds them.
    n : int
        How many there are, public.
    bound : str
        As of `expansion`.
    rounding : float
        Bound on the error of either gradient as it is computed (`gradient_rounding`).
    """
    check_radius(manifold, r)
    check_count(n)
    return 2 * r / n * expansion(manifold, r, bound) + 2 * rounding


def mean_sensitivity(manifold: Any, r: float, n: int, bound: str = RAUCH, tolerance: float = 0.0) -> float:
    """Return Δ_L, how far one record moves the Fréchet mean at most: the Laplace mechanism's noise is scaled to it.

    It is (Δ_K + 2 tolerance) / h_max(2r, κ_max).

    Parameters
    ----------
    manifold, r, n, bound
        As of `gradient_sensitivity`.
    tolerance : float
        Public bound on the gradient's norm, which the solver enforces; never the residual it reached.
    """
    _, kappa = manifold.curvature_bounds()
    return (gradient_sensitivity(manifold, r, n, bound) + 2 * tolerance) / float(h_max(2 * r, kappa))


def find_noise_factor(mechanism: str, restricted: bool) -> int:
    """Return how many times sensitivity/epsilon the scale of the noise is: 1, or 2 where the normaliser costs as much.

    The density's normaliser costs a second epsilon/2 where it depends on the data: for KNG, and for what is restricted
    to a ball, by where in it the mean lies.
    """
    if mechanism not in (KNG, LAPLACE):
        raise RefusedRelease(f"mechanism '{mechanism}' is unknown: use '{LAPLACE}' or '{KNG}'")
    return 2 if mechanism == KNG or restricted else 1


def scale(
    manifold: Any, mechanism: str, r: float, n: int, epsilon: float, restricted: bool = False, tolerance: float = 0.0
) -> Scale:
    """Return the scale of noise that makes a pure mechanism on a manifold epsilon-DP; refuse one without normaliser.

    Parameters
    ----------
    manifold : Manifold
        Where records lie.
    mechanism : str
        `laplace` or `kng`.
    r : float
        Radius of the public ball that holds the records.
    n : int
        How many there are, public.
    epsilon : float
        What the release may spend.
    restricted : bool
        Whether the law is that of the ball alone.
    tolerance : float
        Of the solver for Laplace, rounding included; the rounding of the gradient for KNG.
    """
    check_epsilon(epsilon)
    times = find_noise_factor(mechanism, restricted)
    delta = (gradient_sensitivity if mechanism == KNG else mean_sensitivity)(manifold, r, n, RAUCH, tolerance)
    sigma = times * delta / epsilon
    if not restricted:
        check_normaliser(manifold, sigma)
    return Scale(sigma, delta, times)


def published_scale(
    manifold: Any, mechanism: str, r: float, n: int, epsilon: float, times: int | None = None, reach: int | None = None
) -> Scale:
    """Return the scale of noise as the papers print it, private or not, to reproduce figures beside the proved one.

    It is times · Δ/epsilon, Δ = 2r (2 - h(reach · r))/n for KNG, over h(2r) for the Laplace.

    KNG on spheres: 1 and 1 (2022, supplement 2.4.2), which is not epsilon-DP (quadrature finds a loss of 1.45 at
    epsilon = 1): reproduction only. KNG elsewhere: 2 and 2 (2022, Theorems 1, 2; supplement 2.3.2). Laplace: 1 (2021,
    Theorem 1), reach always 2 (Theorem 2).

    Parameters
    ----------
    manifold, mechanism, r, n, epsilon
        As of `scale`.
    times, reach : int or None
        By default as printed.
    """
    check_radius(manifold, r)
    check_count(n)
    check_epsilon(epsilon)
    _, kappa = manifold.curvature_bounds()
    if mechanism == LAPLACE:
        delta, times, reach, least_times = mean_sensitivity(manifold, r, n, PAPERS), times or 1, 2, 1
    else:
        printed_times = 1 if kappa > 0 else 2
        times, reach, least_times = times or printed_times, reach or printed_times, 2
        delta = 2 * r / n * float(2 - h_max(reach * r, kappa))
    is_private = times >= least_times and (reach == 2 or kappa <= 0)
    return Scale(times * delta / epsilon, delta, times, private=is_private)


def check_epsilon(epsilon: float) -> None:
    """Refuse a budget that is not a positive number."""
    if not (np.isfinite(epsilon) and epsilon > 0):
        raise RefusedRelease(f"epsilon must be a positive number, got {epsilon}")


def check_count(n: int) -> None:
    """Refuse fewer than two records."""
    if n < 2:
        raise RefusedRelease(f"a mean needs at least 2 records, got n = {n}")


def check_normaliser(manifold: Any, sigma: float) -> None:
    """Refuse a scale at which no law exp(-dist/sigma) exists on the whole manifold, since its integral is infinite.

    On P(k) volume grows like e^(Bt), so that sigma must be below 1/B.
    """
    limit = 1 / manifold.growth if manifold.growth > 0 else np.inf
    if sigma >= limit:
        raise RefusedRelease(
            f"on {manifold} exp(-dist/sigma) has no finite integral for sigma = {sigma:.4g} >= {limit:.4g}: "
            "restrict the release to the ball, or use more records, a larger epsilon or a smaller r"
        )


# Half the distance from 1 to the next double: an operation errs by this share at most.
U = 2.0**-53
# Of epsilon: it is kept for the rounding of a density that is evaluated in doubles.
SHARE = 1e-6
# Times a scale that comes out of fewer than 2^10 operations on doubles: whatever these rounded, it is not too small.
ROUNDED_UP = 1 + 2.0**-40


def epsilon_for_noise(epsilon: float) -> float:
    """Return the epsilon that KNG's noise may spend, a little less than is recorded: the rest covers rounding."""
    return epsilon * (1 - SHARE)


def point_rounding(k: int) -> float:
    """Return how far rounding moves a computed shape of k landmarks at most, which the Laplace noise must cover, too.

    The computed vector is centered and of unit length but for the rounding of making it so.
    """
    return 4 * (k + 4) * U


def gradient_rounding(n: int, k: int) -> float:
    """Return how far rounding moves a computed gradient's norm at most, which KNG's sensitivity must cover, too.

    The gradient is the mean of n logarithms of unit vectors of k complex numbers. In whatever order terms are added up,
    real and imaginary parts in turn included: docs/proofs.md, (4.7).
    """
    return U * (6 * (n + 2) + 12 * (k + 4))
