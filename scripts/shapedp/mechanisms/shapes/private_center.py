"""A mean shape of planar landmarks with nothing public: center, radius and release in one entry of the ledger.

Proof: docs/mathematics.md, (7.8) and (7.9).
"""

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.mechanisms import integer_sums
from shapedp.mechanisms.cost import GAUSSIAN, Cost
from shapedp.mechanisms.deviations.private_center import PrivateCenter
from shapedp.mechanisms.shapes.ball import as_complex, as_real
from shapedp.mechanisms.shapes.base import ShapeMechanism


class NothingPublic(ShapeMechanism):
    """The ball's p0 says only how the released shape lies; its modes, whether there is a contour."""

    name = "private_center"
    label = "private center"
    words = (
        "Gaussian noise on the mean of z z*, whose first eigenvector is a center; a radius about it by the exponential "
        "mechanism; then Gaussian noise on the mean of the deviations from that center, clipped to that radius"
    )
    formula = "√2/n for the mean of z z*, 1 for the number of records within a radius, 2 tau/n for the deviations"
    clipping = "norm"
    sampler = "discrete_gaussian"
    in_basis = False
    along_contour = True

    @property
    def stages(self):
        """The three stages and how they share mu."""
        return PrivateCenter(self.n, len(self.ball.p0), self.ball.modes > 0, self.budget["mu_total"])

    def check(self):
        """It is for a center that nobody names."""
        super().check()
        if not self.ball.nothing_public:
            raise RefusedRelease("mechanism `private_center` takes no public center: set shapes.center to `private`")

    def cost(self):
        """mu-GDP, all three stages together."""
        return Cost(GAUSSIAN, mu=self.budget["mu_total"])

    def sensitivity(self):
        """Of the first stage."""
        return self.stages.moment_sensitivity / self.n

    def stated_bounds(self):
        """No two shapes lie farther apart."""
        return (("r", float(np.pi / 2), "radian"),)

    def grid(self):
        """Step of the first stage's integer grid, divided by n."""
        return 1 / integer_sums.GRID / self.n

    def discretisation(self):
        """Of the integer grid, in the first stage."""
        return integer_sums.discretisation(1.0, self.stages.moment_sensitivity / self.stages.budgets[0])

    def noise_size(self):
        """Unknown beforehand: it is scaled to the private radius."""
        return float("nan")

    def noise_covariance(self):
        """Unknown, too."""
        return np.full((len(self.ball.p0), 2, 2), np.nan)

    def draw(self, z, source):
        """The three stages in turn."""
        return as_complex(self.stages.draw(as_real(z), source))
