"""The mean shape as its deviation from the public p0, with noise shaped by public people; Gaussian, or pure epsilon-DP.

Each record has x = log_p0(record), u = its public linear image, clipped to ||u|| <= tau (`deviations.coordinates`).
Replacing one of n records moves the mean of u by at most 2 tau/n, whatever the curvature and for any p0: noise on u
of that scale, then public maps back to a shape. Which axes and which tau is chosen from public numbers alone
(`deviations.choice`), and only how good the release is depends on it.

Proof: docs/mathematics.md, (7.7).
"""

from abc import abstractmethod
from functools import cached_property

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import integer_sums, rounding
from shapedp.mechanisms.cost import GAUSSIAN, PURE, Cost
from shapedp.mechanisms.deviations import choice, knorm, variation
from shapedp.mechanisms.deviations.coordinates import Coordinates, widened
from shapedp.mechanisms.shapes.ball import OUTPUT_GRID, as_complex, as_real
from shapedp.mechanisms.shapes.base import ShapeMechanism


class DeviationMechanism(ShapeMechanism):
    """The ball's `public` shapes say how shapes vary; without them its r, and its modes whether there is a contour."""

    in_basis = False
    in_space = True
    along_contour = True
    divides_by_n = True
    clipping = "joint_norm"
    formula = "2 tau/n in the norm of the coordinates about the center, records clipped to tau"

    @property
    @abstractmethod
    def amount(self):
        """The budget's number."""

    @staticmethod
    @abstractmethod
    def law(variation, n, amount):
        """Expected squared noise: `choice.gaussian` or `choice.pure`."""

    def noise_law(self, variation, n, amount):
        """The same beside a size, where there is one."""
        return self.law(variation, n, amount) * widened(self.ball.size) ** 2

    @cached_property
    def coordinates(self):
        """The chosen public maps."""
        ball = self.ball
        shapes, outline = ball.about, ball.modes > 0
        known = variation.prior(shapes, ball.r, outline) if ball.public is None else None
        known = known or variation.learned(shapes, as_real(ball.public), outline)
        chosen = choice.choose(known, self.n, self.noise_law, self.amount, self.shrinks)
        return Coordinates(shapes, known, chosen, ball.size)

    def check(self):
        """A release that is expected to be farther from the mean than p0 tells nobody anything."""
        super().check()
        found = self.coordinates
        if not found.choice.worth_it:
            needed = choice.turning(found.variation, self.noise_law, self.amount, self.shrinks)
            raise RefusedRelease(
                f"mechanism `{self.name}` with n = {self.n}: the released shape is expected {found.choice.error:.3g} "
                f"rad from the mean, the public center alone {found.choice.center_error:.3g}; it would be nearer from "
                f"n = {needed} on: take more records or a larger budget, or publish the center"
            )

    @property
    def basis_words(self):
        """How many directions are released."""
        return f"{self.coordinates.choice.axes} directions of deviations"

    @property
    def learned(self):
        """(quantile, margin, people) of the public set behind the bound, or None where settings give it."""
        return None if self.ball.public is None else (variation.QUANTILE, 1.0, len(self.ball.public))

    @property
    def shrunk(self):
        """(least, largest) factor on a coordinate, or None."""
        factors = self.coordinates.choice.factors
        return None if factors is None else (float(factors.min()), float(factors.max()))

    def sensitivity(self):
        """2 tau/n."""
        return 2 * self.coordinates.bound / self.n

    def stated_bounds(self):
        """The clip."""
        return (("tau", self.coordinates.bound, "1"),)

    def noise_size(self):
        """In closed form."""
        return float(np.sqrt(self.coordinates.choice.noise))

    def noise_covariance(self):
        """(k, d, d) of each landmark, in closed form."""
        found = self.coordinates
        lengths = found.roots * found.shrinking
        along = found.axes.reshape(-1, *as_real(self.ball.p0).shape) * lengths[:, None, None]
        return found.choice.noise / np.sum(lengths**2) * np.einsum("qkd,qke->kde", along, along)

    def draw(self, z, source):
        """The noised mean of u as a shape."""
        return as_complex(self.coordinates.shape(self.noised(z, source)))

    def publishable_with_size(self, z, log_sizes, source):
        """(the shape as `publishable` has it, released centroid size)."""
        u = self.noised(z, source, log_sizes)
        found = self.coordinates
        return self.ball.on_grid(as_complex(found.shape(u))), float(np.exp(found.log_size(u)))

    @abstractmethod
    def noised(self, z, source, log_sizes=None):
        """The noised mean of u."""


class Shaped(DeviationMechanism):
    """Gaussian noise on u."""

    name = "shaped"
    label = "shaped Gaussian"
    words = "Gaussian noise on the mean of the shapes' deviations from the center, shaped as public shapes vary"
    sampler = "discrete_gaussian"
    law = staticmethod(choice.gaussian)

    @property
    def amount(self):
        """mu."""
        return self.budget["mu_total"]

    def cost(self):
        """mu-GDP."""
        return Cost(GAUSSIAN, mu=self.amount)

    def grid(self):
        """Step of the integer grid, divided by n."""
        return self.coordinates.bound / integer_sums.GRID / self.n

    def discretisation(self):
        """Of the integer grid."""
        return integer_sums.discretisation(self.coordinates.bound, self._sd_of_sum())

    def noised(self, z, source, log_sizes=None):
        """Exact sums of whole numbers, with discrete Gaussian noise."""
        sums = self.coordinates.integers(as_real(z), log_sizes).sum(axis=0)
        return integer_sums.noised_mean(sums, self.coordinates.bound, self.n, self._sd_of_sum(), source)[0]

    def _sd_of_sum(self):
        return 2 * self.coordinates.bound / self.amount


class KNorm(DeviationMechanism):
    """Noise of density exp(-||u|| n eps/(2 tau)): its normaliser is the same everywhere, so there is no factor 2.

    The mean is one of whole numbers; it is drawn for a little less than epsilon, the rest covers rounding (7.7).
    """

    name = "knorm"
    label = "K-norm"
    words = "K-norm noise on the mean of the shapes' deviations from the center, in few directions, drawn exactly"
    sampler = "exact"
    law = staticmethod(choice.pure)

    @property
    def amount(self):
        """epsilon."""
        return self.budget["epsilon"]

    def cost(self):
        """Pure DP."""
        return Cost(PURE, epsilon=self.amount)

    def grid(self):
        """Of the rounding after the draw."""
        return OUTPUT_GRID

    def discretisation(self):
        """Noise is not drawn on a grid."""
        return 0.0

    def noised(self, z, source, log_sizes=None):
        """The exact mean of whole numbers, and the noise."""
        found = self.coordinates
        mean = found.integers(as_real(z), log_sizes).sum(axis=0) * (found.bound / integer_sums.GRID / self.n)
        return mean + knorm.sample(found.count, self.sensitivity() / rounding.spent(self.amount), source.generator())
