"""Mechanisms for a mean shape: records in a public ball of shape space, and a shape with noise.

Rounding. The Gaussian and the point-wise mechanism add whole numbers, without error. The others average real numbers;
what rounding does to a gradient or a mean is part of their sensitivity (`rounding`). They draw for
`rounding.spent(epsilon)`: the rest covers a density that is evaluated to a relative error of less than 1e-12, times an
exponent of less than 1e5.

Whatever a record holds, no mechanism that claims a guarantee fails on it: what is no shape counts as p0, what lies
outside the ball is moved into it, and no solver or sampler has a limit that data could meet.

Proof: docs/mathematics.md, (4.3).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import local_linear, noise, rounding, sensitivity
from shapedp.mechanisms.base import Mechanism
from shapedp.mechanisms.cost import PURE, Cost
from shapedp.mechanisms.shapes.ball import OUTPUT_GRID, Ball, as_real

MOST = 10_000_000  # records
LARGEST_LOSS = 0.5  # of the radius: a basis that moves the public center by more hides what it should show
TRIALS = 200  # draws about p0, from public numbers alone, that measure how far the noise reaches


@dataclass(frozen=True)
class ShapeMechanism(Mechanism):
    """A mechanism for n shapes; budget : {"mu_total": number} or {"epsilon": number}."""

    ball: Ball
    budget: dict
    shrinks: bool = False  # whether the release is shrunk towards p0 afterwards, by public factors

    in_basis = True  # whether it works in the contour basis
    in_space = False  # whether landmarks may have three coordinates, and their size beside them
    along_contour = False  # whether it keeps all landmarks, and yet asks whether they follow a contour
    divides_by_n = False  # whether it divides a sum by the public n, however many records it is given
    learned = None  # (quantile, margin, people) of the public set that its bound comes from, where it does

    @property
    def n(self):
        """Records."""
        return self.ball.n

    @property
    def basis_words(self):
        """What of a shape is released."""
        return f"{self.ball.modes} modes" if self.ball.modes else "all landmarks"

    def check(self):
        """Refuse what cannot be released, before any record is read."""
        sensitivity.check_count(self.n)
        if not (self.ball.planar or self.in_space):
            raise RefusedRelease(
                f"mechanism `{self.name}` is for landmarks in the plane, and these lie in space: take `shaped`, or "
                "`knorm` for a pure epsilon"
            )
        if self.ball.nothing_public and self.name != "private_center":
            raise RefusedRelease(
                f"mechanism `{self.name}` needs a public center: name one in shapes.center, or take private_center"
            )
        if self.ball.size and not self.in_space:
            raise RefusedRelease(
                f"mechanism `{self.name}` releases no size: take `shaped` or `knorm`, or no shapes.size"
            )
        if self.shrinks and not self.in_space:
            raise RefusedRelease(
                f"mechanism `{self.name}` is not shrunk: take `shaped` or `knorm`, or leave out shrink"
            )
        if self.in_basis and self.ball.lost > LARGEST_LOSS * self.ball.r:
            raise RefusedRelease(
                f"modes = {self.ball.modes}: the contour basis moves the public center by {self.ball.lost:.3g} rad, "
                f"more than half the radius {self.ball.r:.3g}: take `shaped` or `knorm`, which keep its detail, "
                "more modes, or modes: 0 where landmarks follow no contour"
            )
        if self.n > MOST:
            raise RefusedRelease(f"n = {self.n} records; rounding is accounted for up to {MOST}")

    def stated_bounds(self):
        """The ball's radius."""
        return (("r", self.ball.r, "radian"),)

    def publishable(self, z, source, bandwidth=None):
        """(k,) a draw as it is published: smoothed along the contour where a bandwidth is given (post-processing), a
        centered unit shape on the output grid.
        """
        drawn = self.draw(z, source)
        if bandwidth:
            drawn = local_linear.smooth(drawn, bandwidth)
        return self.ball.on_grid(drawn)

    def noise_size(self):
        """In radian, measured on draws about p0 with public random numbers."""
        return float(np.sqrt(np.mean(self.ball.kendall.dist(self.ball.p0, self._about_center) ** 2)))

    def noise_covariance(self):
        """(k, d, d) of each landmark, from the same draws."""
        drawn = as_real(self.ball.kendall.align(self.ball.p0, self._about_center))
        off = drawn - drawn.mean(axis=0)
        return np.einsum("tkd,tke->kde", off, off) / TRIALS

    @cached_property
    def _about_center(self):
        """(TRIALS, k) draws about p0."""
        source, at_center = noise.SeededNoise(0), np.tile(self.ball.p0, (self.n, 1))
        return np.array([self.draw(at_center, source) for _ in range(TRIALS)])


class PureShapeMechanism(ShapeMechanism):
    """A mechanism that is epsilon-DP."""

    sampler = "exact"
    clipping = "ball"

    def check(self):
        """The ball must be one in which squared distances are convex."""
        super().check()
        sensitivity.check_radius(self.ball.space, self.ball.r)

    def cost(self):
        """Pure DP."""
        return Cost(PURE, epsilon=self.budget["epsilon"])

    def grid(self):
        """Of the rounding after the draw."""
        return OUTPUT_GRID

    def discretisation(self):
        """Noise is not drawn on a grid."""
        return 0.0

    @property
    def spent_on_noise(self):
        """epsilon for the noise."""
        return rounding.spent(self.budget["epsilon"])

    @property
    def rounding(self):
        """Bound on the error of a gradient, as it is computed."""
        return rounding.of_gradient(self.n, self.ball.space.point_shape[0])

    def placed(self, z):
        """What the samplers take: space, points, center, radius."""
        return self.ball.space, self.ball.points(z), self.ball.center, self.ball.r
