"""Symmetric positive definite k x k matrices with the affine-invariant metric <u, v>_p = tr(p^-1 u p^-1 v).

Everything is done in a whitened frame: p = L L^T (Cholesky), v -> L^-1 v L^-T, which is an isometry to the identity.
Functions of symmetric matrices go by their eigenvalues.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.privacy.manifolds import small_matrices
from shapedp.privacy.manifolds.base import Manifold

# Below this distance of the whitened matrix from the identity, log(1 + a) starts from the exact difference q - p.
_NEAR = 0.5


def eigh(a):
    """Return the eigenvalues (ascending) and eigenvectors (columns) of symmetric a (..., k, k), fast for small ones.

    2 x 2 matrices have a closed form, ten times as fast as LAPACK called once a matrix.
    """
    if a.shape[-1] != 2:
        return np.linalg.eigh(a)
    middle = (a[..., 0, 0] + a[..., 1, 1]) / 2
    half = (a[..., 0, 0] - a[..., 1, 1]) / 2
    radius = np.hypot(half, a[..., 1, 0])
    angle = np.arctan2(a[..., 1, 0], half) / 2
    c, s = np.cos(angle), np.sin(angle)
    vectors = np.stack([np.stack([-s, c], axis=-1), np.stack([c, s], axis=-1)], axis=-1)
    return np.stack([middle - radius, middle + radius], axis=-1), vectors


def compose(vectors, values):
    """Return the symmetric matrix of a spectrum, V diag(values) V^T: a function of a matrix, from its eigenvalues'.

    Parameters
    ----------
    vectors : (..., k, k) float
        V, with eigenvectors as columns.
    values : (..., k) float
        Eigenvalues.
    """
    return (vectors * values[..., None, :]) @ vectors.mT


def symmetrise(a):
    """Return (a + a^T) / 2."""
    return (a + a.mT) / 2


@dataclass(frozen=True)
class SPD(Manifold):
    """The space P(k) of symmetric positive definite k x k matrices, of real dimension k (k + 1) / 2.

    Its curvature is in [-1/2, 0] (flat for k = 1), and it has no cut locus.
    """

    k: int

    dtype = np.float64
    injectivity_radius = np.inf

    def __post_init__(self):
        if self.k < 1:
            raise Rejected("dimension", f"matrices need k >= 1 rows, got {self.k}")

    @property
    def dim(self):
        return self.k * (self.k + 1) // 2

    @property
    def point_shape(self):
        return (self.k, self.k)

    def curvature_bounds(self):
        return (-0.5, 0.0) if self.k > 1 else (0.0, 0.0)

    def inner(self, x, u, v):
        """Return the affine-invariant inner products (...) of tangent vectors, tr(x^-1 u x^-1 v): lengths follow.

        Parameters
        ----------
        x : (..., k, k) float
            Positive definite matrices.
        u, v : (..., k, k) float
            Symmetric ones.
        """
        inverse = np.linalg.inv(np.linalg.cholesky(x))
        return np.einsum("...ij,...ij->...", _congruence(inverse, u), _congruence(inverse, v))

    def project(self, y):
        """Return symmetric matrices of what somebody gives as points; refuse one that is not positive definite."""
        y = symmetrise(y)
        if not np.isfinite(y).all() or not (np.linalg.eigvalsh(y)[..., 0] > 0).all():
            raise Rejected("not_positive_definite", "a matrix is not positive definite; drop it or add to its diagonal")
        return y

    def to_tangent(self, x, v):
        """Return the tangent part of v, a direction in which x can move: its symmetric part, whatever x.

        Parameters
        ----------
        x : (..., k, k) float
            Positive definite matrices.
        v : (..., k, k) float
            Any ones.
        """
        return symmetrise(v)

    def exp(self, x, v):
        """Return the points to which tangent vectors v at x lead: L Exp(L^-1 v L^-T) L^T, x = L L^T.

        Parameters
        ----------
        x : (..., k, k) float
            Positive definite matrices L L^T.
        v : (..., k, k) float
            Symmetric ones.
        """
        if self.k <= small_matrices.LARGEST:
            return small_matrices.exp(x, v)
        root = np.linalg.cholesky(x)
        values, vectors = eigh(_congruence(np.linalg.inv(root), v))
        return compose(root @ vectors, np.exp(values))

    def log(self, x, y):
        """Return the tangent vectors at x that exp takes to y, L Log(L^-1 y L^-T) L^T: to average or noise.

        Parameters
        ----------
        x, y : (..., k, k) float
            Positive definite matrices, x = L L^T.
        """
        if self.k <= small_matrices.LARGEST:
            return small_matrices.log(x, y)
        root = np.linalg.cholesky(x)
        return _congruence(root, _whitened_log(partial(_congruence, np.linalg.inv(root)), x, y))

    def dist(self, x, y):
        """Return the affine-invariant distances (...) of points, by which the papers' noise on P(k) falls off.

        They are the Frobenius norms of Log(L^-1 y L^-T), x = L L^T.

        Parameters
        ----------
        x, y : (..., k, k) float
            Positive definite matrices, x = L L^T.
        """
        if self.k <= small_matrices.LARGEST:
            return small_matrices.dist(x, y)
        inverse = np.linalg.inv(np.linalg.cholesky(x))
        return np.linalg.norm(_whitened_log(partial(_congruence, inverse), x, y), axis=(-2, -1))

    def transport(self, x, y, v):
        """Return tangent vectors v at x carried to y, to be compared there: the papers' geodesic regression needs it.

        It is parallel transport, E v E^T with E = (y x^-1)^(1/2) = L W^(1/2) L^-1, W = L^-1 y L^-T, x = L L^T.

        Parameters
        ----------
        x, y : (..., k, k) float
            Positive definite matrices, x = L L^T.
        v : (..., k, k) float
            Symmetric ones, tangent at x.
        """
        root = np.linalg.cholesky(x)
        inverse = np.linalg.inv(root)
        values, vectors = eigh(_congruence(inverse, y))
        return _congruence(root @ compose(vectors, np.sqrt(values)) @ inverse, v)

    def gradient(self, x, points):
        """Return the gradient of the Fréchet mean's F, with which KNG's law falls, fast: each x is whitened once.

        Parameters
        ----------
        x : (..., b, k, k) float
            Where it is taken.
        points : (..., n, k, k) float
            The x_i.
        """
        root = np.linalg.cholesky(x)
        return -_congruence(root, _mean_log(np.linalg.inv(root), x, points[..., None, :, :, :]))

    def tangent_basis(self, x):
        """Return an orthonormal basis (D, k, k) of the tangent space at a point, in which means get their noise.

        It is L E_ij L^T for i <= j.
        """
        i, j = np.triu_indices(self.k)
        units = np.zeros((self.dim, *self.point_shape))
        units[np.arange(self.dim), i, j] = units[np.arange(self.dim), j, i] = np.where(i == j, 1.0, np.sqrt(0.5))
        return _congruence(np.linalg.cholesky(x), units)

    def frame(self, x):
        """Return A and its inverse (..., 2, k, k), x = A A^T."""
        root = np.linalg.cholesky(x)
        return np.stack([root, np.linalg.inv(root)], axis=-3)

    def foot(self, frame):
        return frame[..., 0, :, :] @ frame[..., 0, :, :].mT

    def descent(self, frame, points):
        """Return the step of a Fréchet mean in a frame A of x = A A^T: the mean of Log(A^-1 x_i A^-T).

        Parameters
        ----------
        frame : (..., 2, k, k) float
            A and its inverse.
        points : (..., n, k, k) float
            The x_i.
        """
        return _mean_log(frame[..., 1, :, :], self.foot(frame), points)

    def move(self, frame, v):
        """Return where a step v of the descent to a Fréchet mean leads, as a frame, and v carried along.

        It is A Exp(v/2), at the end of the geodesic from A A^T with velocity v; v there is v again.

        Parameters
        ----------
        frame : (..., 2, k, k) float
            A and its inverse.
        v : (..., k, k) float
            Tangent vector, in the frame.
        """
        values, vectors = eigh(v)
        ahead, back = (compose(vectors, np.exp(sign * values / 2)) for sign in (1, -1))
        return np.stack([frame[..., 0, :, :] @ ahead, back @ frame[..., 1, :, :]], axis=-3), v

    def gaussian_tangent(self, x, rng, size=()):
        """Draw standard normal tangent vectors, as steps, directions or noise at x.

        They are L S L^T, S_ii ~ N(0, 1), S_ij ~ N(0, 1/2).

        Parameters
        ----------
        x : (..., k, k) float
            Positive definite matrices L L^T.
        rng : numpy.random.Generator or SecureGenerator
            Of the draws.
        size : int or tuple of int
            How many at each x.
        """
        a = rng.standard_normal(self.sample_shape(x, size))
        # (A + A^T) / 2 has variance 1 on the diagonal and 1/2 off it, and is invariant under rotation
        return _congruence(np.linalg.cholesky(x), symmetrise(a))

    def random_point(self, rng, size=()):
        """Draw a point for experiments, exp of a standard normal tangent vector at the identity, since there is no
        uniform law.

        Parameters
        ----------
        rng : numpy.random.Generator or SecureGenerator
            Of the draws.
        size : int or tuple of int
            How many.

        Returns
        -------
        (*size, k, k) float
        """
        identity = np.eye(self.k)
        return self.exp(identity, self.gaussian_tangent(identity, rng, size))

    def extrinsic_mean(self, points):
        """Return (..., k, k) where a Fréchet mean of points (..., n, k, k) starts: between two simple means.

        It is the geometric mean of the arithmetic and the harmonic mean.
        """
        arithmetic = points.mean(axis=-3)
        harmonic = np.linalg.inv(np.linalg.inv(points).mean(axis=-3))
        return self.exp(arithmetic, self.log(arithmetic, harmonic) / 2)

    def log_area(self, x, v):
        """Return the log of the volume factor in polar coordinates at v = tω, by which samplers draw.

        It is (D - 1) log t + sum_(i<j) log(sinh x_ij / x_ij) with x_ij = |l_i - l_j| / 2, l the eigenvalues of the
        whitened v.

        Parameters
        ----------
        x : (..., k, k) float
            Centers.
        v : (..., k, k) float
            Tangent vectors there.
        """
        values, _ = eigh(_congruence(np.linalg.inv(np.linalg.cholesky(x)), v))
        i, j = np.triu_indices(self.k, 1)
        gaps = np.abs(values[..., i] - values[..., j]) / 2
        with np.errstate(divide="ignore"):
            return (self.dim - 1) * np.log(np.linalg.norm(values, axis=-1)) + log_sinhc(gaps).sum(axis=-1)

    @property
    def growth(self):
        """Return B = sup over directions of sum_(i<j) x_ij / t = ½ sqrt(k (k² - 1) / 3): volume grows like e^(Bt)."""
        return np.sqrt(self.k * (self.k**2 - 1) / 3) / 2

    def area_bound(self, start, stop):
        """Return a line a + b (t - start) above the log area at distance t, for envelopes that noise is drawn under.

        t is in [start, stop]. (D - 1) log t is concave: the tangent, at the middle or, where stop = inf, at the start.
        The bound of the rest, docs/mathematics.md, (8.2), is convex in t: the chord; where stop = inf the rest is at
        most B t.

        Parameters
        ----------
        start, stop : (N,) float
            Ends of the intervals; `stop` may be inf.
        """
        finite = np.isfinite(stop)
        end = np.where(finite, stop, start)
        middle = (start + end) / 2
        slope = (self.dim - 1) / middle
        value = (self.dim - 1) * np.log(middle) - slope * (middle - start)
        low, high = self._mean_bound(start), self._mean_bound(end)
        chord = (high - low) / np.where(finite, end - start, 1.0)
        return value + np.where(finite, low, self.growth * start), slope + np.where(finite, chord, self.growth)

    def _mean_bound(self, t):
        pairs = self.k * (self.k - 1) / 2
        return pairs * log_sinhc(t / np.sqrt(2 * max(self.k - 1, 1)))


def log_sinhc(x):
    """Return log(sinh(x) / x) for x >= 0, without overflow: x + log((1 - e^(-2x)) / 2x)."""
    safe = np.where(x > 0, x, 1.0)
    return np.where(x > 0, safe + np.log(-np.expm1(-2 * safe) / (2 * safe)), 0.0)


def _congruence(a, s):
    """Return a s a^T, symmetric to the last bit."""
    return symmetrise(a @ s @ a.mT)


def _whitened_log(whiten, x, y):
    """Return the step from x to y in x's frame, Log of the whitened y, for `log`, `dist` and means of larger matrices.

    Small ones have compiled loops. Where the whitened y is near the identity it is computed from the exact difference
    y - x, so that it is exact for near points.
    """
    difference = whiten(y - x)
    is_near = np.einsum("...ij,...ij->...", difference, difference) < _NEAR**2
    if is_near.all():
        values, vectors = eigh(difference)
        return compose(vectors, np.log1p(values))
    values, vectors = eigh(np.where(is_near[..., None, None], difference, whiten(y)))
    is_near = is_near[..., None]
    logs = np.where(is_near, np.log1p(np.where(is_near, values, 0.0)), np.log(np.where(is_near, 1.0, values)))
    return compose(vectors, logs)


def _mean_log(inverse, x, points):
    """Return the mean (..., k, k) of whitened points' logarithms, a Fréchet mean's step: compiled if k is small.

    It is of Log(inverse x_i inverse^T) over points x_i, where inverse x inverse^T = I. points : (..., n, k, k)
    """
    if x.shape[-1] <= small_matrices.LARGEST:
        return small_matrices.mean_log(inverse, x, points)
    return _whitened_log(partial(_congruence_of_all, inverse), x[..., None, :, :], points).mean(axis=-3)


def _congruence_of_all(a, s):
    """Return a s_i a^T for all s (..., n, k, k), points as seen from one a (..., k, k), to take a step to their mean.

    So they are whitened. Two matrix products take the place of 2n small ones.
    """
    rows = (*s.shape[:-3], -1, s.shape[-1])
    left_product = s.reshape(rows) @ a.mT
    left_product = left_product.reshape(*left_product.shape[:-2], *s.shape[-3:]).mT
    product = left_product.reshape(*left_product.shape[:-3], -1, s.shape[-1]) @ a.mT
    return product.reshape(left_product.shape)
