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
from shapedp.manifolds.landmark_shapes import LandmarkShapes
from shapedp.mechanisms import integer_sums, rounding
from shapedp.mechanisms.cost import GAUSSIAN, PURE, Cost
from shapedp.mechanisms.deviations import choice, knorm, variation
from shapedp.mechanisms.deviations.coordinates import Coordinates
from shapedp.mechanisms.shapes.ball import OUTPUT_GRID
from shapedp.mechanisms.shapes.base import ShapeMechanism


class DeviationMechanism(ShapeMechanism):
    """The ball's `public` shapes say how shapes vary; without them its r, and its modes whether there is a contour."""

    in_basis = False
    along_contour = True
    clipping = "joint_norm"
    formula = "2 tau/n in the norm of the coordinates about the center, records clipped to tau"

    @property
    @abstractmethod
    def amount(self):
        """The budget's number."""

    @property
    @abstractmethod
    def noise_law(self):
        """Expected squared noise: `choice.gaussian` or `choice.pure`."""

    @cached_property
    def coordinates(self):
        """The chosen public maps."""
        ball = self.ball
        shapes, outline = LandmarkShapes(as_real(ball.p0)), ball.modes > 0
        known = variation.prior(shapes, ball.r, outline) if ball.public is None else None
        known = known or variation.learned(shapes, as_real(ball.public), outline)
        return Coordinates(shapes, known, choice.choose(known, self.n, self.noise_law, self.amount))

    def check(self):
        """A release that is expected to be farther from the mean than p0 tells nobody anything."""
        super().check()
        found = self.coordinates
        if not found.choice.worth_it:
            needed = choice.turning(found.variation, self.noise_law, self.amount)
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

    def sensitivity(self):
        """2 tau/n."""
        return 2 * self.coordinates.choice.clip / self.n

    def stated_bounds(self):
        """The clip."""
        return (("tau", self.coordinates.choice.clip, "1"),)

    def noise_size(self):
        """In closed form."""
        return float(np.sqrt(self.coordinates.choice.noise))


class Shaped(DeviationMechanism):
    """Gaussian noise on u."""

    name = "shaped"
    label = "shaped Gaussian"
    words = "Gaussian noise on the mean of the shapes' deviations from the center, shaped as public shapes vary"
    sampler = "discrete_gaussian"
    noise_law = staticmethod(choice.gaussian)

    @property
    def amount(self):
        """mu."""
        return self.budget["mu_total"]

    def cost(self):
        """mu-GDP."""
        return Cost(GAUSSIAN, mu=self.amount)

    def grid(self):
        """Step of the integer grid, divided by n."""
        return self.coordinates.choice.clip / integer_sums.GRID / self.n

    def discretisation(self):
        """Of the integer grid."""
        return integer_sums.discretisation(self.coordinates.choice.clip, self._sd_of_sum())

    def draw(self, z, source):
        """The noised mean of u as a shape."""
        found = self.coordinates
        sums = found.integers(as_real(z)).sum(axis=0)
        return as_complex(found.noised(sums, self.n, self._sd_of_sum(), source))

    def _sd_of_sum(self):
        return 2 * self.coordinates.choice.clip / self.amount


class KNorm(DeviationMechanism):
    """Noise of density exp(-||u|| n eps/(2 tau)): its normaliser is the same everywhere, so there is no factor 2.

    The mean is one of whole numbers; it is drawn for a little less than epsilon, the rest covers rounding (7.7).
    """

    name = "knorm"
    label = "K-norm"
    words = "K-norm noise on the mean of the shapes' deviations from the center, in few directions, drawn exactly"
    sampler = "exact"
    noise_law = staticmethod(choice.pure)

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

    def draw(self, z, source):
        """The exact mean of whole numbers, and the noise."""
        found = self.coordinates
        mean = found.integers(as_real(z)).sum(axis=0) * (found.choice.clip / integer_sums.GRID / self.n)
        noise = knorm.sample(found.choice.axes, self.sensitivity() / rounding.spent(self.amount), source.generator())
        return as_complex(found.shape(mean + noise))


def as_real(z):
    """(..., k) complex as (..., k, 2)."""
    return np.stack([z.real, z.imag], axis=-1)


def as_complex(x):
    """(..., k, 2) as (..., k) complex."""
    return x[..., 0] + 1j * x[..., 1]
