"""The papers' pure mechanisms for planar shapes: Laplace, the K-norm gradient mechanism, and noise point by point.

Point by point, each coordinate of each landmark bears Laplace noise, the budget split over the 2k coordinates, in a
private form and in the two that were published. Shapes are centered unit z in C^k (`manifolds.projective.shape_of`);
ranges are complex, r_jx + i r_jy.

Proofs: docs/mathematics.md, (6.1), (6.2), (7.1), (7.3) and (7.6).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.accounting.sensitivity import check_count, check_epsilon
from shapedp.privacy.integer_sums import GRID
from shapedp.privacy.manifolds import frechet
from shapedp.privacy.manifolds.frechet import h_max
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.proofs import Proofs
from shapedp.privacy.samplers import exact, kng, rejection
from shapedp.privacy.shapes.base import PureShapeMechanism, ShapeMechanism


class Laplace(PureShapeMechanism):
    """The mechanism with Laplace noise about the Fréchet mean.

    That mean moves by at most `sensitivity.mean_sensitivity`; the normaliser is the same for every mean.
    """

    proofs = Proofs(
        ("6 and 7", "test_sensitivity"),
        ("4", "test_shape_mechanisms"),
        ("4", "test_exact"),
        machine_checked=("4.7", "6.2"),
    )
    name = "laplace"
    label = "Laplace"
    words = "Laplace noise on shape space around the Frechet mean, drawn exactly"
    formula = "(2 r/n) (s/sin s)/h(2 r), s = 2 r sqrt(kappa), plus 2 delta/h(2 r) for the solver and rounding"

    @property
    def solver(self) -> float:
        """Return how far a computed mean may lie from the exact one on any data, which the noise must cover, too.

        That is its tolerance, the rounding of a step, and how far the vector computed lies from the unit vector that
        stands for it.
        """
        return frechet.TOLERANCE + self.rounding + sensitivity.point_rounding(self.ball.space.point_shape[0])

    def check(self) -> None:
        super().check()
        frechet.certified_steps(self.ball.space, self.ball.r)

    def sensitivity(self) -> float:
        ball = self.ball
        return sensitivity.mean_sensitivity(ball.space, ball.r, ball.n, tolerance=self.solver)

    def draw(self, z: NDArray, source: Any) -> NDArray:
        """Draw the released shape: from exp(-dist(x, mean)/sigma), exactly, on a fine grid."""
        space, points, center, r = self.placed(z)
        mean = frechet.find_certified_mean(space, rejection.prepare(space, points, center, r)[0], center, r).point
        # the scale is computed in doubles, and rounded up, so that the noise is never too small
        sigma = self.sensitivity() / self.budget["epsilon"] * sensitivity.ROUNDED_UP
        return self.ball.from_points(exact.projective_laplace(mean, center, sigma, not self.ball.modes, source.bits))


class Kng(PureShapeMechanism):
    """The K-norm gradient mechanism.

    The gradient moves by at most `sensitivity.gradient_sensitivity` everywhere in the ball; the normaliser depends
    on the data and costs a second epsilon/2. The gradient is evaluated itself: no solver's error counts. Each proposal
    sums logarithms of all records in doubles, so that a proof for real numbers says nothing of the bits released.
    """

    proofs = Proofs(
        ("6 and 7", "test_sensitivity"), ("4", "test_shape_mechanisms"), ("8", "test_kng"), machine_checked=("4.7",)
    )
    name = "kng"
    label = "KNG"
    words = "the K-norm gradient mechanism on shape space, drawn by rejection in floating point"
    exact_arithmetic = False
    formula = (
        "(2 r/n) s/sin s for the gradient, s = 2 r sqrt(kappa), plus 2 e for rounding; the noise scale has a factor 2 "
        "for the normaliser"
    )

    def check(self) -> None:
        """Refuse what cannot be released, and settings under which a draw could take forever on some data."""
        super().check()
        sensitivity.check_epsilon(self.budget["epsilon"])
        frechet.certified_steps(self.ball.space, self.ball.r)
        self._find_sure_proposal()

    def sensitivity(self) -> float:
        return sensitivity.gradient_sensitivity(self.ball.space, self.ball.r, self.n, rounding=self.rounding)

    def draw(self, z: NDArray, source: Any) -> NDArray:
        """Draw the released shape by the K-norm gradient mechanism: from exp(-|grad F(x)|/sigma) on the ball."""
        draws, _ = kng.draw(
            *self.placed(z),
            self.spent_on_noise,
            source.generator(),
            rounding=self.rounding,
            fallback=self._find_sure_proposal(),
        )
        return self.ball.from_points(draws[0])

    def _find_sure_proposal(self):
        """Return the proposal that ends on any data, so that a draw's time tells nothing of them, or refuse."""
        space, r = self.ball.space, self.ball.r
        sigma = 2 * self.sensitivity() / self.spent_on_noise
        return kng.check_acceptance(space, r, sigma, float(h_max(2 * r, space.curvature_bounds()[1])))


