"""White noise in the tangent space at a public point p0, on the integer sum of clipped coordinates.

The release estimates exp_p0(mean of logs), which is near the Fréchet mean, not equal to it. (epsilon, delta), not pure
epsilon. Proof: docs/mathematics.md, (7.4).
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.accounting.cost import Cost
from shapedp.privacy.proofs import Proofs
from shapedp.privacy.shapes.base import TRIALS, ShapeMechanism, as_complex, as_real
from shapedp.privacy.statistic import BoundedSum, Rows, Sums, ask


class Gaussian(BoundedSum, ShapeMechanism):
    """The mechanism with white noise on the mean of clipped logarithms at the public center.

    Their mean moves by at most 2r/n, whatever the curvature; any r below pi/2.
    """

    proofs = Proofs(("7", "test_gaussian"), machine_checked=("2.7", "3.3", "4.1", "4.3"))
    name = "gaussian"
    label = "Gaussian"
    words = (
        "Gaussian noise on the mean of the shapes' coordinates in the flat space tangent to shape space at the center"
    )
    formula = "2 r/n, records clipped to the ball of radius r"
    clipping = "ball"
    sampler = "discrete_gaussian"

    def check(self) -> None:
        super().check()
        check_radius(self.ball.space, self.ball.r)

    def cost(self) -> Cost:
        mu = self.budget["mu_total"]
        return integer_sums.gaussian_cost(mu, (self.width, integer_sums.SENSITIVITY, mu))

    def sensitivity(self) -> float:
        return 2 * self.ball.r / self.n

    def grid(self) -> float:
        return self.ball.r / integer_sums.GRID / self.n

    def noise_size(self) -> float:
        sd = standard_deviation(self.ball.r, self.n, self.budget["mu_total"])
        return float(sd * np.sqrt(self.ball.space.dim))

    adds_up = True

    @property
    def width(self) -> int:
        return self.ball.space.dim

    def integers(self, rows: NDArray[np.float64], covariates: NDArray | None = None) -> NDArray[np.int64]:
        """Return people's rows (b, k, d) as bounded whole numbers (b, dim), clipped logarithms at p0, to be summed."""
        ball = self.ball
        coordinates = clipped_coordinates(ball.space, ball.points(as_complex(rows)), ball.center, ball.r)
        return integer_sums.to_grid(coordinates, ball.r)

    def noised(self, sums: Sums, source: Any) -> NDArray:
        return integer_sums.noised_mean(sums.values[0], self.ball.r, self.n, self.budget["mu_total"], source)[0]

    def shape(self, answers: tuple) -> NDArray:
        return self.ball.from_points(to_manifold(self.ball.space, self.ball.center, answers[-1]))

    def draw(self, z: NDArray, source: Any) -> NDArray:
        return self.shape(ask(self, Rows.of(as_real(z)), source))

    @cached_property
    def _about_center(self):
        """Return draws (TRIALS, k) about p0, of one sum: summing the same people for each took most of the time."""
        source, people = noise.SeededNoise(0), Rows.of(as_real(np.tile(self.ball.p0, (self.n, 1))))
        first = self.stage(())
        sums = first.sums_over(people)
        answers = (ask(self, people, source, (first.noised(sums, source),)) for _ in range(TRIALS))
        return np.array([self.shape(of_draw) for of_draw in answers])


def clipped_coordinates(manifold: Any, points: NDArray, p0: NDArray, r: float) -> NDArray:
    """Return points as coordinates (n, dim) at p0 no longer than r, so that each moves the mean by so much only.

    They are of log_p0(x_i) in the orthonormal `tangent_basis`. A point on the cut locus of p0 has no log and counts as
    p0.

    Parameters
    ----------
    manifold : Manifold
        Where the points lie.
    points : (n, *point) array
        The records.
    p0 : (*point) array
        The public center.
    r : float
        Anything below the injectivity radius.
    """
    check_radius(manifold, r)
    v = manifold.log(p0, points)
    v = np.where(np.isfinite(v), v, 0.0)
    basis = manifold.tangent_basis(p0)
    coordinates = np.stack([manifold.inner(p0, b, v) for b in basis], axis=-1)
    length = np.linalg.norm(coordinates, axis=-1, keepdims=True)
    # an ulp below r, so that rounding never lifts the length above it
    bound = r * (1 - 4 * np.finfo(float).eps)
    return coordinates * np.minimum(1.0, bound / np.maximum(length, bound))


def check_radius(manifold: Any, r: float) -> None:
    """Refuse a ball that reaches the cut locus of its center."""
    if not 0 < r < manifold.injectivity_radius:
        raise RefusedRelease(f"radius r = {r:.6g} must be positive and below {manifold.injectivity_radius:.6g}")


def standard_deviation(r: float, n: int, mu: float) -> float:
    """Return the noise that makes a mean of clipped coordinates mu-GDP: its sd on each, 2r / (n mu).

    Parameters
    ----------
    r : float
        Bound on a record's length.
    n : int
        Records, public.
    mu : float
        Of Gaussian differential privacy.
    """
    if not (np.isfinite(mu) and mu > 0):
        raise RefusedRelease(f"mu must be a positive number, got {mu}")
    return 2 * r / (n * mu)


def to_manifold(manifold: Any, p0: NDArray, coordinates: NDArray[np.float64]) -> NDArray:
    """Return the point of the manifold that noised coordinates at p0 stand for: exp_p0 of them.

    Parameters
    ----------
    manifold : Manifold
    p0 : (*point) array
        The public center.
    coordinates : (..., dim) float
        In the orthonormal `tangent_basis` at p0.

    Returns
    -------
    (..., *point) array
    """
    return manifold.exp(p0, np.tensordot(coordinates, manifold.tangent_basis(p0), axes=1))
