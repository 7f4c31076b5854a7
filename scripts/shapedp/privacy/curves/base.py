"""Mechanisms for a mean face: a clip and a linear map to coordinates with isotropic noise, and a public map back.

One person's curves x (J, 3, m) become coordinates u with ||u|| <= bound. Noise of standard deviation `noise` on every
coordinate of the sum over people makes it mu-GDP, mu = 2 bound/noise. By choice of units noise = 2, mu = bound.

Proofs: docs/mathematics.md, (3.3) and (3.4).
"""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shapedp.privacy import integer_sums
from shapedp.privacy.accounting.cost import Cost
from shapedp.privacy.curves import bounds
from shapedp.privacy.integer_sums import GRID
from shapedp.privacy.statistic import BoundedSum, Mechanism, Sums

NOISE = integer_sums.NOISE
AREA_UNIT = "square root of the face's area"


@dataclass(frozen=True)
class CurveSettings:
    """Public settings of a release of curves.

    shape : (J, 3, m); n : people; bounds : bounds.Bounds, or for `shaped` its face_variation.Variation
    reference : (J, 3, m) public curves to subtract, or None
    budget : {"mu": (3,)} for each curve, or {"mu_total": number} with the best public split
    kernel : rho, alpha, phi (3,)
    planned_for : how many people axes and clip are chosen for, where this is a part of what will be pooled; None: for n
    """

    shape: tuple
    n: int
    bounds: object
    reference: np.ndarray | None
    budget: dict
    kernel: dict
    planned_for: int | None = None

    @property
    def center(self) -> NDArray[np.float64]:
        """Return the reference, or zero where there is none."""
        return np.zeros(self.shape) if self.reference is None else self.reference