class PointwiseLaplace(PureShapeMechanism):
    """The mechanism with Laplace noise on each coordinate of each landmark, about the public center.

    Ranges are r in x and y about p0: no coordinate of a shape in the ball is farther from p0's. One person moves the
    mean of a coordinate by at most 2r/n.
    """

    proofs = Proofs(("7", "test_pointwise_laplace"), ("4", "test_pointwise_laplace"), ("4", "test_pointwise_laplace"))
    name = "pointwise_laplace"
    label = "point-wise"
    words = "Laplace noise on each coordinate of each landmark, shapes aligned to the public center"
    formula = "2 r_j/n for each coordinate, records clamped to the range; coordinates compose by summing epsilon"
    clipping = "range"
    in_basis = False

    def sensitivity(self) -> float:
        return 2 * self.ball.r / self.n

    def draw(self, z: NDArray, source: Any) -> NDArray:
        z, p0 = self.ball.whole(z), self.ball.p0
        return draw_pointwise(z, p0, np.full(len(p0), self.ball.r * (1 + 1j)), self.budget["epsilon"], source)


class Published(PureShapeMechanism):
    """Noise about the Fréchet mean with ranges from the data: not private, for reproduction."""

    # Whether shapes are turned to their mean.
    aligned: bool

    proofs = PointwiseLaplace.proofs
    formula = "2 r_j/n for each coordinate, with ranges from the data"
    clipping = "none"
    calibration = "as_published"
    from_data = True
    exact_arithmetic = False
    in_basis = False

    def check(self) -> None:
        """Refuse what no mechanism can release; no ball is needed."""
        ShapeMechanism.check(self)

    def sensitivity(self) -> float:
        """Return the number as if the ranges were r."""
        return 2 * self.ball.r / self.n

    def draw(self, z: NDArray, source: Any) -> NDArray:
        z = self.ball.whole(z)
        mean = frechet.best(self.ball.kendall, z, self.ball.p0).point
        return published_pointwise(z, mean, self.budget["epsilon"], source.generator(), aligned=self.aligned)[0]


class PublishedAligned(Published):
    """The published form with shapes turned to their mean."""

    name = "pointwise_laplace_aligned"
    label = "point-wise, aligned"
    words = "Laplace noise on each coordinate of each landmark as published, shapes aligned to their mean"
    aligned = True


class PublishedUnaligned(Published):
    """The published form with shapes as they came."""

    name = "pointwise_laplace_unaligned"
    label = "point-wise, unaligned"
    words = "Laplace noise on each coordinate of each landmark as published, shapes not aligned"
    aligned = False


