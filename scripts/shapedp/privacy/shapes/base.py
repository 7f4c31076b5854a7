"""Mechanisms for a mean shape: records in a public ball of shape space, and a shape with noise.

Laplace and KNG average real numbers; what rounding does to a gradient or a mean is part of their sensitivity. The
others add whole numbers without error, and their noise is drawn without any: docs/mathematics.md, (4.3) to (4.7).

Whatever a record holds, no mechanism that claims a guarantee fails on it: what is no shape counts as p0, what lies
outside the ball is moved into it, and no solver or sampler has a limit that data could meet.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy import noise
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.accounting.cost import PURE, Cost
from shapedp.privacy.learned import shape_variation
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.manifolds.projective import ComplexProjective, Kendall, replace_non_shapes
from shapedp.privacy.shapes import contour
from shapedp.privacy.statistic import Mechanism, Sums

# Landmarks of a shape of size 1 are rounded to it: hygiene, not a proof.
OUTPUT_GRID = 2.0**-24


@dataclass(frozen=True)
class Ball:
    """The public ball in which n records lie: of radius r about p0, a centered unit shape.

    modes : p of the contour basis, 0 for none

    Planar shapes are complex (k,), and released as points of `space`: Kendall's, or CP^(p-1) in the contour basis,
    where `center` is p0. Shapes in space are real (k, 3); only their deviations from p0, points of `about`, are
    released.
    """

    n: int
    p0: np.ndarray
    r: float
    modes: int
    # (m, *p0.shape) of other people, who say how shapes vary.
    public: np.ndarray | None = None
    # (i, k, d) directions in which deviations do not count.
    ignored: np.ndarray | None = None
    # p0 is a regular polygon, which says how a release lies and nothing of the records.
    nothing_public: bool = False
    # (s, k, d) directions in which records slide to the least bending energy.
    slid: np.ndarray | None = None
    # Public bounds of log centroid size, where it is released, too.
    size: tuple | None = None

    @property
    def planar(self) -> bool:
        """Return whether landmarks lie in the plane."""
        return self.p0.ndim == 1

    @property
    def about(self) -> Any:
        """Return the space of deviations from p0."""
        return LandmarkShapes(as_real(self.p0), self.ignored, self.slid)

    @cached_property
    def variation(self) -> shape_variation.Variation:
        """Return how shapes vary about the public center, by which noise is planned, as `public` or a prior has it.

        The prior follows from r. The modes say whether there is a contour.
        """
        outline = self.modes > 0
        if self.public is None:
            return shape_variation.assume_prior(self.about, self.r, outline)
        return shape_variation.learn(self.about, as_real(self.public), outline)

    @property
    def kendall(self) -> Any:
        """Return Kendall's space of as many landmarks as p0 has."""
        return Kendall(len(self.p0))

    @property
    def space(self) -> Any:
        """Return the manifold whose points are released."""
        return ComplexProjective(self.modes - 1) if self.modes else self.kendall

    @property
    def basis(self) -> NDArray:
        """Return the contour basis (k, p)."""
        return contour.basis(len(self.p0), self.modes)

    @property
    def center(self) -> NDArray:
        """Return p0 as a point of `space`."""
        return contour.to_basis(self.basis, self.p0) if self.modes else self.p0

    @property
    def lost(self) -> float:
        """Return the distance by which the basis moves p0, in radian: what it cuts off is a bias of every release."""
        return float(np.arcsin(np.sqrt(contour.energy_above(self.basis, self.p0)))) if self.modes else 0.0

    def whole(self, z: NDArray) -> NDArray:
        """Return the records (n, k), p0 in the place of what is no shape."""
        return replace_non_shapes(z, self.p0)

    def points(self, z: NDArray) -> NDArray:
        """Return records (n, k) as points of the space that is released in; the center where one has no place there."""
        z = self.whole(z)
        if not self.modes:
            return z
        return contour.to_basis(self.basis, np.where(contour.has_energy(self.basis, z)[:, None], z, self.p0))

    def from_points(self, point: NDArray) -> NDArray:
        """Return the shape that a point of `space` stands for."""
        return contour.from_basis(self.basis, point) if self.modes else point

    def on_grid(self, z: NDArray) -> NDArray:
        """Return a shape turned to p0, its coordinates on the output grid."""
        turned = landmark_shapes.align(as_real(self.p0), landmark_shapes.unit(as_real(z)[None])[0])[0]
        return as_complex(np.round(turned / OUTPUT_GRID) * OUTPUT_GRID)


