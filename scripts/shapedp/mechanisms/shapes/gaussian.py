"""White noise in the tangent space at p0, on the integer sum of clipped coordinates; see `tangent_gaussian`.

Proof: docs/mathematics.md, (7.4).
"""

import numpy as np

from shapedp.mechanisms import integer_sums
from shapedp.mechanisms import tangent_gaussian as tangent
from shapedp.mechanisms.cost import GAUSSIAN, Cost
from shapedp.mechanisms.shapes.base import ShapeMechanism


class Gaussian(ShapeMechanism):
    """The mean of clipped logarithms moves by at most 2r/n, whatever the curvature; any r below pi/2."""

    name = "gaussian"
    label = "Gaussian"
    words = (
        "Gaussian noise on the mean of the shapes' coordinates in the flat space tangent to shape space at the center"
    )
    formula = "2 r/n, records clipped to the ball of radius r"
    clipping = "ball"
    sampler = "discrete_gaussian"
    divides_by_n = True

    def check(self):
        """The ball must not reach the cut locus of p0."""
        super().check()
        tangent.check_radius(self.ball.space, self.ball.r)

    def cost(self):
        """mu-GDP."""
        return Cost(GAUSSIAN, mu=self.budget["mu_total"])

    def sensitivity(self):
        """2r/n."""
        return 2 * self.ball.r / self.n

    def grid(self):
        """Step of the integer grid, divided by n."""
        return self.ball.r / integer_sums.GRID / self.n

    def discretisation(self):
        """Of the integer grid."""
        return integer_sums.discretisation(self.ball.r, self._sd_of_sum())

    def noise_size(self):
        """In closed form."""
        sd = tangent.standard_deviation(self.ball.r, self.n, self.budget["mu_total"])
        return float(sd * np.sqrt(self.ball.space.dim))

    def draw(self, z, source):
        """exp_p0 of the noised mean of logarithms."""
        ball = self.ball
        sums = self._integers(z).sum(axis=0)
        mean, _ = integer_sums.noised_mean(sums, ball.r, self.n, self._sd_of_sum(), source)
        return ball.from_points(tangent.to_manifold(ball.space, ball.center, mean))

    def _integers(self, z):
        """(n, dim) integer coordinates of the clipped logarithms at p0."""
        ball = self.ball
        coordinates = tangent.clipped_coordinates(ball.space, ball.points(z), ball.center, ball.r)
        return integer_sums.integers(coordinates, ball.r)

    def _sd_of_sum(self):
        return tangent.standard_deviation(self.ball.r, 1, self.budget["mu_total"])
