"""Kendall's space of planar shapes of k labelled landmarks: CP^(k-2) inside the centered vectors of C^k."""

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import null_space

from shapedp.errors import Rejected
from shapedp.manifolds.projective import ComplexProjective, length, with_rotations


@dataclass(frozen=True)
class Kendall(ComplexProjective):
    """Centered unit z in C^k (landmark j at x_j + i y_j), modulo rotation e^(iθ). Real dimension 2k - 4."""

    m: int = field(init=False, repr=False)
    k: int

    def __post_init__(self):
        if self.k < 3:
            raise Rejected("too_few_landmarks", f"a planar shape needs at least 3 landmarks, got {self.k}")
        object.__setattr__(self, "m", self.k - 2)

    @property
    def point_shape(self):
        """Centered unit vectors of C^k."""
        return (self.k,)

    def project(self, y):
        """Center and scale to length 1."""
        centered = y - y.mean(axis=-1, keepdims=True)
        return centered / length(centered)[..., None]

    def to_tangent(self, x, v):
        """Centered and horizontal part of v."""
        return super().to_tangent(x, v - v.mean(axis=-1, keepdims=True))

    def tangent_basis(self, x):
        """Real orthonormal basis of the centered horizontal space at one shape: (2k - 4, k)."""
        return with_rotations(null_space(np.stack([np.conj(x), np.ones(self.k)])))

    def random_point(self, rng, size=()):
        """Uniform shapes: size + (k,)."""
        shape = self.sample_shape(np.empty(self.point_shape), size)
        return self.project(rng.standard_normal(shape) + 1j * rng.standard_normal(shape))


NEAR = 1e-13  # how far a row may be from a centered unit vector


def whole(z, p0):
    """Shapes (n, k), each row that is not a centered unit vector of finite numbers replaced by p0."""
    z = np.asarray(z)
    bounded = (np.maximum(np.abs(z.real), np.abs(z.imag)) <= 2).all(axis=-1)  # not nan, and safe to square
    safe = np.where(bounded[:, None], z, 0)
    good = (np.abs(safe.mean(axis=-1)) <= NEAR) & (np.abs(length(safe) - 1) <= NEAR)
    return np.where(good[:, None], safe, p0)


def shape_of(landmarks):
    """The shape of one set of landmarks: centered, of unit size.

    landmarks : (k, 2) real or (k,) complex -> (k,) complex
    Scaled by a power of two first, which is exact: neither 1e300 nor 1e-300 overflows in a square. Centered twice: the
    second time the numbers are of the shape's own size, so that what is left of a far origin is rounding.
    """
    z = np.asarray(landmarks)
    if not np.iscomplexobj(z):
        if z.ndim != 2 or z.shape[1] != 2:
            raise Rejected("not_planar", f"landmarks must be (k, 2) numbers, got an array of shape {z.shape}")
        if not np.isfinite(z).all():
            raise _not_finite((~np.isfinite(z)).any(axis=1))
        z = z[:, 0] + 1j * z[:, 1]
    z = z.astype(np.complex128)
    if not np.isfinite(z).all():
        raise _not_finite(~np.isfinite(z))
    kendall = Kendall(len(z))
    z = _scaled(z)
    centered = z - z.mean()
    # a scatter no larger than the rounding of the coordinates is no scatter
    if length(centered) <= len(z) * np.finfo(float).eps * np.abs(z).max():
        raise Rejected("coincident_landmarks", f"all {len(z)} landmarks coincide: there is no shape")
    return kendall.project(kendall.project(centered))


def _not_finite(which):
    return Rejected("not_finite", f"{int(which.sum())} landmarks are not finite numbers; mend or drop them")


def _scaled(z):
    """z times the power of two that brings its largest coordinate below 1."""
    power = -np.frexp(np.maximum(np.abs(z.real), np.abs(z.imag)).max())[1]
    return np.ldexp(z.real, power) + 1j * np.ldexp(z.imag, power)


def shapes_of(records):
    """The shapes of many records, all with the same number of landmarks: (n, k) complex."""
    counts = sorted({len(record) for record in records})
    if len(counts) > 1:
        raise Rejected("mixed_landmarks", f"records have different numbers of landmarks: {', '.join(map(str, counts))}")
    return np.stack([shape_of(record) for record in records])
