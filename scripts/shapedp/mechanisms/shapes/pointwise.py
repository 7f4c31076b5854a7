"""Laplace noise on each coordinate of each landmark: the private form, and the two that were published.

Proof: docs/mathematics.md, (7.6).
"""

from abc import abstractmethod

import numpy as np

from shapedp.manifolds import frechet
from shapedp.mechanisms import pointwise_laplace
from shapedp.mechanisms.shapes.base import PureShapeMechanism, ShapeMechanism


class PointwiseLaplace(PureShapeMechanism):
    """Ranges r in x and y about p0: no coordinate of a shape in the ball is farther from p0's. One person moves the
    mean of a coordinate by at most 2r/n.
    """

    name = "pointwise_laplace"
    label = "point-wise"
    words = "Laplace noise on each coordinate of each landmark, shapes aligned to the public center"
    formula = "2 r_j/n for each coordinate, records clamped to the range; coordinates compose by summing epsilon"
    clipping = "range"
    in_basis = False

    def sensitivity(self):
        """2r/n."""
        return 2 * self.ball.r / self.n

    def draw(self, z, source):
        """Aligned to p0, clamped, averaged."""
        z, p0 = self.ball.whole(z), self.ball.p0
        ranges = np.full(len(p0), self.ball.r * (1 + 1j))
        return pointwise_laplace.draw(z, p0, ranges, self.spent_on_noise, source.generator())[0]


class Published(PureShapeMechanism):
    """Noise about the Fréchet mean with ranges from the data: not private, for reproduction."""

    formula = "2 r_j/n for each coordinate, with ranges from the data"
    clipping = "none"
    calibration = "as_published"
    from_data = True
    in_basis = False

    @property
    @abstractmethod
    def aligned(self):
        """Whether shapes are turned to their mean."""

    def check(self):
        """No ball is needed."""
        ShapeMechanism.check(self)

    def sensitivity(self):
        """As if the ranges were r."""
        return 2 * self.ball.r / self.n

    def draw(self, z, source):
        """With all of epsilon."""
        z = self.ball.whole(z)
        mean = frechet.best(self.ball.kendall, z, self.ball.p0).point
        drawn = pointwise_laplace.published(z, mean, self.budget["epsilon"], source.generator(), aligned=self.aligned)
        return drawn[0]


class PublishedAligned(Published):
    """Shapes turned to their mean."""

    name = "pointwise_laplace_aligned"
    label = "point-wise, aligned"
    words = "Laplace noise on each coordinate of each landmark as published, shapes aligned to their mean"
    aligned = True


class PublishedUnaligned(Published):
    """Shapes as they came."""

    name = "pointwise_laplace_unaligned"
    label = "point-wise, unaligned"
    words = "Laplace noise on each coordinate of each landmark as published, shapes not aligned"
    aligned = False
