"""The mean shape as its deviation from the public p0, with noise shaped by public people; Gaussian, or pure epsilon-DP.

Each record has x = log_p0(record), u = its public linear image, clipped to ||u|| <= tau (`Coordinates`).
Replacing one of n records moves the mean of u by at most 2 tau/n, whatever the curvature and for any p0: noise on u
of that scale, then public maps back to a shape. Which axes and which tau is chosen from public numbers alone
(`variation.shape_variation`), and only how good the release is depends on it.

Proof: docs/mathematics.md, (7.7).
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.errors import RefusedRelease
from shapedp.manifolds.landmark_shapes import LandmarkShapes
from shapedp.mechanisms import integer_sums, worth
from shapedp.mechanisms.accounting.cost import PURE, Cost
from shapedp.mechanisms.shapes.base import OUTPUT_GRID, ShapeMechanism, as_complex, as_real
from shapedp.mechanisms.statistic import BoundedSum, Rows, Sums, ask
from shapedp.variation import shape_variation
from shapedp.variation.shape_variation import Choice, Variation

SIZE = 0.5  # bound on the size's coordinate over that on the shape's


@dataclass(frozen=True)
class Coordinates:
    """u_i = l_i^(-1/4) <v_i, log_p0(record)> on the chosen axes, ||u|| at most the choice's clip; where size, public
    bounds of log centroid size, is given, one more: from -SIZE to SIZE times the clip as the size goes from one to the
    other.
    """

    shapes: LandmarkShapes
    variation: Variation
    choice: Choice
    size: tuple | None = None

    @property
    def bound(self) -> float:
        """On a person's coordinates together."""
        return self.choice.clip * widened(self.size)

    @property
    def count(self) -> int:
        return self.choice.axes + (self.size is not None)

    @cached_property
    def roots(self) -> NDArray[np.float64]:
        """Fourth roots of the moments on the axes."""
        return self.variation.moments[: self.choice.axes] ** 0.25

    @property
    def axes(self) -> NDArray[np.float64]:
        return self.variation.axes[: self.choice.axes]

    def integers(self, records: NDArray[np.float64], log_sizes: NDArray[np.float64] | None = None) -> NDArray[np.int64]:
        """(n, count) whole numbers of any records (n, k, d) at all, no row longer than the grid's bound."""
        u = self.clipped(records)
        if self.size is not None:
            low, high = self.size
            place = np.nan_to_num((2 * log_sizes - low - high) / (high - low), nan=0.0)  # 0, the middle, for no size
            u = np.column_stack([u, SIZE * self.choice.clip * np.clip(place, -1, 1)])
        return integer_sums.integers(u, self.bound)

    def clipped(self, records: NDArray) -> NDArray[np.float64]:
        """(n, axes) coordinates of any records (n, k, d), without size."""
        u = self._of(records)
        lengths = np.linalg.norm(u, axis=1, keepdims=True)
        return u * np.minimum(1.0, self.choice.clip / np.maximum(lengths, self.choice.clip))

    def lengths(self, records: NDArray) -> NDArray[np.float64]:
        """(n,) ||u|| before the clip."""
        return np.linalg.norm(self._of(records), axis=1)

    @property
    def public_lengths(self) -> NDArray[np.float64]:
        """(m,) ||u|| of public people who had no part in the axes, in units of the clip."""
        return self.variation.lengths[:, self.choice.axes - 1] / self.choice.clip

    def _of(self, records):
        return self.shapes.deviations(records) @ self.axes.T / self.roots

    @property
    def shrinking(self) -> NDArray[np.float64]:
        """(axes,) factors towards p0 on what is released; 1 where nothing is shrunk."""
        return np.ones(self.choice.axes) if self.choice.factors is None else self.choice.factors

    def shape(self, u: NDArray[np.float64]) -> NDArray:
        """The shape (k, d) of coordinates (count,), shrunk."""
        return self.shapes.shape((u[..., : self.choice.axes] * self.roots * self.shrinking) @ self.axes)

    def log_size(self, u: NDArray[np.float64]) -> float:
        """Log centroid size of coordinates (count,), kept between its bounds."""
        low, high = self.size
        return float(np.clip((low + high) / 2 + u[-1] * self.log_size_step, low, high))

    @property
    def log_size_step(self) -> float:
        """By how much log centroid size grows with its coordinate."""
        low, high = self.size
        return (high - low) / (2 * SIZE * self.choice.clip)


def widened(size: Any) -> float:
    """By which factor a size beside the shape makes the bound larger."""
    return 1.0 if size is None else float(np.hypot(1.0, SIZE))


