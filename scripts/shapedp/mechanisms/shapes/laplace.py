"""Laplace noise about the Fréchet mean, over the whole of shape space.

Proof: docs/mathematics.md, (7.1).
"""

from shapedp.manifolds import frechet
from shapedp.mechanisms import laplace, sensitivity
from shapedp.mechanisms.shapes.base import PureShapeMechanism


class Laplace(PureShapeMechanism):
    """The Fréchet mean moves by at most `sensitivity.mean_sensitivity`; the normaliser is the same for every mean."""

    name = "laplace"
    label = "Laplace"
    words = "Laplace noise on shape space around the Frechet mean, drawn exactly"
    formula = "(2 r/n) (s/sin s)/h(2 r), s = 2 r sqrt(kappa), plus 2 delta/h(2 r) for the solver and rounding"

    @property
    def solver(self):
        """What `frechet.certified` guarantees for any data: its tolerance, and the rounding of a step."""
        return frechet.TOLERANCE + self.rounding

    def check(self):
        """The mean must be one that can be certified."""
        super().check()
        frechet.certified_steps(self.ball.space, self.ball.r)

    def sensitivity(self):
        """With the solver's public tolerance."""
        ball = self.ball
        return sensitivity.mean_sensitivity(ball.space, ball.r, ball.n, tolerance=self.solver)

    def draw(self, z, source):
        """exp(-dist(x, mean)/sigma)."""
        drawn = laplace.draw(*self.placed(z), self.spent_on_noise, source.generator(), certified=self.solver)
        return self.ball.from_points(drawn.points[0])