def sample_pointwise(center: NDArray, ranges: NDArray, n: int, epsilon: float, rng: Any, size: int = 1) -> NDArray:
    """Return draws (size, k) of a center with the papers' Laplace noise on each coordinate, for reproduction alone.

    Its scale is 4 r_j k / (n epsilon).

    Parameters
    ----------
    center : (k,) complex
        What noise is added to.
    ranges : (k,) complex
        r_jx + i r_jy.
    n : int
        Records.
    epsilon : float
        Of all coordinates together.
    rng : numpy.random.Generator
        Of the noise.
    size : int
        How many draws.
    """
    check_epsilon(epsilon)
    check_count(n)
    k = len(center)
    scale = 4 * k / (n * epsilon)
    noise = scale * (ranges.real * _laplace(rng, (size, k)) + 1j * ranges.imag * _laplace(rng, (size, k)))
    return center + noise


def draw_pointwise(shapes: NDArray, p0: NDArray, ranges: NDArray, epsilon: float, source: Any) -> NDArray:
    """Return the private form of the papers' point-wise mechanism (k,), with public ranges about a public p0.

    Each shape is turned to p0 and clamped to p0_j ± r_j; the average bears noise. Each of the 2k sums of whole steps of
    r_j/GRID moves by at most 2 GRID: docs/mathematics.md, (4.6).

    Parameters
    ----------
    shapes : (n, k) complex
        Centered unit shapes.
    p0 : (k,) complex
        A public shape.
    ranges : (k,) complex
        Public, positive in both parts.
    epsilon : float
        Of all coordinates together.
    source : SecureNoise or SeededNoise
        The noise.
    """
    check_epsilon(epsilon)
    check_count(len(shapes))
    if not ((ranges.real > 0) & (ranges.imag > 0) & np.isfinite(ranges)).all():
        raise RefusedRelease("the ranges must be positive in x and y for every landmark")
    offset = Kendall(len(p0)).align(p0, shapes) - p0
    # a shape with no best rotation counts as p0
    offset = np.where(np.isfinite(offset), offset, 0.0)
    sums = np.concatenate([clamped_sums(offset.real, ranges.real), clamped_sums(offset.imag, ranges.imag)])
    x, y = np.split(source.laplace_integers(sums, 2 * GRID * len(sums), epsilon) / (GRID * len(shapes)), 2)
    return p0 + ranges.real * x + 1j * ranges.imag * y


def clamped_sums(offset: NDArray, ranges: NDArray) -> NDArray[np.int64]:
    """Return the sums of clamped offsets (n, k) that epsilon-DP noise is put on: one record moves each by 2 GRID.

    Offsets are clamped to ± ranges and counted in whole steps of ranges/GRID, so that no rounding moves the sums.
    """
    return np.clip(np.trunc(offset * (GRID / ranges)), -GRID, GRID).astype(np.int64).sum(axis=0)


def published_pointwise(
    shapes: NDArray, mean: NDArray, epsilon: float, rng: Any, size: int = 1, aligned: bool = True
) -> NDArray:
    """Return draws of the point-wise mechanism as the 2022 supplement prints it (2.5.2): not private, for comparison.

    Noise is put on the Fréchet mean, and ranges come from the data: max_i |x_ij - mean_j|.

    Parameters
    ----------
    shapes : (n, k) complex
        Centered unit shapes.
    mean : (k,) complex
        Their Fréchet mean.
    epsilon : float
        What the published form claims.
    rng : numpy.random.Generator
        Of the noise.
    size : int
        How many draws.
    aligned : bool
        False leaves the rotation of each shape as it came.

    Returns
    -------
    (size, k) complex
    """
    rotated = Kendall(len(mean)).align(mean, shapes) if aligned else shapes
    offset = rotated - mean
    ranges = np.abs(offset.real).max(axis=0) + 1j * np.abs(offset.imag).max(axis=0)
    return sample_pointwise(mean, ranges, len(shapes), epsilon, rng, size)


def _laplace(rng, shape):
    """Return standard Laplace numbers: exponential ones with a random sign."""
    return rng.standard_exponential(shape) * np.where(rng.random(shape) < 0.5, -1.0, 1.0)