def polygon(k: int) -> NDArray:
    """Return the regular polygon (k,), of size 1."""
    return np.exp(2j * np.pi * np.arange(k) / k) / np.sqrt(k)


def as_real(z: NDArray) -> NDArray:
    """Return landmarks as real numbers (..., k, d): complex ones (..., k) with d = 2, shapes in space as they are."""
    return np.stack([z.real, z.imag], axis=-1) if np.iscomplexobj(z) else z


def as_complex(x: NDArray) -> NDArray:
    """Return planar landmarks (..., k, 2) as (..., k); shapes in space as they are."""
    return x[..., 0] + 1j * x[..., 1] if x.shape[-1] == 2 else x


# Records, up to which rounding is accounted for.
MOST = 10_000_000
# Of the radius: a basis that moves the public center by more hides what it should show.
LARGEST_LOSS = 0.5
# Draws about p0, from public numbers alone, that measure how far the noise reaches.
TRIALS = 200


@dataclass(frozen=True)
class ShapeMechanism(Mechanism):
    """A mechanism for n shapes; budget : {"mu_total": number} or {"epsilon": number}."""

    ball: Ball
    budget: dict
    # Whether the release is shrunk towards p0 afterwards, by public factors.
    shrinks: bool = False
    # People whom axes and clip are chosen for, where these are a part of them.
    planned_for: int | None = None

    branch = "shapes"
    budgets = ("mu_total",)
    # Whether it works in the contour basis.
    in_basis = True
    # Whether landmarks may have three coordinates, and their size beside them.
    in_space = False
    # Whether it keeps all landmarks, and yet asks whether they follow a contour.
    along_contour = False
    # mu of a stage before the mean, where there is one.
    first = 0.0
    # (quantile, margin, people) of the public set that its bound comes from, where it does.
    learned = None

    @property
    def n(self) -> int:
        return self.ball.n

    @property
    def basis_words(self) -> str:
        return f"{self.ball.modes} modes" if self.ball.modes else "all landmarks"

    def check_worth(self) -> None:
        """Refuse a release that is foretold to be no better than the public center, where that can be told."""

    def check(self) -> None:
        """Refuse settings that this mechanism cannot release under, with the remedy, before any record is read."""
        sensitivity.check_count(self.n)
        plane = "is for landmarks in the plane, and these lie in space: take `shaped`, or `knorm` for a pure epsilon"
        # What it cannot do, and the remedy: whether that is asked.
        cannot = {
            plane: not (self.ball.planar or self.in_space),
            "needs a public center: name one in shapes.center, or take private_center": (
                self.ball.nothing_public and self.name != "private_center"
            ),
            "cannot release sizes: take `shaped` or `knorm`, or leave shapes.size out": self.ball.size
            and not self.in_space,
            "cannot be shrunk: take `shaped` or `knorm`, or leave shrink out": self.shrinks and not self.in_space,
        }
        if words := next((words for words, is_asked in cannot.items() if is_asked), None):
            raise RefusedRelease(f"mechanism `{self.name}` {words}")
        if self.planned_for is not None and (self.shrinks or not self.in_space or self.planned_for < self.n):
            raise RefusedRelease(
                f"planned_for: {self.planned_for}: takes `shaped` or `knorm` without shrink, and no more people "
                "than it says"
            )
        if self.in_basis and self.ball.lost > LARGEST_LOSS * self.ball.r:
            raise RefusedRelease(
                f"contour_modes = {self.ball.modes}: that basis moves the public center by {self.ball.lost:.3g} rad, "
                f"more than half the radius {self.ball.r:.3g}: take `shaped` or `knorm`, which keep its detail, "
                "more contour_modes, or contour_modes: 0 where landmarks follow no contour"
            )
        if self.n > MOST:
            raise RefusedRelease(f"n = {self.n} records; rounding is accounted for up to {MOST}")

    def stated_bounds(self) -> tuple:
        return (("r", self.ball.r, "radian"),)

    def inputs(self) -> dict[str, Any]:
        """Return what the sensitivity follows from, by symbol."""
        return {"n": self.n, "r": self.ball.r, "p": self.ball.modes}

    adds_up = False

    def sums(self, people: Any) -> Sums:
        """Return the records: this mechanism averages real numbers, in whatever space it works."""
        return Sums((as_complex(people.all()),))

    def noised(self, sums: Sums, source: Any) -> NDArray:
        return self.draw(sums.values[0], source)

    def shape(self, answers: tuple) -> NDArray:
        """Return the shape that the stages' answers give, before it is published."""
        return answers[-1]

    def decoding(self, answers: tuple) -> "ShapeMechanism":
        """Return the mechanism with what the answers themselves say of how they are decoded; here nothing."""
        return self

    def tells(self, answers: tuple) -> dict[str, Any]:
        """Return what the answers say beside the mean, as fields of `statement.conditions.Facts`; here nothing."""
        return {}

    def size(self, answers: tuple) -> tuple[float, float]:
        """Return the released centroid size and the standard deviation of its noise; NaN where none is released."""
        return float("nan"), float("nan")

    def published(self, answers: tuple, bandwidth: float | None = None) -> NDArray:
        """Return the shape as it is published: turned to p0, a centered unit shape on the output grid.

        Where a bandwidth is given it is smoothed along the contour before (post-processing).
        """
        shape = self.shape(answers)
        return self.ball.on_grid(contour.smooth_locally(shape, bandwidth) if bandwidth else shape)

    def noise_size(self) -> float:
        """Return the noise in radian, measured on draws about p0 with public random numbers."""
        return float(np.sqrt(np.mean(self.ball.kendall.dist(self.ball.p0, self._about_center) ** 2)))

    def noise_covariance(self) -> NDArray[np.float64]:
        """Return covariances (k, d, d) of the noise at each landmark, for ellipses, from draws about p0."""
        draws = as_real(self.ball.kendall.align(self.ball.p0, self._about_center))
        deviations = draws - draws.mean(axis=0)
        return np.einsum("tkd,tke->kde", deviations, deviations) / TRIALS

    def error_size(self) -> float:
        """Return the expected distance to the cohort's own mean, in radian; here the noise is all that is known."""
        return self.noise_size()

    def error_covariance(self) -> NDArray[np.float64]:
        """Return covariances (k, d, d) of each landmark, of what `error_size` counts."""
        return self.noise_covariance()

    @cached_property
    def _about_center(self):
        """Return draws (TRIALS, k) about p0."""
        source, at_center = noise.SeededNoise(0), np.tile(self.ball.p0, (self.n, 1))
        return np.array([self.draw(at_center, source) for _ in range(TRIALS)])


class PureShapeMechanism(ShapeMechanism):
    """A mechanism that is epsilon-DP."""

    budgets = ("epsilon",)
    sampler = "exact"
    clipping = "ball"

    def check(self) -> None:
        super().check()
        sensitivity.check_radius(self.ball.space, self.ball.r)

    def cost(self) -> Cost:
        return Cost(PURE, epsilon=self.budget["epsilon"])

    def grid(self) -> float:
        return OUTPUT_GRID

    @property
    def spent_on_noise(self) -> float:
        """Return the epsilon for noise in doubles."""
        return sensitivity.epsilon_for_noise(self.budget["epsilon"])

    @property
    def rounding(self) -> float:
        """Return a bound on the error of a gradient, as it is computed."""
        return sensitivity.gradient_rounding(self.n, self.ball.space.point_shape[0])

    def placed(self, z: NDArray) -> tuple:
        """Return what the samplers take: space, points, center, radius."""
        return self.ball.space, self.ball.points(z), self.ball.center, self.ball.r
