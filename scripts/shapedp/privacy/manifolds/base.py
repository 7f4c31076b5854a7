"""What manifolds have in common: the members that each must have, and those that follow from them."""

from abc import ABC, abstractmethod

import numpy as np

# A moved point stays inside its ball by this share of r and by a multiple of the rounding of a distance of unit
# vectors, u (numbers in a point + 8), so that its true distance, and that computed again, are at most r.
INSIDE, ROUNDINGS = 1e-12, 16


def _property(words):
    """Return an abstract property with these words as its docstring."""
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
        """Return the least and the largest sectional curvature."""

    @abstractmethod
    def inner(self, x, u, v):
        """Return the Riemannian inner products (...) of tangent vectors: the metric, by which lengths are measured.

        Parameters
        ----------
        x : (..., *point) array
            Where the vectors are tangent.
        u, v : (..., *point) array
            The vectors.
        """

    @abstractmethod
    def project(self, y):
        """Return the point of the manifold that is nearest to an array near it."""

    @abstractmethod
    def to_tangent(self, x, v):
        """Return arrays projected orthogonally on the tangent space at x: directions in which points can move.

        Steps, random directions and differences go through it, so that rounding does not lead off the manifold.

        Parameters
        ----------
        x : (..., *point) array
            Where the space is tangent.
        v : (..., *point) array
            Of any direction.
        """

    @abstractmethod
    def exp(self, x, v):
        """Return the points (..., *point) to which tangent vectors at x lead: back from tangent space to the manifold.

        They are the ends of the geodesics from x with velocity v, after time 1.

        Parameters
        ----------
        x : (..., *point) array
            Where they start.
        v : (..., *point) array
            Tangent vectors there.
        """

    @abstractmethod
    def log(self, x, y):
        """Return the tangent vectors (..., *point) at x that exp takes to y: points as vectors, to average or noise.

        They are nan where the shortest geodesic is not unique.

        Parameters
        ----------
        x, y : (..., *point) array
            Points.
        """

    @abstractmethod
    def dist(self, x, y):
        """Return the lengths (...) of the shortest geodesics, accurate for near points.

        Parameters
        ----------
        x, y : (..., *point) array
            Their ends.
        """

    @abstractmethod
    def transport(self, x, y, v):
        """Return tangent vectors at x carried to y, to be compared there: the papers' geodesic regression needs it.

        They go by parallel transport along the shortest geodesic.

        Parameters
        ----------
        x, y : (..., *point) array
            Its ends.
        v : (..., *point) array
            Tangent vectors at x.
        """

    @abstractmethod
    def move(self, frame, v):
        """Return the frame at the end of the geodesic with velocity v, and v in it: a step of the Fréchet mean.

        Frames are points where `frame` is not overridden.

        Parameters
        ----------
        frame : array
            As `frame` returns it, of the point that is left.
        v : (..., *point) array
            Tangent vector, in the frame.

        Returns
        -------
        frame : array
            Of the point that is reached.
        v : (..., *point) array
            Transported along that geodesic.
        """

    @abstractmethod
    def tangent_basis(self, x):
        """Return an orthonormal basis (dim, *point) of the tangent space at a point, in which means get their noise."""

    @abstractmethod
    def gaussian_tangent(self, x, rng, size=()):
        """Draw standard normal tangent vectors at x, of which noise has its directions and chains their steps.

        Parameters
        ----------
        x : (..., *point) array
            Where they are tangent.
        rng : numpy.random.Generator or SecureGenerator
            Of the draws.
        size : int or tuple of int
            How many at each x.

        Returns
        -------
        (*size, ..., *point) array
        """

    @abstractmethod
    def random_point(self, rng, size=()):
        """Draw points, uniform where there is a uniform law, for experiments and tests.

        Parameters
        ----------
        rng : numpy.random.Generator or SecureGenerator
            Of the draws.
        size : int or tuple of int
            How many.

        Returns
        -------
        (*size, *point) array
        """

    @abstractmethod
    def extrinsic_mean(self, points):
        """Return a start (..., *point) for the Fréchet mean of points (..., n, *point)."""

    @abstractmethod
    def log_area(self, x, v):
        """Return the log volume factor (...) in polar coordinates dt dω about x, at v = tω: samplers draw radii by it.

        Parameters
        ----------
        x : (..., *point) array
            Centers.
        v : (..., *point) array
            Tangent vectors there.
        """

    @abstractmethod
    def area_bound(self, start, stop):
        """Return (a, b), a line a + b (t - start) above the log area at t, for the envelopes that noise is drawn under.

        It holds at each distance t of [start, stop], in every direction.

        Parameters
        ----------
        start, stop : (N,) float
            Ends of the distances t for which it does; `stop` may be inf where the injectivity radius is.

        Returns
        -------
        a, b : (N,) float
        """

    # What follows from the members above.

    @property
    def point_ndim(self):
        """Return the number of trailing axes that make one point."""
        return len(self.point_shape)

    def spread(self, a):
        """Return scalars (...) as (..., 1) or (..., 1, 1), so that they multiply points."""
        return np.asarray(a)[(..., *(None,) * self.point_ndim)]

    def norm(self, x, v):
        """Return the lengths (...) of tangent vectors, by which steps, clips and distances are measured.

        Parameters
        ----------
        x : (..., *point) array
            Where they are tangent.
        v : (..., *point) array
            The vectors.
        """
        return np.sqrt(np.maximum(self.inner(x, v, v), 0.0))

    def unit(self, x, v):
        """Return tangent vectors scaled to length 1: directions.

        Parameters
        ----------
        x : (..., *point) array
            Where they are tangent.
        v : (..., *point) array
            The vectors, none of length 0.
        """
        return v / self.spread(self.norm(x, v))

    def random_tangent(self, x, rng, size=()):
        """Draw unit tangent vectors, uniform on the tangent space's unit sphere: directions for draws and searches.

        Parameters
        ----------
        x, rng, size
            As of `gaussian_tangent`.

        Returns
        -------
        (*size, ..., *point) array
        """
        # projected once more: scaling a short vector up has scaled its rounding, too
        return self.to_tangent(x, self.unit(x, self.gaussian_tangent(x, rng, size)))

    def sample_shape(self, x, size):
        """Return the shape of an array of `size` draws at each x, for methods that draw.

        Parameters
        ----------
        x : (..., *point) array
            Where they are drawn.
        size : int or tuple of int
            How many.

        Returns
        -------
        tuple of int
            `size`, then the shape of x.
        """
        size = (size,) if np.isscalar(size) else tuple(size)
        return size + np.shape(x)

    def gradient(self, x, points):
        """Return the gradient of F(x) = (1/2n) sum_i dist(x, x_i)^2, 0 at the Fréchet mean: KNG's law falls with it.

        It is -(1/n) sum_i log_x x_i.

        Parameters
        ----------
        x : (..., b, *point) array
            Where it is taken.
        points : (..., n, *point) array
            The x_i.

        Returns
        -------
        (..., b, *point) array
        """
        axis = -self.point_ndim - 1
        logs = self.log(np.expand_dims(x, axis), np.expand_dims(points, axis - 1))
        return -logs.mean(axis=axis)

    # A frame at a point is the point itself, unless another form makes the gradient cheaper (P(k)).

    def frame(self, x):
        """Return the frame at x; tangent vectors in a frame have the Euclidean norm."""
        return x

    def foot(self, frame):
        """Return the point of a frame."""
        return frame

    def descent(self, frame, points):
        """Return the direction in which the Fréchet mean's F falls: the mean of log_x x_i in a frame.

        Here it is for vectors as points.

        Parameters
        ----------
        frame : array
            As `frame` returns it, of x.
        points : (..., n, *point) array
            The x_i.

        Returns
        -------
        (..., *point) array
        """
        return -self.gradient(frame[..., None, :], points)[..., 0, :]

    def align(self, x, y):
        """Return points y as the arrays nearest to x that stand for them, so that they can be subtracted from x.

        On CP^m an array may be turned by any phase; elsewhere there is no choice.

        Parameters
        ----------
        x, y : (..., *point) array
            Points.
        """
        return y

    def to_ball(self, x, p0, r):
        """Return points with those outside the public ball B_r(p0) moved to its boundary, so that none counts for more.

        Returned, too, is which moved. They move along the geodesic from p0. A point on the cut locus of p0 has no
        unique geodesic and moves to p0, as one does that is not finite.

        Parameters
        ----------
        x : (..., *point) array
            Points, or arrays that are none.
        p0 : (*point) array
            The ball's center.
        r : float
            Its radius.

        Returns
        -------
        points : (..., *point) array
        outside : (...) bool
            Which of them moved.
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
