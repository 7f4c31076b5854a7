"""A mean shape of planar landmarks with nothing public: a private center, a private radius, then the release about it.

The three are one entry of the ledger. H = sum z z*, Hermitian, needs no center, no radius and no alignment; its first
eigenvector is a private extrinsic mean. Along a contour only the first MODES frequencies are asked for, where noise is
less. The radius within which a share QUANTILE of the records lies about it is drawn by permute and flip on a public
grid, and is eps-DP. The deviation from that center then has the prior of that radius (`shape_variation.assume_prior`).

Proof of each and of their sum: docs/mathematics.md, (7.8) and (7.9).
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy import integer_sums
from shapedp.privacy.accounting.cost import PURE, Cost, gaussian_of_pure
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.proofs import Proofs
from shapedp.privacy.shapes import contour
from shapedp.privacy.shapes.base import Ball, ShapeMechanism, as_complex, as_real
from shapedp.privacy.shapes.learned import Shaped
from shapedp.privacy.statistic import Rows, Statistic, Sums, ask

# Of mu²: center, radius, release.
SHARES = (0.35, 0.05, 0.6)
# A share in tenths, so that scores are whole numbers.
QUANTILE, TENTHS = 0.9, 10
# The prior's radius over the quantile.
MARGIN = 1.2
# The public grid, radian.
RADII = np.geomspace(0.005, np.pi / 2, 200)
# Along a contour the center is looked for in the slowest frequencies alone, where H has fewer entries that bear noise.
MODES = 16


class PrivateCenter(ShapeMechanism):
    """The mechanism with nothing public, in three stages; see the module.

    The ball's p0 says only how the released shape lies; its modes, whether there is a contour.
    """

    proofs = Proofs(("7", "test_private_center"), ("7", "test_private_center"), machine_checked=("2.5", "4.3", "7.8"))
    name = "private_center"
    label = "private center"
    words = (
        "Gaussian noise on the mean of z z*, whose first eigenvector is a center; a radius about it by a noisy "
        "maximum; then Gaussian noise on the mean of the deviations from that center, clipped to that radius"
    )
    formula = "√2/n for the mean of z z*, 1 for the number of records within a radius, 2 tau/n for the deviations"
    clipping = "norm"
    sampler = "discrete_gaussian"
    in_basis = False
    along_contour = True
    adds_up = True

    @property
    def split(self) -> tuple[float, float, float]:
        """Return (mu_1, epsilon_2, mu_3), how the budget is shared among center, radius and mean."""
        # The share DIGITS covers the rounding of these roots, so that the three never exceed mu.
        mus = self.budget["mu_total"] * np.sqrt(SHARES) * (1 - integer_sums.DIGITS)
        center, radius, release = (float(mu) for mu in mus)
        epsilon = scipy.optimize.brentq(lambda epsilon: gaussian_of_pure(epsilon) - radius, 1e-6, 50)
        return center, float(epsilon), release

    @property
    def basis(self) -> NDArray:
        """Return orthonormal complex columns (k, p) in which the center is looked for: few of them bear less noise."""
        k = len(self.ball.p0)
        if self.ball.modes and k > MODES:
            return contour.basis(k, MODES)
        return scipy.linalg.null_space(np.ones((1, k))).astype(complex)

    @property
    def moment_sensitivity(self) -> float:
        """Return how far one record moves the sum H of z z*, to which the first stage's noise is scaled.

        That is sqrt 2, and what cutting its p² coordinates to whole numbers adds.
        """
        return float(np.sqrt(2) + 2 * self.basis.shape[1] / integer_sums.GRID)

    def check(self) -> None:
        super().check()
        if not self.ball.nothing_public:
            raise RefusedRelease("mechanism `private_center` takes no public center: set shapes.center to `private`")

    def cost(self) -> Cost:
        """Return what center, radius and mean spend together, for the ledger: mu, with rho and eta of the Gaussian two.

        The third has 2k - 4 coordinates at most.
        """
        center, epsilon, release = self.split
        deviation_stage = 2 * len(self.ball.p0) - 4, integer_sums.SENSITIVITY, release
        gaussian = integer_sums.gaussian_cost(
            self.budget["mu_total"], Center(self, center).noise_stage, deviation_stage
        )
        return replace(gaussian, rho=gaussian.rho + Cost(PURE, epsilon=epsilon).in_currencies()[1])

    def sensitivity(self) -> float:
        return self.moment_sensitivity / self.n

    def stated_bounds(self) -> tuple:
        return (("r", float(np.pi / 2), "radian"),)

    def grid(self) -> float:
        """Return the step of the first stage's integer grid, divided by n."""
        return 1 / integer_sums.GRID / self.n

    def noise_size(self) -> float:
        """Return NaN: it is unknown beforehand, since noise is scaled to the private radius."""
        return float("nan")

    def noise_covariance(self) -> NDArray[np.float64]:
        return np.full((len(self.ball.p0), 2, 2), np.nan)

    def stage(self, answers: tuple) -> Any:
        """Return what to ask of people next: a center, the radius about it, the mean about it; None at the end."""
        mu_center, epsilon, _ = self.split
        match answers:
            case ():
                return Center(self, mu_center)
            case (center,):
                return Radius(self.n, LandmarkShapes(center), epsilon)
            case (_, _):
                return self.mechanism_about(answers)

    def mechanism_about(self, answers: tuple) -> Shaped:
        """Return the last stage: the mechanism about the private center, with the prior of the private radius."""
        ball = Ball(self.n, as_complex(answers[0]), MARGIN * float(answers[1]), self.ball.modes)
        return Shaped(ball, {"mu_total": self.split[2]})

    def shape(self, answers: tuple) -> NDArray:
        return self.mechanism_about(answers).shape(answers)

    def draw(self, z: NDArray, source: Any) -> NDArray:
        return self.shape(ask(self, Rows.of(as_real(z)), source))


