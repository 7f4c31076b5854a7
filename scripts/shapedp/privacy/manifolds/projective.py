"""Complex projective space CP^m: unit vectors of C^(m+1) up to a phase, with the Fubini-Study metric.

Kendall's space of planar shapes of k labelled landmarks is CP^(k-2) inside the centered vectors of C^k.
"""

from dataclasses import dataclass, field

import numpy as np
import scipy

from shapedp.base.errors import Rejected
from shapedp.privacy.manifolds.sphere import TINY, UnitVectors, angle_ratio, hermitian, length


def with_rotations(columns):
    """Return complex columns (c, m) as 2m rows: the columns, then i times them."""
    return np.concatenate([columns.T, 1j * columns.T])


@dataclass(frozen=True)
class ComplexProjective(UnitVectors):
    """Complex projective space CP^m: curvature in [1, 4] (4 for m = 1), injectivity radius pi/2.

    A tangent vector at z is horizontal: z* v = 0; it belongs to the representative z, and turns with it.
    """

    m: int

    dtype = np.complex128
    injectivity_radius = np.pi / 2

    def __post_init__(self):
        if self.m < 1:
            raise Rejected("dimension", f"complex projective space needs m >= 1, got {self.m}")

    @property
    def dim(self):
        return 2 * self.m

    @property
    def point_shape(self):
        return (self.m + 1,)

    def curvature_bounds(self):
        return (1.0, 4.0) if self.m > 1 else (4.0, 4.0)

    def align(self, x, y):
        """Return the shapes y turned to lie best on x, so that they can be compared, averaged or drawn together.

        Each is turned by the phase that makes x* y >= 0; nan where x* y = 0 and no phase is best.
        """
        c = hermitian(x, y)
        size = np.abs(c)
        phase = np.where(size > 0, np.conj(c) / np.where(size > 0, size, 1.0), np.nan)
        return y * phase[..., None]

    def log(self, x, y):
        """Return the tangent vectors at x that exp takes to y: shapes as vectors, to average or noise.

        They are (t / sin t) (y' - cos(t) x), y' = y aligned to x, and nan on the cut locus.
        """
        aligned = self.align(x, y)
        w = self.to_tangent(x, aligned - x)
        sine = length(w)
        angle = np.arctan2(sine, np.abs(hermitian(x, y)))
        return w * np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0), 1.0)[..., None]

    def dist(self, x, y):
        """Return atan2(|y - x (x* y)|, |x* y|) in [0, pi/2]."""
        return np.arctan2(length(self.to_tangent(x, y)), np.abs(hermitian(x, y)))

    def transport(self, x, y, v):
        """Return tangent vectors v at x carried to y, to be compared there: the papers' geodesic regression needs it.

        It is parallel transport along the shortest geodesic: v - (y'* v) (x + y') / (1 + x* y') for y' = y aligned,
        turned back to y.
        """
        aligned = self.align(x, y)
        transported = v - (x + aligned) * (hermitian(aligned, v) / (1 + hermitian(x, aligned).real))[..., None]
        return transported * hermitian(aligned, y)[..., None]

    def gradient(self, x, points):
        """Return the gradient of the Fréchet mean's F, with which KNG's law falls, fast: by two matrix products.

        With c_i = x* x_i it is minus the mean of f_i (x_i e^(-i arg c_i) - |c_i| x).
        """
        c = np.conj(x) @ np.swapaxes(points, -1, -2)
        size = np.maximum(np.abs(c), TINY)
        f = angle_ratio(size)
        weights = np.conj(c) * (f / size)
        return ((f * size).sum(axis=-1)[..., None] * x - weights @ points) / points.shape[-2]

    def move(self, x, v):
        """Return exp_x(v), and v transported along its own geodesic: a step of the Fréchet mean.

        The latter is cos|v| v - |v| sin|v| x.
        """
        t = length(v)[..., None] + TINY
        cosine, ratio = np.cos(t), np.sin(t) / t
        return cosine * x + ratio * v, cosine * v - (ratio * t**2) * x

    def tangent_basis(self, x):
        """Return a basis (2m, point) of the horizontal space at a point, in which means get their noise.

        It is real and orthonormal: e_1..e_m, i e_1..i e_m.
        """
        return with_rotations(scipy.linalg.null_space(np.conj(x)[None]))

    def log_area(self, x, v):
        """Return log sin(t)^(2m-1) cos(t), the log volume factor in polar coordinates at v = tω, for samplers."""
        t = np.minimum(self.norm(x, v), self.injectivity_radius)
        with np.errstate(divide="ignore"):
            return (2 * self.m - 1) * np.log(np.sin(t)) + np.log(np.cos(t))

    def area_bound(self, start, stop):
        """Return a line a + b (t - start) above the log area at distance t, for envelopes that noise is drawn under.

        It is the tangent at the middle, since the log area is concave.
        """
        middle = (start + stop) / 2
        power = 2 * self.m - 1
        slope = power / np.tan(middle) - np.tan(middle)
        return power * np.log(np.sin(middle)) + np.log(np.cos(middle)) - slope * (middle - start), slope


