"""Records made ready for a release: checked, and moved into the public ball."""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import RefusedRelease, Rejected
from shapedp.manifolds import frechet
from shapedp.manifolds.curvature import check_radius
from shapedp.mechanisms.sensitivity import Scale, check_count


@dataclass(frozen=True)
class Records:
    """points (..., n, *point) in B_r(p0); outside (..., n) those that were moved there: private, as its count is."""

    manifold: object
    points: np.ndarray
    outside: np.ndarray
    p0: np.ndarray
    r: float

    @property
    def n(self):
        """Records in each data set."""
        return self.outside.shape[-1]

    def mean(self, tolerance=frechet.TOLERANCE):
        """Fréchet mean, to the public tolerance."""
        return frechet.mean(self.manifold, self.points, tol=tolerance)


@dataclass(frozen=True)
class Drawn:
    """points (..., size, *point) may be published, with the scale; the mean and the mask `outside` may not."""

    points: np.ndarray
    scale: Scale
    mean: frechet.FrechetMean
    outside: np.ndarray


def prepare(manifold, points, p0, r):
    """Check records (..., n, *point), center p0 and radius r, and move what lies outside B_r(p0) to its boundary."""
    check_radius(manifold, r)
    _check_points(manifold, np.asarray(p0), "the center p0")
    _check_points(manifold, np.asarray(points), "the records")
    check_count(np.shape(points)[-manifold.point_ndim - 1])
    inside, outside = manifold.to_ball(points, p0, r)
    return Records(manifold, inside, outside, p0, r)


def _check_points(manifold, points, name):
    if points.shape[-manifold.point_ndim :] != manifold.point_shape:
        raise RefusedRelease(f"{name} must be points of {manifold}, shape {manifold.point_shape}, got {points.shape}")
    if not np.isfinite(points).all():
        raise Rejected("not_finite", f"{name} hold numbers that are not finite; mend or drop those records")
    if np.linalg.norm(points - manifold.project(points), axis=-1).max() > 1e-9:
        raise RefusedRelease(f"{name} do not lie on {manifold}: project them first")