@dataclass(frozen=True)
class CurveMechanism(BoundedSum, Mechanism):
    """A mechanism for the mean of n people's curves (J, 3, m); see the module.

    bound, noise : of a person's coordinates and on their sum; mu follows from them, and is what it guarantees
    claimed : the mu it was asked for, which a published scale may miss by a lot
    """

    n: int
    bound: float
    noise: float
    claimed: float

    # False where points are released that each bear noise of their own.
    gives_curves = True
    branch = "faces"
    budgets = ("mu_total", "mu")
    sampler = "discrete_gaussian"
    # The section of the settings of faces that says how noise is shaped.
    section = "kernel"
    # People summed together. At 23 x 3 x 80 numbers each their arrays stay in the cache, which is twice as fast.
    at_once = 16
    # How many times as far as public people these lie, where a first stage told it.
    bound_scale = None
    # Of the noise on each coordinate, in the unit of the bound, once that followed a first stage.
    settled_sd = None
    # By how much the released mean was enlarged for what the clip took of it, where it was.
    largest_undo_factor = None

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        # an own class that extends the constructor under its older name calls it by that name: super().of(settings)
        if "from_settings" in vars(cls):
            cls.of = vars(cls)["from_settings"]

    @classmethod
    @abstractmethod
    def from_settings(cls, settings: Any) -> Any:
        """Return the mechanism for these CurveSettings, or refuse what it cannot do."""

    @property
    @abstractmethod
    def coordinates(self) -> tuple[int, ...]:
        """Return the shape of one person's coordinates u."""

    @abstractmethod
    def encode(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return coordinates u (..., *coordinates) of people's curves (..., J, 3, m), clipped: what is summed.

        ||u|| <= bound up to rounding, which the integer grid ends.
        """

    @abstractmethod
    def decode(self, mean_coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the released curves (..., J, 3, m) from the mean of the coordinates: post-processing."""

    @abstractmethod
    def recover_coordinates(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coordinates of released curves, the inverse of `decode` on what it returns: what an attacker looks
        at.
        """

    @abstractmethod
    def variances(self) -> NDArray[np.float64]:
        """Return the variance (J, 3) of the noise on a coordinate of a released point, mean over a curve's points."""

    @abstractmethod
    def worst_pair(self) -> NDArray[np.float64]:
        """Return curves (2, J, 3, m) of two people whose coordinates lie 2 bound apart: the audit's neighbours."""

    @property
    def mu(self) -> float:
        """Return mu of Gaussian differential privacy."""
        return 2 * self.bound / self.noise

    def worth(self) -> Any:
        """Return the worth.Worth of the release beside the reference alone; None where its bias depends on the data."""
        return None

    def cost(self) -> Cost:
        return integer_sums.gaussian_cost(self.mu, *self.noise_stages())

    def noise_stages(self) -> list[tuple]:
        """Return (count, sensitivity, mu) of the integers that each stage adds noise to."""
        return [(self.width, integer_sums.SENSITIVITY, 2 * self.bound / self.noise)]

    def sensitivity(self) -> float:
        return 2 * self.bound / self.n

    def inputs(self, kernel_settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the sensitivity and the noise follow from, by symbol; public numbers."""
        return {"n": self.n, "mu": self.mu, **{key: kernel_settings[key] for key in ("phi", "rho", "alpha")}}

    def grid(self) -> float:
        return self.bound / GRID / self.n

    def point_variances(self) -> NDArray[np.float64]:
        """Return the variance (J, 3, m) of the noise on each coordinate of each point; here one all along a curve."""
        return np.broadcast_to(self.variances()[..., None], self.coordinates)

    def simulate_error(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return noise (J, 3, m) as a release bears it, from an ordinary generator: for pictures of what noise does."""
        u = self.noise / self.n * rng.standard_normal(self.coordinates)
        return self.decode(u) - self.decode(np.zeros(self.coordinates))

    def differs_from_public_set(self, mean_coordinates: NDArray[np.float64]) -> bool | None:
        """Return whether a noised mean says that the cohort differs from the public set: None, there is no set."""
        return None

    def describe_far_people(self) -> tuple[float, float] | None:
        """Return what the answers say of people who lie much farther than others; None where that is not asked."""
        return None

    def noise_sd(self) -> NDArray[np.float64]:
        """Return the standard deviation (J, 3) of the noise at each point of a curve."""
        return np.sqrt(self.variances())

    def noise_size(self) -> float:
        """Return the root mean square distance that the noise moves a point."""
        return float(np.sqrt(np.mean(self.variances().sum(axis=1))))

    def noise_left(self) -> float:
        """Return what of `noise_size` is noise, where what noise hides counts there, too."""
        return self.noise_size()

    def first_stage(self) -> Any:
        """Return the statistic that is asked before people's mean, or None."""
        return None

    def with_bound_from(self, answers: tuple) -> Any:
        """Return the mechanism as the answers of the first stages leave it: here as it is."""
        return self

    def stage(self, answers: tuple) -> Any:
        """Return what to ask of people next: a first stage that is unanswered, or their mean; None at the end."""
        first = self.first_stage()
        stages_before_mean = int(first is not None)
        if len(answers) < stages_before_mean:
            return first
        return self.with_bound_from(answers) if len(answers) == stages_before_mean else None

    @property
    def width(self) -> int:
        return math.prod(self.coordinates)

    def integers(self, curves: NDArray[np.float64], beside: None = None) -> NDArray[np.int64]:
        """Return integer coordinates (n, N) of people's curves, so that their sum is exact and rounding leaks nothing.

        Each row is no longer than GRID, whatever a record holds.
        """
        # a record may hold numbers that overflow here; the grid counts it as the reference then
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            coordinates = self.encode(curves).reshape(len(curves), -1)
        return integer_sums.to_grid(coordinates, self.bound)

    def noised(self, sums: Sums, source: Any) -> NDArray:
        return self.noised_mean(sums.values[0], source)[0]

    def draw(self, sums: NDArray[np.int64], source: Any) -> NDArray:
        """Return released curves (J, 3, m) from the exact sum of people's coordinates, for forecasts and experiments.

        The sum is that of `integer_sums.sum_people`. Releases ask by `stage` instead.
        """
        mean = self.noised_mean(sums, source)[0]
        return self.decoder_for(mean).decode(mean)

    def decoder_for(self, mean_coordinates: NDArray[np.float64]) -> Any:
        """Return the mechanism that decodes this noised mean, where a correction follows from it; here none does."""
        return self

    def noised_mean(self, sums: NDArray[np.int64], source: Any) -> tuple[NDArray[np.float64], float]:
        """Return (mean coordinates with noise, rho of zCDP) from the exact integer sums."""
        mean, rho = integer_sums.noised_mean(sums, self.bound, self.n, 2 * self.bound / self.noise, source)
        return mean.reshape(self.coordinates), rho

    def exact_mean(self, sums: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the mean coordinates without noise: private."""
        return sums.reshape(self.coordinates) * (self.bound / GRID / self.n)


@dataclass(frozen=True)
class Diagonal(CurveMechanism):
    """A mechanism that scales each coefficient by a public number before the noise, and back after it.

    u = gain * c(clip(x)), released: center + c^-1(back * mean), c the Fourier coefficients of each curve, or the
    points themselves; gain, back : (J, 3, m), positive.
    """

    center: np.ndarray
    gain: np.ndarray
    back: np.ndarray

    @property
    def coordinates(self) -> tuple[int, ...]:
        return self.gain.shape

    @abstractmethod
    def clip(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return deviations from the center (..., J, 3, m), no larger than the public bounds."""

    def encode(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.gain * self._coefficients(self.clip(curves))

    def decode(self, mean_coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.center + self._deviations(self.back * mean_coordinates)

    def recover_coordinates(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._coefficients(curves - self.center) / self.back

    def variances(self) -> NDArray[np.float64]:
        """Return the variance (J, 3); the basis is orthonormal in the mean over a curve's points."""
        per_coordinate = (self.noise / self.n * self.back) ** 2
        return per_coordinate.sum(axis=-1) if self.gives_curves else per_coordinate.mean(axis=-1)

    def point_variances(self) -> NDArray[np.float64]:
        return super().point_variances() if self.gives_curves else (self.noise / self.n * self.back) ** 2

    def worst_pair(self) -> NDArray[np.float64]:
        """Return two people who differ by as much as the clip lets through, for audits to tell apart.

        They lie beyond the bound on either side, in the strongest coordinate of every block, or at every point.
        """
        u = np.zeros(self.coordinates)
        if self.gives_curves:
            np.put_along_axis(u, self.gain.argmax(axis=-1, keepdims=True), self.bound, axis=-1)
        else:
            u[:] = self.bound
        deviation = self._deviations(u / self.gain)
        return np.stack([self.center - deviation, self.center + deviation])

    def _coefficients(self, deviations):
        return bounds.coefficients(deviations) if self.gives_curves else deviations

    def _deviations(self, coefficients):
        return bounds.curves(coefficients) if self.gives_curves else coefficients


def shrink_factor(norms: ArrayLike, tau: ArrayLike) -> NDArray[np.float64]:
    """Return the factor that takes what is longer than tau to tau, and leaves the rest."""
    # The least norm stands for 0, whose factor is 1.
    return np.minimum(1.0, tau / np.maximum(norms, 1e-300))
