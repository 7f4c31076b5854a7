"""The one place where randomness for a release comes from.

All noise that a guarantee stands on is drawn without rounding, from the operating system's entropy: discrete Gaussian
and Laplace noise on whole numbers and the noisy maximum by OpenDP, K-norm noise on whole numbers and points of the
Laplace law by ball arithmetic (`samplers.exact`). The gradient mechanism alone gets a generator of doubles, whose every
draw is an inverse distribution function of 52 random bits, and makes no claim. A seeded source exists for tests and
demonstrations only; whatever it makes is not private and says so.

Proofs: docs/mathematics.md, (4.2) and (4.3) to (4.6).
"""

import os
from fractions import Fraction
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from shapedp.base.errors import RefusedRelease

# By how many last digits of a double OpenDP's map may lie above the division.
ROUNDINGS = 16
# With the half added, all 53 bits of a double are used and nothing rounds up to 1.
BITS = 52


class SecureGenerator:
    """Doubles from the operating system, with the few methods of numpy's Generator that the samplers use."""

    def random(self, size: int | tuple[int, ...] | None = None) -> NDArray | float:
        """Return uniform numbers on (0, 1) from the operating system's entropy, for samplers of releases.

        They are never 0 or 1, so that inverse distribution functions stay finite.
        """
        shape = () if size is None else tuple(np.atleast_1d(size).astype(int))
        count = int(np.prod(shape))
        whole = np.frombuffer(os.urandom(8 * count), dtype="<u8") >> np.uint64(64 - BITS)
        # the half keeps 0 and 1 out, where inverse distribution functions are infinite
        uniform = (whole + 0.5) * 2.0**-BITS
        return uniform.reshape(shape) if shape else float(uniform[0])

    def standard_normal(self, size: int | tuple[int, ...] | None = None) -> NDArray:
        return scipy.special.ndtri(self.random(size))

    def standard_exponential(self, size: int | tuple[int, ...] | None = None) -> NDArray:
        return -np.log(self.random(size))

    def standard_gamma(self, shape: ArrayLike, size: int | tuple[int, ...] | None = None) -> NDArray:
        """Return gamma distributed numbers, such as lengths of flat noise: t^(shape - 1) e^-t / Gamma(shape)."""
        return scipy.special.gammaincinv(shape, self.random(np.shape(shape) if size is None else size))


class Noise:
    """What both sources share: exact draws from words of random bits."""

    def bits(self, count: int) -> list[int]:
        """Return `count` words of 64 random bits."""
        raise NotImplementedError

    def k_norm_integers(self, values: NDArray[np.int64], sensitivity: int, epsilon: float) -> NDArray[np.float64]:
        """Return integers (q,) with K-norm noise, of density exp(-epsilon |y|/sensitivity): an epsilon-DP release.

        The noise is rounded to whole numbers, exactly.

        Parameters
        ----------
        values : (q,) int64
            Exact sums.
        sensitivity : int
            Of the values in the Euclidean norm.
        epsilon : float
            Taken as the rational that it is.
        """
        from shapedp.privacy.samplers import exact

        scale = Fraction(int(sensitivity)) / Fraction(float(epsilon))
        return np.array(exact.k_norm([int(value) for value in values], scale, self.bits), dtype=float)


class SecureNoise(Noise):
    """The noise of releases: from the operating system's entropy, without a seed."""

    secure = True
    words = "OpenDP and os.urandom: entropy of the operating system, no seed"

    def generator(self) -> Any:
        return SecureGenerator()

    def bits(self, count: int) -> list[int]:
        return [int(word) for word in np.frombuffer(os.urandom(8 * count), dtype="<u8")]

    def gaussian_integers(
        self, values: NDArray[np.int64], scale: float, sensitivity: float
    ) -> tuple[NDArray[np.int64], float]:
        """Return integers (N,) with a discrete Gaussian each, the noise of mu-GDP releases, and rho of zCDP.

        Parameters
        ----------
        values : (N,) int64
            Exact sums.
        scale : float
            Standard deviation of the noise.
        sensitivity : float
            Of `values` in the Euclidean norm; OpenDP's own map must give rho = (sensitivity / scale)^2 / 2.
        """
        measurement = _measurement("gaussian", float(scale))
        rho = certified_rho(float(scale), float(sensitivity))
        # The library's own proof and OpenDP's map must agree before anything is drawn.
        claimed = (sensitivity / scale) ** 2 / 2
        if not claimed * (1 - 1e-9) <= rho <= claimed * (1 + 1e-9):
            raise RefusedRelease(
                f"OpenDP certifies rho = {rho:.12g}, the mechanism claims {claimed:.12g}; nothing drawn"
            )
        return np.array(measurement([int(value) for value in values]), dtype=np.int64), rho

    def laplace_integers(self, values: NDArray[np.int64], sensitivity: int, epsilon: float) -> NDArray[np.int64]:
        """Return integers (N,) with discrete Laplace noise each, which makes their release epsilon-DP.

        Parameters
        ----------
        values : (N,) int64
            Exact sums.
        sensitivity : int
            Of the values in the norm of sums.
        epsilon : float
            Of pure differential privacy.
        """
        measurement = _certified_measurement("laplace", float(sensitivity), int(sensitivity), epsilon)
        return np.array(measurement([int(value) for value in values]), dtype=np.int64)

    def noisy_max(self, scores: NDArray[np.int64], sensitivity: int, epsilon: float) -> int:
        """Return the index of about the largest score, chosen with noise so that it is epsilon-DP, such as a radius.

        Its duration depends on the scores.

        Parameters
        ----------
        scores : (N,) int64
            Each moves by at most `sensitivity`.
        sensitivity : int
            Of a score.
        epsilon : float
            Of pure differential privacy.
        """
        measurement = _certified_measurement("noisy_max", 2.0 * sensitivity, int(sensitivity), epsilon)
        return int(measurement([int(score) for score in scores]))


