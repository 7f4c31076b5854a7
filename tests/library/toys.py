"""A manifold and four mechanisms as a stranger would write them, by CONTRIBUTING.md's walk-through."""

from dataclasses import dataclass

import numpy as np

from shapedp.privacy.accounting.cost import PURE, Cost, compose_mu, mu_of_blocks
from shapedp.privacy.curves import bounds
from shapedp.privacy.curves.base import AREA_UNIT, NOISE, Diagonal, shrink_factor
from shapedp.privacy.integer_sums import GRID, SENSITIVITY
from shapedp.privacy.manifolds.base import Manifold
from shapedp.privacy.shapes import gaussian as tangent
from shapedp.privacy.shapes.base import PureShapeMechanism


@dataclass(frozen=True)
class Flat(Manifold):
    """R^d: geodesics are lines."""

    d: int

    dtype = np.float64
    injectivity_radius = np.inf
    growth = 0.0

    @property
    def dim(self):
        """d."""
        return self.d

    @property
    def point_shape(self):
        """Vectors."""
        return (self.d,)

    def curvature_bounds(self):
        """None."""
        return 0.0, 0.0

    def inner(self, x, u, v):
        """The dot product."""
        return np.sum(u * v, axis=-1)

    def project(self, y):
        """Every vector is a point."""
        return y

    def to_tangent(self, x, v):
        """Every vector is tangent."""
        return v

    def exp(self, x, v):
        """x + v."""
        return x + v

    def log(self, x, y):
        """y - x."""
        return y - x

    def dist(self, x, y):
        """|y - x|."""
        return np.linalg.norm(y - x, axis=-1)

    def transport(self, x, y, v):
        """v."""
        return v

    def move(self, frame, v):
        """A step, and v as it was."""
        return frame + v, v

    def tangent_basis(self, x):
        """Unit vectors."""
        return np.eye(self.d)

    def gaussian_tangent(self, x, rng, size=()):
        """Standard normal."""
        return rng.standard_normal(self.sample_shape(x, size))

    def random_point(self, rng, size=()):
        """Standard normal: there is no uniform law."""
        return rng.standard_normal(self.sample_shape(np.empty(self.d), size))

    def extrinsic_mean(self, points):
        """The mean."""
        return points.mean(axis=-2)

    def log_area(self, x, v):
        """(d - 1) log t."""
        with np.errstate(divide="ignore"):
            return (self.d - 1) * np.log(np.linalg.norm(v, axis=-1))

    def area_bound(self, start, stop):
        """The tangent at the middle, or at the start where there is no end: the logarithm is concave."""
        middle = (start + np.where(np.isfinite(stop), stop, start)) / 2
        slope = (self.d - 1) / middle
        return (self.d - 1) * np.log(middle) - slope * (middle - start), slope


class TangentLaplace(PureShapeMechanism):
    """exp(-|y - mean| n epsilon/(2r)) in the tangent space at p0: the mean of clipped logarithms moves by 2r/n, and
    the normaliser is the same for every mean.
    """

    name = "tangent_laplace"
    label = "Laplace in the tangent space"
    words = (
        "Laplace noise on the mean of the shapes' coordinates in the flat space tangent to shape space at the center"
    )
    formula = "2 r/n, records clipped to the ball of radius r"

    def sensitivity(self):
        """2r/n."""
        return 2 * self.ball.r / self.n

    def mean(self, z):
        """(dim,) the statistic."""
        return tangent.clipped_coordinates(*self.placed(z)).mean(axis=0)

    def scale(self):
        """2r/(n epsilon)."""
        return self.sensitivity() / self.spent_on_noise

    def draw(self, z, source):
        """A uniform direction, a radius from Gamma(dim)."""
        rng, mean = source.generator(), self.mean(z)
        v = rng.standard_normal(len(mean))
        length = rng.standard_gamma(float(len(mean)), 1)
        noised = mean + v / np.linalg.norm(v) * length * self.scale()
        return self.ball.from_points(tangent.to_manifold(self.ball.space, self.ball.center, noised))


@dataclass(frozen=True)
class Unsmoothed(Diagonal):
    """White noise on the coefficients of each block, with no filter afterwards; tau : (J, 3)."""

    tau: np.ndarray

    name = "unsmoothed"
    label = "unsmoothed"
    words = "Gaussian noise on each coordinate of each mean curve, unsmoothed"
    formula = "2 tau/n for each block, records clipped to tau; blocks compose in quadrature"
    clipping = "norm"

    @classmethod
    def from_settings(cls, asked):
        """gain = mu_b/tau_b on every coefficient."""
        tau = asked.bounds.tau
        mu = mu_of_blocks(asked.budget, tau**2)
        gain = np.broadcast_to((mu / tau)[..., None], asked.shape)
        total = compose_mu(mu)
        return cls(asked.n, total, NOISE, total, asked.center, gain, 1 / gain, tau)

    def clip(self, curves):
        """Blocks shrunk to tau."""
        deviations = curves - self.center
        return deviations * shrink_factor(bounds.norm(deviations), self.tau)[..., None]

    def stated_bounds(self):
        """tau."""
        return (("tau", self.tau.tolist(), AREA_UNIT),)


@dataclass(frozen=True)
class PureUnsmoothed(Unsmoothed):
    """The same coordinates, with noise of density exp(-|y| n epsilon/(2 tau)) on their mean: epsilon-DP."""

    epsilon: float

    name = "pure_unsmoothed"
    label = "unsmoothed, pure"
    words = "K-norm noise on all coordinates of the mean face at once"
    formula = "2 tau/n in the norm of all coordinates together, records clipped to tau in each block"
    sampler = "exact"
    budgets = ("epsilon",)

    @classmethod
    def from_settings(cls, asked):
        """gain = 1/tau on every coefficient: each block has length 1 at most, and all of them bound together."""
        tau, epsilon, size = asked.bounds.tau, asked.budget["epsilon"], np.prod(asked.shape)
        gain = np.broadcast_to((1 / tau)[..., None], asked.shape)
        bound = np.sqrt(tau.size)
        sd = 2 * bound * np.sqrt(size + 1) / epsilon  # of each coordinate of a direction times Gamma(size)
        return cls(asked.n, bound, sd, epsilon, asked.center, gain, 1 / gain, tau, epsilon)

    def cost(self):
        """Pure."""
        return Cost(PURE, epsilon=self.epsilon)

    def discretisation(self):
        """Noise is not drawn on a grid."""
        return 0.0

    def inputs(self, kernel_settings):
        """n and epsilon."""
        return {"n": self.n, "epsilon": self.epsilon}

    def noised_mean(self, sums, source):
        """The exact mean, and noise."""
        drawn = source.k_norm_integers(sums, SENSITIVITY, self.epsilon)
        return (drawn * (self.bound / GRID / self.n)).reshape(self.coordinates), None


class WhiteTangent(tangent.Gaussian):
    """The library's Gaussian under another name: what a stranger's Gaussian mechanism for shapes looks like."""

    name = "white_tangent"
    label = "white in the tangent space"
    words = "white noise on the mean of the shapes' coordinates in the flat space tangent to shape space"
