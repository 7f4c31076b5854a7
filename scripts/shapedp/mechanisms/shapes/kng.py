"""The K-norm gradient mechanism on the ball.

Proof: docs/mathematics.md, (7.3).
"""

from shapedp.manifolds import frechet
from shapedp.manifolds.curvature import h_max
from shapedp.mechanisms import acceptance, kng, sensitivity
from shapedp.mechanisms.shapes.base import PureShapeMechanism


class Kng(PureShapeMechanism):
    """The gradient moves by at most `sensitivity.gradient_sensitivity` everywhere in the ball; the normaliser depends
    on the data and costs a second epsilon/2. The gradient is evaluated itself: no solver's error counts.
    """

    name = "kng"
    label = "KNG"
    words = "the K-norm gradient mechanism on shape space, drawn exactly by rejection"
    formula = (
        "(2 r/n) s/sin s for the gradient, s = 2 r sqrt(kappa), plus 2 e for rounding; the noise scale has a factor 2 "
        "for the normaliser"
    )

    def check(self):
        """A draw must not take forever on any data."""
        super().check()
        sensitivity.check_epsilon(self.budget["epsilon"])
        frechet.certified_steps(self.ball.space, self.ball.r)
        self._sure()

    def sensitivity(self):
        """Of the gradient, as it is computed."""
        return sensitivity.gradient_sensitivity(self.ball.space, self.ball.r, self.n, rounding=self.rounding)

    def draw(self, z, source):
        """exp(-|grad F(x)|/sigma) on the ball."""
        drawn, _ = kng.draw(
            *self.placed(z), self.spent_on_noise, source.generator(), rounding=self.rounding, sure=self._sure()
        )
        return self.ball.from_points(drawn.points[0])

    def _sure(self):
        """The proposal of which enough are accepted on any data."""
        space, r = self.ball.space, self.ball.r
        sigma = 2 * self.sensitivity() / self.spent_on_noise
        return acceptance.check(space, r, sigma, float(h_max(2 * r, space.curvature_bounds()[1])))