# How far a row may be from a centered unit vector.
NEAR = 1e-13


@dataclass(frozen=True)
class Kendall(ComplexProjective):
    """Kendall's space of planar shapes of k labelled landmarks, of real dimension 2k - 4.

    Points are centered unit z in C^k (landmark j at x_j + i y_j), modulo rotation e^(iθ).
    """

    m: int = field(init=False, repr=False)
    k: int

    def __post_init__(self):
        if self.k < 3:
            raise Rejected("too_few_landmarks", f"a planar shape needs at least 3 landmarks, got {self.k}")
        object.__setattr__(self, "m", self.k - 2)

    @property
    def point_shape(self):
        return (self.k,)

    def project(self, y):
        """Return arrays centered and scaled to length 1."""
        centered = y - y.mean(axis=-1, keepdims=True)
        return centered / length(centered)[..., None]

    def to_tangent(self, x, v):
        """Return the part of v that changes a shape at x: centered and horizontal, without position, size and turn.

        Parameters
        ----------
        x : (..., k) complex
            Shapes.
        v : (..., k) complex
            Of any direction.
        """
        return super().to_tangent(x, v - v.mean(axis=-1, keepdims=True))

    def tangent_basis(self, x):
        """Return a real orthonormal basis (2k - 4, k) of the ways in which a shape can change, for noise on means.

        It spans the centered horizontal space.
        """
        return with_rotations(scipy.linalg.null_space(np.stack([np.conj(x), np.ones(self.k)])))


def replace_non_shapes(z, p0):
    """Return shapes (n, k) that mechanisms can count on: a row that is no centered finite unit vector becomes p0."""
    z = np.asarray(z)
    # Not nan, and safe to square.
    is_bounded = (np.maximum(np.abs(z.real), np.abs(z.imag)) <= 2).all(axis=-1)
    finite_rows = np.where(is_bounded[:, None], z, 0)
    is_shape = (np.abs(finite_rows.mean(axis=-1)) <= NEAR) & (np.abs(length(finite_rows) - 1) <= NEAR)
    return np.where(is_shape[:, None], finite_rows, p0)


def shape_of(landmarks):
    """Return the shape (k,) of one set of landmarks, (k, 2) real or (k,) complex: centered, of unit size.

    Scaled by a power of two first, which is exact: neither 1e300 nor 1e-300 overflows in a square. Centered twice: the
    second time the numbers are of the shape's own size, so that what is left of a far origin is rounding.
    """
    z = np.asarray(landmarks)
    if not np.iscomplexobj(z):
        if z.ndim != 2 or z.shape[1] != 2:
            raise Rejected("not_planar", f"landmarks must be (k, 2) numbers, got an array of shape {z.shape}")
        with np.errstate(invalid="ignore"):
            z = z[:, 0] + 1j * z[:, 1]
    z = z.astype(np.complex128)
    if missing := int((~np.isfinite(z)).sum()):
        raise Rejected("not_finite", f"{missing} landmarks are not finite numbers; correct or drop them")
    kendall = Kendall(len(z))
    power = -np.frexp(np.maximum(np.abs(z.real), np.abs(z.imag)).max())[1]
    z = np.ldexp(z.real, power) + 1j * np.ldexp(z.imag, power)
    centered = z - z.mean()
    # a scatter no larger than the rounding of the coordinates is no scatter
    if length(centered) <= len(z) * np.finfo(float).eps * np.abs(z).max():
        raise Rejected("coincident_landmarks", f"all {len(z)} landmarks coincide: there is no shape")
    return kendall.project(kendall.project(centered))


def to_shapes(records):
    """Return the shapes (n, k) of planar outlines, for the papers' experiments; refuse unequal numbers of landmarks."""
    counts = sorted({len(record) for record in records})
    if len(counts) > 1:
        raise Rejected("mixed_landmarks", f"records have different numbers of landmarks: {', '.join(map(str, counts))}")
    return np.stack([shape_of(record) for record in records])
