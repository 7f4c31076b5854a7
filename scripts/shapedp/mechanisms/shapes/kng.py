"""The K-norm gradient mechanism on the ball.

Proof: docs/mathematics.md, (7.3).
"""

from shapedp.mechanisms import kng, sensitivity
from shapedp.mechanisms.shapes.base import PureShapeMechanism


class Kng(PureShapeMechanism):
    """The gradient moves by at most `sensitivity.gradient_sensitivity` everywhere in the ball; the normaliser depends
    on the data and costs a second epsilon/2. The gradient is evaluated itself: no solver's error counts.
    """

    name = "kng"
    label = "KNG"
    words = "the K-norm gradient mechanism on shape space, drawn exactly by rejection"
    formula = "(2 r/n) s/sin s for the gradient, s = 2 r sqrt(kappa); the noise scale has a factor 2 for the normaliser"

    def sensitivity(self):
        """Of the gradient."""
        return sensitivity.gradient_sensitivity(self.ball.space, self.ball.r, self.n)

    def draw(self, z, source):
        """exp(-|grad F(x)|/sigma) on the ball."""
        drawn, _ = kng.draw(*self.placed(z), self.spent_on_noise, source.generator())
        return self.ball.from_points(drawn.points[0])
