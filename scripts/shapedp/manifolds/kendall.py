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


def shape_of(landmarks):
    """The shape of one set of landmarks: centered, of unit size.

    landmarks : (k, 2) real or (k,) complex -> (k,) complex
    """
    z = np.asarray(landmarks)
    if not np.iscomplexobj(z):
        if z.ndim != 2 or z.shape[1] != 2:
            raise Rejected("not_planar", f"landmarks must be (k, 2) numbers, got an array of shape {z.shape}")
        z = z[:, 0] + 1j * z[:, 1]
    z = z.astype(np.complex128)
    if not np.isfinite(z).all():
        raise Rejected(
            "not_finite", f"{int((~np.isfinite(z)).sum())} landmarks are not finite numbers; mend or drop them"
        )
    kendall = Kendall(len(z))
    size = length(z - z.mean())
    # a scatter no larger than the rounding of the coordinates is no scatter
    if size <= len(z) * np.finfo(float).eps * np.abs(z).max():
        raise Rejected("coincident_landmarks", f"all {len(z)} landmarks coincide: there is no shape")
    return kendall.project(z)


def shapes_of(records):
    """The shapes of many records, all with the same number of landmarks: (n, k) complex."""
    counts = sorted({len(record) for record in records})
    if len(counts) > 1:
        raise Rejected("mixed_landmarks", f"records have different numbers of landmarks: {', '.join(map(str, counts))}")
    return np.stack([shape_of(record) for record in records])