@dataclass(frozen=True)
class Center(Statistic):
    """The question of the first stage: the sum H, under mu, whose first eigenvector is a center."""

    mechanism: PrivateCenter
    mu: float

    def sums(self, people: Any) -> Sums:
        return Sums((hermitian_rows(people.all(), self.mechanism.basis).sum(axis=0),))

    @property
    def noise_stage(self) -> tuple[int, int, float]:
        """Return (count, sensitivity, mu) of the noise on H's p² coordinates, in whole steps, for cost and draw."""
        # in whole steps, rounded up: noise is never scaled to less than a record moves
        sensitivity = math.ceil(self.mechanism.moment_sensitivity * integer_sums.GRID)
        return self.mechanism.basis.shape[1] ** 2, sensitivity, self.mu

    def noised(self, sums: Sums, source: Any) -> NDArray:
        """Return the private center (k, 2), about which later stages ask, from the noised sum H of z z*.

        It is H's first eigenvector, centered and of size 1.
        """
        _, sensitivity, mu = self.noise_stage
        noised, _ = source.gaussian_integers(sums.values[0], integer_sums.gaussian_scale(sensitivity, mu), sensitivity)
        z = self.mechanism.basis @ np.linalg.eigh(hermitian(noised.astype(float)))[1][:, -1]
        return landmark_shapes.unit(np.stack([z.real, z.imag], axis=-1)[None])[0][0]

    def cost(self) -> Cost:
        return integer_sums.gaussian_cost(self.mu, self.noise_stage)


@dataclass(frozen=True)
class Radius(Statistic):
    """The question of the second stage: the radius within which most of n records lie about a center, under epsilon."""

    n: int
    shapes: LandmarkShapes
    epsilon: float

    def sums(self, people: Any) -> Sums:
        return Sums((counts_within(np.linalg.norm(self.shapes.deviations(people.all()), axis=1)),))

    def noised(self, sums: Sums, source: Any) -> float:
        """Return the radius to which records are clipped about the private center: a noisy maximum of scores."""
        return RADII[source.noisy_max(radius_scores(sums.values[0], self.n), TENTHS, self.epsilon)]

    def cost(self) -> Cost:
        return Cost(PURE, epsilon=self.epsilon)


def counts_within(distances: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many distances lie within each radius of the grid, of which the private radius is chosen."""
    return (distances[:, None] <= RADII).sum(axis=0)


def radius_scores(counts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return a score of each radius, best where QUANTILE of n people lie within, for a private choice by noisy maximum.

    It is -TENTHS |count within the radius - QUANTILE n|, a whole number, which one record moves by TENTHS.
    """
    return -np.abs(TENTHS * counts - round(TENTHS * QUANTILE) * n)


def hermitian_rows(records: NDArray, basis: NDArray) -> NDArray[np.int64]:
    """Return each person's z z* as bounded whole numbers (n, p²), whose noised sum tells the private center.

    They are real coordinates of y y*, y the unit shape in the basis; 0 where it has none.
    """
    shapes, is_shape = landmark_shapes.unit(records)
    y = (shapes[..., 0] + 1j * shapes[..., 1]) @ basis.conj()
    size = np.linalg.norm(y, axis=1, keepdims=True)
    y = y / np.where(size > contour.LEAST, size, 1.0) * (is_shape[:, None] & (size > contour.LEAST))
    outer = y[:, :, None] * y[:, None, :].conj()
    upper = np.triu_indices(basis.shape[1], 1)
    off_diagonal = np.sqrt(2) * outer[:, upper[0], upper[1]]
    diagonal = np.einsum("npp->np", outer).real
    rows = np.concatenate([diagonal, off_diagonal.real, off_diagonal.imag], axis=1)
    rows[~np.isfinite(rows).all(axis=1)] = 0.0
    return np.trunc(rows * integer_sums.GRID).astype(np.int64)


def hermitian(coordinates: NDArray[np.float64]) -> NDArray:
    """Return the Hermitian matrix (p, p) of real coordinates (p²,), to take the noised sum's first eigenvector."""
    p = int(np.sqrt(len(coordinates)))
    upper = np.triu_indices(p, 1)
    out = np.diag(coordinates[:p]).astype(complex)
    re, im = coordinates[p:].reshape(2, -1) / np.sqrt(2)
    out[upper] = re + 1j * im
    return out + np.triu(out, 1).conj().T
