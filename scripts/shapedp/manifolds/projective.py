"""Complex projective space CP^m: unit vectors of C^(m+1) up to a phase, with the Fubini-Study metric."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from shapedp.errors import Rejected
from shapedp.manifolds.base import Manifold
from shapedp.manifolds.sphere import TINY, angle_ratio


def hermitian(a, b):
    """a* b over the last axes (conjugate-linear in a): (..., k), (..., k) -> (...) complex."""
    return np.einsum("...i,...i->...", np.conj(a), b)


def length(v):
    """Euclidean norm over the last axis."""
    return np.linalg.norm(v, axis=-1)


def with_rotations(columns):
    """Complex columns (c, m) as 2m rows: the columns, then i times them."""
    return np.concatenate([columns.T, 1j * columns.T])


@dataclass(frozen=True)
class ComplexProjective(Manifold):
    """CP^m with curvature in [1, 4] (4 for m = 1), injectivity radius pi/2.

    A tangent vector at z is horizontal: z* v = 0; it belongs to the representative z, and turns with it.
    """

    m: int

    dtype = np.complex128
    injectivity_radius = np.pi / 2
    growth = 0.0

    def __post_init__(self):
        if self.m < 1:
            raise Rejected("dimension", f"complex projective space needs m >= 1, got {self.m}")

    @property
    def dim(self):
        """Real dimension 2m."""
        return 2 * self.m

    @property
    def point_shape(self):
        """Unit vectors of C^(m+1)."""
        return (self.m + 1,)

    def curvature_bounds(self):
        """Least and largest sectional curvature."""
        return (1.0, 4.0) if self.m > 1 else (4.0, 4.0)

    def inner(self, x, u, v):
        """Re(u* v), whatever x."""
        return hermitian(u, v).real

    def project(self, y):
        """y / |y|."""
        return y / length(y)[..., None]

    def to_tangent(self, x, v):
        """Horizontal part v - x (x* v)."""
        return v - x * hermitian(x, v)[..., None]

    def align(self, x, y):
        """y turned by the phase that makes x* y >= 0; nan where x* y = 0 and no phase is best."""
        c = hermitian(x, y)
        size = np.abs(c)
        phase = np.where(size > 0, np.conj(c) / np.where(size > 0, size, 1.0), np.nan)
        return y * phase[..., None]

    def represent(self, x, p0):
        """x turned to p0: a draw comes in the phase of the mean, and that in the phase of some person's record."""
        return self.align(p0, x)

    def exp(self, x, v):
        """cos|v| x + (sin|v| / |v|) v."""
        t = length(v)[..., None]
        return self.project(np.cos(t) * x + np.sinc(t / np.pi) * v)

    def log(self, x, y):
        """(t / sin t) (y' - cos(t) x), y' = y aligned to x; nan on the cut locus."""
        aligned = self.align(x, y)
        w = self.to_tangent(x, aligned - x)
        sine = length(w)
        angle = np.arctan2(sine, np.abs(hermitian(x, y)))
        return w * np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0), 1.0)[..., None]

    def dist(self, x, y):
        """atan2(|y - x (x* y)|, |x* y|) in [0, pi/2]."""
        return np.arctan2(length(self.to_tangent(x, y)), np.abs(hermitian(x, y)))

    def transport(self, x, y, v):
        """Parallel transport from x to y: v - (y'* v) (x + y') / (1 + x* y') for y' = y aligned, turned back to y."""
        aligned = self.align(x, y)
        moved = v - (x + aligned) * (hermitian(aligned, v) / (1 + hermitian(x, aligned).real))[..., None]
        return moved * hermitian(aligned, y)[..., None]

    def gradient(self, x, points):
        """As in `Manifold`, by two matrix products: sum_i f_i (x_i e^(-i arg c_i) - |c_i| x), c_i = x* x_i."""
        c = np.conj(x) @ np.swapaxes(points, -1, -2)
        size = np.maximum(np.abs(c), TINY)
        f = angle_ratio(size)
        weights = np.conj(c) * (f / size)
        return ((f * size).sum(axis=-1)[..., None] * x - weights @ points) / points.shape[-2]

    def move(self, x, v):
        """exp_x(v), and v transported along its own geodesic: cos|v| v - |v| sin|v| x."""
        t = length(v)[..., None] + TINY
        cosine, ratio = np.cos(t), np.sin(t) / t
        return cosine * x + ratio * v, cosine * v - (ratio * t**2) * x

    def tangent_basis(self, x):
        """Real orthonormal basis of the horizontal space at one point: (2m, point): e_1..e_m, then i e_1..i e_m."""
        return with_rotations(null_space(np.conj(x)[None]))

    def gaussian_tangent(self, x, rng, size=()):
        """Standard normal horizontal vectors: variance 1 in each of the 2m real directions."""
        shape = self.sample_shape(x, size)
        return self.to_tangent(x, rng.standard_normal(shape) + 1j * rng.standard_normal(shape))

    def random_point(self, rng, size=()):
        """Uniform points: size + point_shape."""
        shape = self.sample_shape(np.empty(self.point_shape), size)
        return self.project(rng.standard_normal(shape) + 1j * rng.standard_normal(shape))

    def extrinsic_mean(self, points):
        """Mean of the points aligned to the first, projected: (..., n, c) -> (..., c). A start for the Fréchet mean."""
        return self.project(self.align(points[..., :1, :], points).mean(axis=-2))

    def log_area(self, x, v):
        """log of the volume factor in polar coordinates dt dω about x at v = tω: sin(t)^(2m-1) cos(t)."""
        t = np.minimum(self.norm(x, v), self.injectivity_radius)
        with np.errstate(divide="ignore"):
            return (2 * self.m - 1) * np.log(np.sin(t)) + np.log(np.cos(t))

    def area_bound(self, start, stop):
        """Line a + b (t - start) above the log area on [start, stop]: the tangent at the middle (concave)."""
        middle = (start + stop) / 2
        power = 2 * self.m - 1
        slope = power / np.tan(middle) - np.tan(middle)
        return power * np.log(np.sin(middle)) + np.log(np.cos(middle)) - slope * (middle - start), slope
