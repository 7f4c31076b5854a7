"""The mechanisms for a mean shape behind one interface: what is drawn, what it costs, how far the noise reaches.

Shapes are points of Kendall's space, or of CP^(p-1) in the contour basis (`modes` = p). All records lie in, or are
moved into, the ball of radius r about p0, both public unless the settings say `data`.

Rounding. The Gaussian mechanism adds whole numbers, without error. The pure ones average real numbers: a logarithm is
off by less than 100 u r and a sum of n terms by less than (128 + log2 n) u r, u = 2^-53, together less than 2e-14 n of
the sensitivity 2r/n. They draw for epsilon (1 - ROUNDING), which covers that for n up to MOST.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import RefusedRelease
from shapedp.manifolds import frechet
from shapedp.manifolds.kendall import Kendall
from shapedp.manifolds.projective import ComplexProjective
from shapedp.mechanisms import contour, integer_sums, kng, laplace, local_linear, pointwise_laplace
from shapedp.mechanisms import sensitivity as sensitivities
from shapedp.mechanisms import tangent_gaussian as tangent
from shapedp.mechanisms.cost import GAUSSIAN, PURE, Cost

OUTPUT_GRID = 2.0**-24  # landmarks of a shape of size 1 are rounded to it: hygiene, not a proof
PUBLISHED = ("pointwise_laplace_aligned", "pointwise_laplace_unaligned")
ROUNDING = 1e-6  # share of epsilon kept for rounding before the noise; measured 1.7e-9 at n = 200,000
MOST = 10_000_000  # records
TRIALS = 200  # draws about p0, from public numbers alone, that measure how far the noise reaches


@dataclass(frozen=True)
class Shapes:
    """z (n, k) shapes, p0 (k,), r; the space they are released in and its points."""

    z: np.ndarray
    p0: np.ndarray
    r: float
    modes: int

    @property
    def n(self):
        """Records."""
        return len(self.z)

    @property
    def space(self):
        """Kendall's space, or CP^(p-1)."""
        return ComplexProjective(self.modes - 1) if self.modes else Kendall(len(self.p0))

    @property
    def center(self):
        """p0 as a point of the space."""
        return contour.to_basis(contour.basis(len(self.p0), self.modes), self.p0) if self.modes else self.p0

    @property
    def points(self):
        """The records as points of the space; one that has none there counts as p0, and shows nowhere."""
        if not self.modes:
            return self.z
        u = contour.basis(len(self.p0), self.modes)
        return contour.to_basis(u, np.where(contour.has_energy(u, self.z)[:, None], self.z, self.p0))

    def from_points(self, point):
        """A point of the space as a shape."""
        return contour.from_basis(contour.basis(len(self.p0), self.modes), point) if self.modes else point

    def on_grid(self, z):
        """A shape turned to p0, its coordinates on the output grid."""
        return np.round(Kendall(len(self.p0)).align(self.p0, z) / OUTPUT_GRID) * OUTPUT_GRID


def cost(name, budget):
    """What a release of this mechanism spends."""
    if name == "gaussian":
        return Cost(GAUSSIAN, mu=budget["mu_total"])
    return Cost(PURE, epsilon=budget["epsilon"])


def sensitivity(name, shapes, tolerance):
    """The number that the noise is scaled to."""
    if name == "gaussian":
        return 2 * shapes.r / shapes.n
    if name == "laplace":
        return sensitivities.mean_sensitivity(shapes.space, shapes.r, shapes.n, tolerance=tolerance)
    if name == "kng":
        return sensitivities.gradient_sensitivity(shapes.space, shapes.r, shapes.n)
    return 2 * shapes.r / shapes.n


def release(name, shapes, budget, source, bandwidth=None):
    """(k,) the released shape, smoothed along the contour where a bandwidth is given (post-processing)."""
    z = _DRAWS[name](shapes, budget, source)
    if bandwidth:
        z = local_linear.smooth(z, bandwidth)
    return shapes.on_grid(Kendall(len(shapes.p0)).project(z))


