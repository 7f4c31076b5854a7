"""The mean of points of any manifold, private by white noise in the tangent space at a public center.

Each point is taken by itself to its coordinates at the center, cut to the radius, and added as a vector of whole
numbers: one person moves the sum by at most twice the bound, whatever the manifold's own arithmetic does to a point.
The release is exp_center of the noised mean, near the Fréchet mean and not equal to it. Proof: docs/mathematics.md,
(7.4).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.privacy import integer_sums
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.accounting.cost import Cost
from shapedp.privacy.manifolds.base import Manifold
from shapedp.privacy.proofs import Proofs
from shapedp.privacy.shapes import gaussian
from shapedp.privacy.statistic import BoundedSum, Mechanism, Rows, Sums, ask

# Of a point's length: what lies farther from the manifold is no point of it.
NEAR = 1e-6
# Coordinates of a point.
LARGEST = 1_000_000


@dataclass(frozen=True)
class PointMean(BoundedSum, Mechanism):
    """A private mean of points of a manifold: the mean of clipped logarithms moves by at most 2r/n, whatever the
    curvature.

    manifold : where points lie; center : a public point, about which they are cut to radius r
    n : how many points, public; budget : {"mu_total": number}
    """

    manifold: Manifold
    center: NDArray
    r: float
    n: int
    budget: dict

    proofs = Proofs(("7", "test_point_means"))
    name = "tangent_gaussian"
    label = "tangent Gaussian"
    words = (
        "Gaussian noise on the mean of the points' coordinates in the flat space tangent to the manifold at the center"
    )
    formula = "2 r/n, points clipped to the ball of radius r about the center"
    clipping = "ball"
    sampler = "discrete_gaussian"
    budgets = ("mu_total",)
    branch = "points"

    def check(self) -> None:
        """Refuse a mean that would not be private or cannot be made, such as about a center that is no point, before
        any point is read.
        """
        sensitivity.check_count(self.n)
        gaussian.check_radius(self.manifold, self.r)
        gaussian.standard_deviation(self.r, self.n, self.budget["mu_total"])
        shape = tuple(self.manifold.point_shape)
        if self.center.shape != shape or explain_no_point(self.manifold, self.center):
            raise ConfigError(
                f"center: found an array of shape {self.center.shape}, which is not a point of the manifold: "
                f"give an array of shape {shape}"
            )
        if self.basis.shape != (self.width, *shape) or not self.has_orthonormal_basis:
            raise RefusedRelease(
                f"manifold: tangent_basis at the center is not orthonormal, or not of shape {(self.width, *shape)}; "
                "coordinates in it would not be lengths"
            )

    @cached_property
    def basis(self) -> NDArray:
        """Return an orthonormal basis (dim, *point) of the tangent space at the center."""
        return np.asarray(self.manifold.tangent_basis(self.center))

    @property
    def has_orthonormal_basis(self) -> bool:
        """Tell whether inner products of the basis are those of unit vectors at right angles."""
        products = [[self.manifold.inner(self.center, first, second) for second in self.basis] for first in self.basis]
        return bool(np.allclose(products, np.eye(len(self.basis)), atol=NEAR))

    @property
    def width(self) -> int:
        return int(self.manifold.dim)

    def cost(self) -> Cost:
        mu = self.budget["mu_total"]
        return integer_sums.gaussian_cost(mu, (self.width, integer_sums.SENSITIVITY, mu))

    def sensitivity(self) -> float:
        return 2 * self.r / self.n

    def grid(self) -> float:
        return self.r / integer_sums.GRID / self.n

    def stated_bounds(self) -> tuple:
        return (("r", self.r, "distance on the manifold"),)

    def inputs(self) -> dict[str, Any]:
        """Return what the sensitivity follows from, by symbol."""
        return {"n": self.n, "r": self.r}

    @property
    def noise_sd(self) -> float:
        """Return the standard deviation of the noise on each coordinate of the mean."""
        return gaussian.standard_deviation(self.r, self.n, self.budget["mu_total"])

    def noise_size(self) -> float:
        return self.noise_sd * float(np.sqrt(self.width))

    def integers(self, rows: NDArray, covariates: NDArray | None = None) -> NDArray[np.int64]:
        """Return points as bounded whole coordinates (b, dim) about the center, of which the mean is taken exactly.

        Each is computed by itself, so that none depends on another whatever the manifold's class does with arrays of
        many; what is no point, or has no logarithm, counts as the center.
        """
        return np.concatenate([integer_sums.to_grid(self._coordinates(row)[None], self.r) for row in rows])

    def _coordinates(self, row):
        """Return one point's clipped coordinates (dim,) at the center; zero, the center's, of what is no point."""
        zero = np.zeros(self.width)
        if explain_no_point(self.manifold, row):
            return zero
        try:
            with np.errstate(all="ignore"):
                coordinates = gaussian.clipped_coordinates(self.manifold, row[None], self.center, self.r)
        except Exception:
            # An own manifold may fail on a point in any way; the others go on, as if it lay at the center.
            return zero
        coordinates = np.asarray(coordinates, dtype=float)
        return coordinates[0] if coordinates.shape == (1, self.width) else zero

    def noised(self, sums: Sums, source: Any) -> NDArray:
        return integer_sums.noised_mean(sums.values[0], self.r, self.n, self.budget["mu_total"], source)[0]

    def point(self, coordinates: NDArray[np.float64]) -> NDArray:
        """Return the point of the manifold with these coordinates (dim,) at the center."""
        return gaussian.to_manifold(self.manifold, self.center, coordinates)

    def draw(self, records: NDArray, source: Any) -> NDArray:
        return self.point(ask(self, Rows.of(records), source)[-1])


def explain_no_point(manifold: Manifold, row: NDArray) -> str:
    """Return why an array is no point of a manifold, in words for its owner; "" of a point.

    Parameters
    ----------
    manifold : Manifold
        Where it should lie.
    row : array
        Of any shape and content.
    """
    if not np.isfinite(row).all():
        return "holds a number that is missing or infinite"
    try:
        with np.errstate(all="ignore"):
            nearest = np.asarray(manifold.project(row[None]))[0]
            distance, length = np.linalg.norm(np.ravel(nearest - row)), np.linalg.norm(np.ravel(row))
    except Exception as error:
        return f"the manifold cannot take it: {type(error).__name__}"
    return "" if distance <= NEAR * max(float(length), 1e-300) else "is not a point of the manifold"