class DeviationMechanism(BoundedSum, ShapeMechanism):
    """The ball's `public` shapes say how shapes vary; without them its r, and its modes whether there is a contour."""

    learns = True
    in_basis = False
    in_space = True
    along_contour = True
    clipping = "joint_norm"
    formula = "2 tau/n in the norm of the coordinates about the center, records clipped to tau"

    @property
    def amount(self) -> float:
        """The budget's number: mu or epsilon."""
        return self.budget[self.budgets[0]]

    @staticmethod
    @abstractmethod
    def law(variation: Any, n: int, amount: float) -> NDArray[np.float64]:
        """Expected squared noise: `shape_variation.gaussian` or `shape_variation.pure`."""

    def noise_law(self, variation: Any, n: int, amount: float) -> NDArray[np.float64]:
        """The same beside a size, where there is one."""
        return self.law(variation, n, amount) * widened(self.ball.size) ** 2

    @cached_property
    def coordinates(self) -> Coordinates:
        """The chosen public maps."""
        ball = self.ball
        shapes, outline = ball.about, ball.modes > 0
        known = shape_variation.prior(shapes, ball.r, outline) if ball.public is None else None
        known = known or shape_variation.learned(shapes, as_real(ball.public), outline)
        people = self.planned_for or self.n
        chosen = shape_variation.choose(known, people, self.noise_law, self.amount, self.shrinks)
        chosen = replace(chosen, noise=chosen.noise * (people / self.n) ** 2)
        return Coordinates(shapes, known, chosen, ball.size)

    def worth(self, n: int | None = None) -> Any:
        """The worth.Worth of the release, beside the center alone; or of one of n records, with axes for them."""
        variation, choice = self.coordinates.variation, self.coordinates.choice
        if n is not None:
            choice = shape_variation.choose(variation, n, self.noise_law, self.amount, self.shrinks)
        return worth.of_shape(variation, choice, n or self.n, pure="epsilon" in self.budget)

    def check_worth(self) -> None:
        """A release that is expected to be farther from the mean than p0 tells nobody anything."""
        found = self.coordinates
        if not found.choice.worth_it:
            needed = shape_variation.turning(found.variation, self.noise_law, self.amount, self.shrinks)
            raise RefusedRelease(
                f"mechanism `{self.name}` with n = {self.n}: the released shape is expected {found.choice.error:.3g} "
                f"rad from the mean, the public center alone {found.choice.center_error:.3g}; it would be nearer from "
                f"n = {needed} on: take more records or a larger budget, publish the center, or say "
                "`worth_it_anyway: true`"
            )

    @property
    def basis_words(self) -> str:
        return f"{self.coordinates.choice.axes} directions of deviations"

    @property
    def learned(self) -> Any:
        """(quantile, margin, people) of the public set behind the bound, or None where settings give it."""
        return None if self.ball.public is None else (shape_variation.QUANTILE, 1.0, len(self.ball.public))

    @property
    def shrunk(self) -> tuple[float, float] | None:
        """(least, largest) factor on a coordinate, or None."""
        factors = self.coordinates.choice.factors
        return None if factors is None else (float(factors.min()), float(factors.max()))

    def sensitivity(self) -> float:
        return 2 * self.coordinates.bound / self.n

    def grid(self) -> float:
        return self.coordinates.bound / integer_sums.GRID / self.n

    def stated_bounds(self) -> tuple:
        return (("tau", self.coordinates.bound, "1"),)

    def noise_size(self) -> float:
        return float(np.sqrt(self.coordinates.choice.noise))

    def noise_covariance(self) -> NDArray[np.float64]:
        found = self.coordinates
        lengths = found.roots * found.shrinking
        along = found.axes.reshape(-1, *as_real(self.ball.p0).shape) * lengths[:, None, None]
        return self._noise_of_coordinate**2 * np.einsum("qkd,qke->kde", along, along)

    @property
    def _noise_of_coordinate(self):
        """Standard deviation of the noise on one of the mean's coordinates, which all bear the same."""
        found = self.coordinates
        return np.sqrt(found.choice.noise) / np.linalg.norm(found.roots * found.shrinking)

    adds_up = True

    @property
    def width(self) -> int:
        return self.coordinates.count

    def integers(self, rows: NDArray[np.float64], beside: NDArray | None = None) -> NDArray[np.int64]:
        """(b, width) of people's rows (b, k, d) and the logarithms of their sizes."""
        return self.coordinates.integers(rows, beside)

    def shape(self, answers: tuple) -> NDArray:
        return as_complex(self.coordinates.shape(answers[-1]))

    def size(self, answers: tuple) -> tuple[float, float]:
        """Of the noised mean of u, where sizes are released: on the output grid."""
        if not self.ball.size:
            return super().size(answers)
        size = np.round(np.exp(self.coordinates.log_size(answers[-1])) / OUTPUT_GRID) * OUTPUT_GRID
        return float(size), float(size * self._noise_of_coordinate * self.coordinates.log_size_step)

    def draw(self, z: NDArray, source: Any) -> NDArray:
        return self.shape(ask(self, Rows.of(as_real(z)), source))


class Shaped(DeviationMechanism):
    """Gaussian noise on u."""

    name = "shaped"
    label = "shaped Gaussian"
    words = "Gaussian noise on the mean of the shapes' deviations from the center, shaped as public shapes vary"
    sampler = "discrete_gaussian"
    law = staticmethod(shape_variation.gaussian)

    def cost(self) -> Cost:
        return integer_sums.gaussian_cost(self.amount, (self.width, integer_sums.SENSITIVITY, self.amount))

    def noised(self, sums: Sums, source: Any) -> NDArray:
        return integer_sums.noised_mean(sums.values[0], self.coordinates.bound, self.n, self.amount, source)[0]


class KNorm(DeviationMechanism):
    """Noise of density exp(-||u|| n eps/(2 tau)): its normaliser is the same everywhere, so there is no factor 2.

    It is drawn on the integer sums without rounding: what is released has the very law that the proof is of.
    """

    name = "knorm"
    label = "K-norm"
    words = "K-norm noise on the mean of the shapes' deviations from the center, in few directions, drawn exactly"
    budgets = ("epsilon",)
    sampler = "exact"
    law = staticmethod(shape_variation.pure)

    def cost(self) -> Cost:
        return Cost(PURE, epsilon=self.amount)

    def noised(self, sums: Sums, source: Any) -> NDArray:
        return source.k_norm_integers(sums.values[0], integer_sums.SENSITIVITY, self.amount) * self.grid()
