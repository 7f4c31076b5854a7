"""The unit sphere S^d in R^(d+1)."""

from dataclasses import dataclass

import numpy as np
import scipy

from shapedp.base.errors import Rejected
from shapedp.privacy.manifolds.base import Manifold

# Stands for a zero that is divided by.
TINY = np.finfo(float).tiny


def hermitian(a, b):
    """Return a* b (...) over the last axes, the inner product of unit vectors; complex where a or b is.

    It is conjugate-linear in a.

    Parameters
    ----------
    a, b : (..., k) array
        Real or complex vectors.
    """
    return np.einsum("...i,...i->...", np.conj(a), b)


def length(v):
    """Return the Euclidean norm over the last axis."""
    return np.linalg.norm(v, axis=-1)


def angle_ratio(cosine):
    """Return t / sin t for cos t = cosine, t in [0, π): 1 at t = 0, where a tiny sine stands for none."""
    sine = np.sqrt(np.maximum((1 - cosine) * (1 + cosine), TINY))
    return np.arctan2(sine, cosine) / sine


class UnitVectors(Manifold):
    """What manifolds of unit vectors of R^n or C^n have in common."""

    growth = 0.0

    def normal(self, rng, shape):
        """Draw standard normal vectors of the space around, of variance 1 in each real direction."""
        real = rng.standard_normal(shape)
        return real + 1j * rng.standard_normal(shape) if self.dtype == np.complex128 else real

    def inner(self, x, u, v):
        """Return the inner product of tangent vectors at x, by which they have lengths and angles: Re(u* v)."""
        return hermitian(u, v).real

    def project(self, y):
        """Return y / |y|, the point of the sphere that is nearest to y, so that rounding leads no point off it."""
        return y / length(y)[..., None]

    def to_tangent(self, x, v):
        """Return v - x (x* v), arrays projected on the tangent space at x: directions in which points can move."""
        return v - x * hermitian(x, v)[..., None]

    def extrinsic_mean(self, points):
        """Return (..., k) where a Fréchet mean of points (..., n, k) starts: their plain mean, brought to the manifold.

        They are aligned to the first before.
        """
        return self.project(self.align(points[..., :1, :], points).mean(axis=-2))

    def exp(self, x, v):
        """Return the points to which tangent vectors at x lead, along geodesics: cos|v| x + (sin|v| / |v|) v."""
        t = np.linalg.norm(v, axis=-1, keepdims=True)
        return self.project(np.cos(t) * x + np.sinc(t / np.pi) * v)

    def gaussian_tangent(self, x, rng, size=()):
        """Draw standard normal tangent vectors, as steps, directions or noise at x.

        Their covariance is the identity of the tangent space.
        """
        return self.to_tangent(x, self.normal(rng, self.sample_shape(x, size)))

    def random_point(self, rng, size=()):
        """Draw uniform points (size + point_shape), for experiments and tests."""
        return self.project(self.normal(rng, self.sample_shape(np.empty(self.point_shape), size)))


@dataclass(frozen=True)
class Sphere(UnitVectors):
    """The unit sphere S^d with the round metric.

    Its curvature is 1 (a circle is flat), its injectivity radius pi, dist in [0, pi].
    """

    d: int

    dtype = np.float64
    injectivity_radius = np.pi

    def __post_init__(self):
        if self.d < 1:
            raise Rejected("dimension", f"a sphere needs dimension d >= 1, got {self.d}")

    @property
    def dim(self):
        return self.d

    @property
    def point_shape(self):
        return (self.d + 1,)

    def curvature_bounds(self):
        return (1.0, 1.0) if self.d > 1 else (0.0, 0.0)

    def log(self, x, y):
        """Return the tangent vectors at x that exp takes to y: points as vectors, to average or noise.

        They are (t / sin t) (y - cos(t) x), t = dist(x, y); nan at the antipode, which has no unique geodesic.

        Parameters
        ----------
        x, y : (..., d + 1) float
            Unit vectors.
        """
        w = self.to_tangent(x, y - x)
        sine, cosine = length(w), hermitian(x, y)
        # From the sine and the cosine both: an angle near 0 or pi is lost in the cosine alone.
        ratio = np.arctan2(sine, cosine) / np.where(sine == 0, 1.0, sine)
        return w * np.where(sine == 0, np.where(cosine > 0, 1.0, np.nan), ratio)[..., None]

    def dist(self, x, y):
        """Return the angles (...) between x and y, exact for near points: atan2(|y - <x, y> x|, <x, y>).

        The numerator starts from y - x.

        Parameters
        ----------
        x, y : (..., d + 1) float
            Unit vectors.
        """
        return np.arctan2(length(self.to_tangent(x, y - x)), hermitian(x, y))

    def transport(self, x, y, v):
        """Return tangent vectors v at x carried to y, to be compared there: the papers' geodesic regression needs it.

        It is parallel transport along the shortest geodesic, v - <y, v> (x + y) / (1 + <x, y>).

        Parameters
        ----------
        x, y : (..., d + 1) float
            Unit vectors, no two of them opposite.
        v : (..., d + 1) float
            Tangent vectors at x.
        """
        return v - (hermitian(y, v) / (1 + hermitian(x, y)))[..., None] * (x + y)

    def gradient(self, x, points):
        """Return the gradient of the Fréchet mean's F, with which KNG's law falls, fast: by two matrix products.

        With c_i = <x, x_i> and f = t / sin t it is minus the mean of f_i (x_i - c_i x).

        Parameters
        ----------
        x : (..., b, d + 1) float
            Where it is taken.
        points : (..., n, d + 1) float
            The x_i.
        """
        c = x @ np.swapaxes(points, -1, -2)
        f = angle_ratio(c)
        return ((f * c).sum(axis=-1)[..., None] * x - f @ points) / points.shape[-2]

    def move(self, x, v):
        """Return exp_x(v), and v transported along its own geodesic: a step of the Fréchet mean.

        The latter is cos|v| v - |v| sin|v| x.

        Parameters
        ----------
        x : (..., d + 1) float
            Unit vectors.
        v : (..., d + 1) float
            Tangent vectors there.
        """
        t = np.sqrt(hermitian(v, v) + TINY)[..., None]
        cosine, ratio = np.cos(t), np.sin(t) / t
        return cosine * x + ratio * v, cosine * v - (ratio * t**2) * x

    def tangent_basis(self, x):
        return scipy.linalg.null_space(x[None]).T

    def log_area(self, x, v):
        """Return log sin(t)^(d-1), the log volume factor in polar coordinates dt dω about x at v = tω, for samplers.

        Parameters
        ----------
        x : (..., d + 1) float
            Centers.
        v : (..., d + 1) float
            Tangent vectors there.
        """
        with np.errstate(divide="ignore"):
            return (self.d - 1) * np.log(np.sin(np.minimum(self.norm(x, v), np.pi)))

    def area_bound(self, start, stop):
        """Return a line a + b (t - start) above the log area at distance t, for envelopes that noise is drawn under.

        The log area is log sin(t)^(d-1). The line is its tangent at the middle, since it is concave.

        Parameters
        ----------
        start, stop : (N,) float
            Ends of the intervals.
        """
        middle = (start + stop) / 2
        slope = (self.d - 1) / np.tan(middle)
        return (self.d - 1) * np.log(np.sin(middle)) - slope * (middle - start), slope