def within_bounds(name, shapes):
    """Whether every record, as the mechanism takes it, keeps to its bound: whole numbers, or points in the ball."""
    if name in PUBLISHED:
        return False
    if name == "gaussian":
        return integer_sums.within(_integers(shapes))
    if name == "pointwise_laplace":
        return True  # numpy's clip to the range is exact
    inside, _ = shapes.space.to_ball(shapes.points, shapes.center, shapes.r)
    return bool((shapes.space.dist(shapes.center, inside) <= shapes.r).all())


def grid(name, shapes):
    """Step of the grid that the mechanism's results lie on: of the noise, or of the rounding after it."""
    return shapes.r / integer_sums.GRID / shapes.n if name == "gaussian" else OUTPUT_GRID


def discretisation(name, shapes, budget):
    """Relative error of mu by the grid that the noise is drawn on."""
    return integer_sums.discretisation(shapes.r, _sd_of_sum(shapes, budget)) if name == "gaussian" else 0.0


def noise_radius(name, shapes, budget, source):
    """Root mean square distance that the noise alone moves a mean at p0: public numbers only, in radian."""
    at_center = Shapes(np.tile(shapes.p0, (shapes.n, 1)), shapes.p0, shapes.r, shapes.modes)
    if name == "gaussian":
        sd = tangent.standard_deviation(shapes.r, shapes.n, budget["mu_total"])
        return float(sd * np.sqrt(shapes.space.dim))
    drawn = [_DRAWS[name](at_center, budget, source) for _ in range(TRIALS)]
    return float(np.sqrt(np.mean(Kendall(len(shapes.p0)).dist(shapes.p0, np.array(drawn)) ** 2)))


def _gaussian(shapes, budget, source):
    """White noise in the tangent space at p0, on the integer sum of clipped coordinates."""
    sums = _integers(shapes).sum(axis=0)
    mean, _ = integer_sums.noised_mean(sums, shapes.r, shapes.n, _sd_of_sum(shapes, budget), source)
    return shapes.from_points(tangent.to_manifold(shapes.space, shapes.center, mean))


def _integers(shapes):
    """(n, dim) integer coordinates of the clipped logarithms at p0."""
    coordinates = tangent.clipped_coordinates(shapes.space, shapes.points, shapes.center, shapes.r)
    return integer_sums.integers(coordinates, shapes.r)


def _sd_of_sum(shapes, budget):
    return tangent.standard_deviation(shapes.r, 1, budget["mu_total"])


def _laplace(shapes, budget, source):
    drawn = laplace.release(*_records(shapes), _drawn_for(budget), source.generator())
    return shapes.from_points(drawn.points[0])


def _kng(shapes, budget, source):
    drawn, _ = kng.release(*_records(shapes), _drawn_for(budget), source.generator())
    return shapes.from_points(drawn.points[0])


def _pointwise(shapes, budget, source):
    """Ranges r in x and y: no coordinate of a shape in the ball is farther from p0's."""
    ranges = np.full(len(shapes.p0), shapes.r * (1 + 1j))
    return pointwise_laplace.release(shapes.z, shapes.p0, ranges, _drawn_for(budget), source.generator())[0]


def _published(aligned):
    def draw(shapes, budget, source):
        mean = frechet.mean(Kendall(len(shapes.p0)), shapes.z).point
        return pointwise_laplace.published(shapes.z, mean, budget["epsilon"], source.generator(), aligned=aligned)[0]

    return draw


def _records(shapes):
    return shapes.space, shapes.points, shapes.center, shapes.r


def _drawn_for(budget):
    """epsilon for the noise, a little less than is recorded: the rest covers rounding."""
    return budget["epsilon"] * (1 - ROUNDING)


_DRAWS = {
    "gaussian": _gaussian,
    "laplace": _laplace,
    "kng": _kng,
    "pointwise_laplace": _pointwise,
    "pointwise_laplace_aligned": _published(True),
    "pointwise_laplace_unaligned": _published(False),
}


def check(name, shapes):
    """Refuse what cannot be released, before any noise."""
    if name not in _DRAWS:
        raise RefusedRelease(f"unknown mechanism '{name}'; known: {', '.join(_DRAWS)}")
    sensitivities.check_count(shapes.n)
    if shapes.n > MOST:
        raise RefusedRelease(f"n = {shapes.n} records; rounding is accounted for up to {MOST}")
    if name != "gaussian" and name not in PUBLISHED:
        sensitivities.check_radius(shapes.space, shapes.r)
