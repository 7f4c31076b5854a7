"""Shapes of k landmarks in the plane or in space, seen from one public shape p0: turned to it, then in the flat space
tangent to the sphere of centered unit configurations at p0.

Turning without reflection; size and position are taken off. In the plane this is Kendall's space, with its distance
and logarithm; in space the same formulas hold wherever the best rotation is unique, and any best one serves where it is
not, so that every record has its deviation. Configurations are real (..., k, d), d = 2 or 3.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import orth

from shapedp.errors import Rejected
from shapedp.manifolds import bending
from shapedp.manifolds.missing_landmarks import filled


@dataclass(frozen=True)
class LandmarkShapes:
    """p0 : (k, d), centered and of unit size; ignored : (i, k, d) public directions in which deviations do not
    count; slid : (s, k, d) those along which a record slides to the least bending energy.
    """

    p0: np.ndarray
    ignored: np.ndarray | None = None
    slid: np.ndarray | None = None

    @property
    def dim(self):
        """k d - d - 1 - d (d - 1)/2 less what is ignored: without position, size and rotation."""
        return self.p0.size - len(self.fixed())

    def fixed(self):
        """Orthonormal directions (f, k d) in which no shape differs from p0, those that are ignored, and those in which
        none does that has slid.
        """
        k, d = self.p0.shape
        shifts = [np.outer(np.ones(k), axis) for axis in np.eye(d)]
        turns = [self.p0 @ _turn(d, i, j) for i in range(d) for j in range(i)]
        none = [] if self.ignored is None else self.ignored
        same = np.array([self.p0, *shifts, *turns, *none]).reshape(-1, k * d)
        bent = self._sliding[0]
        bent = bent / np.linalg.norm(bent, axis=1, keepdims=True)
        return orth(np.concatenate([same, bent]).T).T

    @cached_property
    def _sliding(self):
        """(normals, steps) (s, k d) of `bending.sliding`."""
        none = np.zeros((0, self.p0.size))
        none_slides = self.slid is None or not len(self.slid)
        return (none, none) if none_slides else bending.sliding(self.p0, self.slid)

    def kept(self, shapes):
        """Unit shapes (n, k, d) without what is ignored of their deviations."""
        x, fixed = self.deviations(shapes), self.fixed()
        return self.shape(x - (x @ fixed.T) @ fixed)

    def deviations(self, records):
        """(n, k d) log_p0 of records (n, k, d), slid; one that has no shape (see `unit`) counts as p0, without any."""
        shapes, whole = unit(filled(records, self.p0))
        turned = align(self.p0, np.where(whole[:, None, None], shapes, self.p0))
        cosine = np.sum(turned * self.p0, axis=(-2, -1))
        across = turned - cosine[:, None, None] * self.p0
        sine = np.linalg.norm(across, axis=(-2, -1))
        stretch = whole * np.arctan2(sine, cosine) / np.where(sine > 0, sine, 1.0)
        x = (across * stretch[:, None, None]).reshape(len(records), -1)
        normals, steps = self._sliding
        return x - (x @ normals.T) @ steps

    def shape(self, deviations):
        """exp_p0 of tangent vectors (..., k d): unit configurations (..., k, d)."""
        v = deviations.reshape(*deviations.shape[:-1], *self.p0.shape)
        length = np.linalg.norm(v, axis=(-2, -1), keepdims=True)
        return np.cos(length) * self.p0 + np.sinc(length / np.pi) * v


def _turn(d, i, j):
    """The generator of rotations in the plane of axes i and j."""
    out = np.zeros((d, d))
    out[i, j], out[j, i] = 1.0, -1.0
    return out


def unit(records):
    """(shapes (n, k, d) centered and of size 1, whether they are whole): not finite or without extent is not whole.

    Scaled by the largest coordinate first, so that no square overflows.
    """
    with np.errstate(all="ignore"):
        largest = np.abs(records).max(axis=(-2, -1), keepdims=True)
        scaled = records / largest
        centered = scaled - scaled.mean(axis=-2, keepdims=True)
        size = np.linalg.norm(centered, axis=(-2, -1), keepdims=True)
        shapes = centered / size
    least = records.shape[-2] * np.finfo(float).eps
    return shapes, np.isfinite(shapes).all(axis=(-2, -1)) & (size[..., 0, 0] > least)


def log_sizes(records):
    """(n,) logarithms of the centroid sizes, the root of the summed squared distances from the centroid."""
    with np.errstate(all="ignore"):
        largest = np.abs(records).max(axis=(-2, -1))
        scaled = records / largest[:, None, None]
        size = np.linalg.norm(scaled - scaled.mean(axis=-2, keepdims=True), axis=(-2, -1))
        return np.log(size) + np.log(largest)


def align(p0, shapes):
    """Unit shapes (..., k, d) turned to p0, without reflection."""
    if p0.shape[-1] == 2:
        return _align_in_the_plane(p0, shapes)
    left, _, right = np.linalg.svd(np.swapaxes(shapes, -1, -2) @ p0)
    left[..., :, -1] *= np.sign(np.linalg.det(left @ right))[..., None]
    return shapes @ (left @ right)


def _align_in_the_plane(p0, shapes):
    """By the angle of the complex inner product; a shape without one stays as it is."""
    z, w = (x[..., 0] + 1j * x[..., 1] for x in (shapes, p0))
    inner = (z.conj() * w).sum(axis=-1)
    size = np.abs(inner)
    turned = z * np.where(size > 0, inner / np.where(size > 0, size, 1.0), 1.0)[..., None]
    return np.stack([turned.real, turned.imag], axis=-1)


def dist(a, b):
    """Riemannian distance of unit shapes (..., k, d): the angle left after the best rotation."""
    turned = align(a, b)
    cosine = np.sum(turned * a, axis=(-2, -1))
    return np.arctan2(np.linalg.norm(turned - cosine[..., None, None] * a, axis=(-2, -1)), cosine)


def center_of(records, steps=50, tolerance=1e-12):
    """The Fréchet mean (k, d) of public records, by steps to the mean of their deviations."""
    shapes, whole = unit(records)
    if not whole.any():
        raise Rejected("no_shape", f"none of {len(records)} public records has a shape; check the file")
    shapes = shapes[whole]
    mean = shapes[0]
    for _ in range(steps):
        there = LandmarkShapes(mean)
        step = there.deviations(shapes).mean(axis=0)
        mean = unit(there.shape(step)[None])[0][0]
        if np.linalg.norm(step) < tolerance:
            break
    return mean


def gradient(mean, shapes):
    """Length of the mean deviation of shapes (n, k, d) from a unit shape: 0 at their Fréchet mean."""
    return float(np.linalg.norm(LandmarkShapes(mean).deviations(shapes).mean(axis=0)))