def certified_rho(scale: float, sensitivity: float) -> float:
    """Return rho of zCDP that OpenDP's own map gives for discrete Gaussian noise on integers, rounded up."""
    return _measurement("gaussian", scale).map(d_in=sensitivity)


def _certified_measurement(kind, sensitivity, distance, epsilon):
    """Return OpenDP's measurement with the least noise that its own map certifies to spend no more than epsilon."""
    # OpenDP rounds its map up, so that the least scale may lie some last digits above the division
    scale = sensitivity / epsilon
    for _ in range(ROUNDINGS):
        measurement = _measurement(kind, scale)
        if measurement.map(d_in=distance) <= epsilon:
            return measurement
        scale = float(np.nextafter(scale, np.inf))
    raise RefusedRelease(
        f"OpenDP certifies epsilon = {measurement.map(d_in=distance):.12g}, the mechanism claims {epsilon:.12g}; "
        "nothing drawn"
    )


def _measurement(kind, scale):
    """Return OpenDP's measurement that adds noise of this kind and scale to integer vectors: the draw itself.

    `gaussian` or `laplace` noise, or `noisy_max`, the index of the largest once exponential noise is added (permute and
    flip). OpenDP's prelude would import scikit-learn, and take ten times as long.
    """
    from opendp import measurements, measures, metrics
    from opendp.domains import atom_domain, vector_domain
    from opendp.mod import enable_features
    from opendp.typing import f64, i64

    enable_features("contrib")
    domain = vector_domain(atom_domain(T=i64))
    if kind == "gaussian":
        return measurements.make_gaussian(domain, metrics.l2_distance(T=f64), scale=scale)
    if kind == "laplace":
        return measurements.make_laplace(domain, metrics.l1_distance(T=i64), scale=scale)
    return measurements.make_noisy_max(domain, metrics.linf_distance(T=i64), measures.max_divergence(), scale=scale)


class SeededNoise(Noise):
    """Reproducible noise for tests and demonstrations; never private."""

    secure = False
    words = "a seeded pseudo-random generator: anyone with the seed can take the noise off again"

    def __init__(self, seed):
        self._rng = np.random.default_rng(seed)

    def generator(self) -> Any:
        return self._rng

    def bits(self, count: int) -> list[int]:
        return [int(word) for word in self._rng.integers(0, 1 << 64, count, dtype=np.uint64)]

    def laplace_integers(self, values: NDArray[np.int64], sensitivity: float, epsilon: float) -> NDArray:
        """Return what SecureNoise does, by rounding numbers of the Laplace law."""
        noise = np.rint(self._rng.laplace(0.0, sensitivity / epsilon, len(values)))
        return np.asarray(values, dtype=np.int64) + noise.astype(np.int64)

    def noisy_max(self, scores: NDArray, sensitivity: float, epsilon: float) -> int:
        """Return what SecureNoise does, with exponential noise in doubles."""
        return int(np.argmax(scores + self._rng.exponential(2 * sensitivity / epsilon, len(scores))))

    def gaussian_integers(
        self, values: NDArray[np.int64], scale: float, sensitivity: float
    ) -> tuple[NDArray[np.int64], float]:
        """Return integers with rounded normal noise, as SecureNoise does but repeatable: for tests, never private.

        rho is what the same noise would certify if it were secret.
        """
        noise = np.rint(self._rng.normal(0.0, scale, len(values))).astype(np.int64)
        return np.asarray(values, dtype=np.int64) + noise, (sensitivity / scale) ** 2 / 2


def make_source(seed: int | None = None) -> Any:
    """Return the noise source of a release: secure, unless a seed is given."""
    return SecureNoise() if seed is None else SeededNoise(seed)
