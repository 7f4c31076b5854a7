"""What manifolds have in common: the members that each must have, and those that follow from them."""

from abc import ABC, abstractmethod

import numpy as np

# A moved point stays inside its ball by this share of r and by a multiple of the rounding of a distance of unit
# vectors, u (numbers in a point + 8), so that its true distance, and that computed again, are at most r.
INSIDE, ROUNDINGS = 1e-12, 16


def _property(words):
    """An abstract property with these words as its docstring."""
    return property(abstractmethod(lambda self: None), doc=words)


class Manifold(ABC):
    """A homogeneous Riemannian manifold whose points are arrays of `point_shape`.

    Arrays carry any leading axes (...), which broadcast. Tangent vectors are arrays of `point_shape`, too. A manifold
    must have the abstract members; those that follow from them it overrides where it knows a cheaper form.
    """

    point_shape = _property("Shape of the array that is one point.")
    dtype = _property("Of points and tangent vectors.")
    dim = _property("Real dimension.")
    injectivity_radius = _property("Below it two points have one shortest geodesic; inf where there is no cut locus.")
    growth = _property("B, where the volume of a ball grows like e^(Bt); 0 where the manifold is compact or flat.")

    @abstractmethod
    def curvature_bounds(self):
        """Least and largest sectional curvature."""

    @abstractmethod
    def inner(self, x, u, v):
        """Riemannian inner product of tangent vectors at x: (...)."""

    @abstractmethod
    def project(self, y):
        """Nearest point of the manifold, of an array near it."""

    @abstractmethod
    def to_tangent(self, x, v):
        """Orthogonal projection of arrays on the tangent space at x."""

    @abstractmethod
    def exp(self, x, v):
        """End of the geodesic from x with velocity v, after time 1."""

    @abstractmethod
    def log(self, x, y):
        """The tangent vector at x with exp_x of it = y; nan where the shortest geodesic is not unique."""

    @abstractmethod
    def dist(self, x, y):
        """Length of the shortest geodesic, accurate for near points: (...)."""

    @abstractmethod
    def transport(self, x, y, v):
        """Parallel transport of v from x to y along the shortest geodesic."""

    @abstractmethod
    def move(self, frame, v):
        """The frame at the end of the geodesic with velocity v, and v in it, transported along that geodesic: a step
        of the Fréchet mean. Frames are points where `frame` is not overridden.
        """

    @abstractmethod
    def tangent_basis(self, x):
        """Orthonormal basis of the tangent space at one point: (dim, *point)."""

    @abstractmethod
    def gaussian_tangent(self, x, rng, size=()):
        """Standard normal tangent vectors at x: size + x.shape."""

    @abstractmethod
    def random_point(self, rng, size=()):
        """Random points, uniform where there is a uniform law: size + point_shape."""

    @abstractmethod
    def extrinsic_mean(self, points):
        """A start for the Fréchet mean: (..., n, *point) -> (..., *point)."""

    @abstractmethod
    def log_area(self, x, v):
        """log of the volume factor in polar coordinates dt dω about x at v = tω."""

    @abstractmethod
    def area_bound(self, start, stop):
        """(a, b) of a line a + b (t - start) above the log area in every direction, for t in [start, stop]; stop may
        be inf where the injectivity radius is.
        """

    # What follows from the members above.

    @property
    def point_ndim(self):
        """Number of trailing axes that make one point."""
        return len(self.point_shape)

    def spread(self, a):
        """Scalars (...) as (..., 1) or (..., 1, 1), so that they multiply points."""
        return np.asarray(a)[(..., *(None,) * self.point_ndim)]

    def norm(self, x, v):
        """Length of the tangent vectors v at x: (...)."""
        return np.sqrt(np.maximum(self.inner(x, v, v), 0.0))

    def unit(self, x, v):
        """Tangent vectors scaled to length 1."""
        return v / self.spread(self.norm(x, v))

    def random_tangent(self, x, rng, size=()):
        """Unit tangent vectors at x, uniform on the unit sphere of the tangent space: size + x.shape."""
        # projected once more: scaling a short vector up has scaled its rounding, too
        return self.to_tangent(x, self.unit(x, self.gaussian_tangent(x, rng, size)))

    def sample_shape(self, x, size):
        """The shape `size + x.shape` of `size` draws at each x."""
        size = (size,) if np.isscalar(size) else tuple(size)
        return size + np.shape(x)

    def gradient(self, x, points):
        """Gradient of F(x) = (1/2n) sum_i dist(x, x_i)^2: -(1/n) sum_i log_x x_i.

        x : (..., b, *point); points : (..., n, *point); result as x
        """
        axis = -self.point_ndim - 1
        logs = self.log(np.expand_dims(x, axis), np.expand_dims(points, axis - 1))
        return -logs.mean(axis=axis)

    # A frame at a point is the point itself, unless another form makes the gradient cheaper (P(k)).

    def frame(self, x):
        """The frame at x; tangent vectors in a frame have the Euclidean norm."""
        return x

    def foot(self, frame):
        """The point of a frame."""
        return frame

    def descent(self, frame, points):
        """The mean of log_x x_i in the frame, points (..., n, *point) -> (..., *point); here for vectors as points."""
        return -self.gradient(frame[..., None, :], points)[..., 0, :]

    def align(self, x, y):
        """Of the arrays that stand for the points y those that are nearest to x: on CP^m the phase is a choice."""
        return y

    def to_ball(self, x, p0, r):
        """Move points outside B_r(p0) to its boundary along the geodesic from p0.

        A point on the cut locus of p0 has no unique geodesic and moves to p0, as one does that is not finite.
        Result: the points, and a mask (...) of those that moved.
        """
        slack = ROUNDINGS * np.finfo(float).eps * (np.prod(self.point_shape) + 8)
        d = self.dist(p0, x)
        outside = ~(d <= r - slack)
        if not outside.any():
            return x, outside
        v = self.log(p0, x)
        kept = max(r * (1 - INSIDE) - 2 * slack, 0.0)
        shrink = np.where(outside, kept / np.where(d > 0, d, 1.0), 1.0)
        moved = self.exp(p0, np.where(np.isfinite(v), v, 0.0) * self.spread(shrink))
        return np.where(self.spread(outside), moved, x), outside
