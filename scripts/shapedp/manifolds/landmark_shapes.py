"""Shapes of k landmarks in the plane or in space, seen from one public shape p0: turned to it, then in the flat space
tangent to the sphere of centered unit configurations at p0.

Turning without reflection; size and position are taken off. In the plane this is Kendall's space, with its distance
and logarithm; in space the same formulas hold wherever the best rotation is unique, and any best one serves where it is
not, so that every record has its deviation. Configurations are real (..., k, d), d = 2 or 3.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.errors import Rejected


@dataclass(frozen=True)
class LandmarkShapes:
    """p0 : (k, d), centered and of unit size."""

    p0: np.ndarray

    @property
    def dim(self):
        """k d - d - 1 - d (d - 1)/2: without position, size and rotation."""
        return self.p0.size - len(self.fixed())

    def fixed(self):
        """Orthonormal directions (1 + d + d (d - 1)/2, k d) in which no shape differs from p0."""
        k, d = self.p0.shape
        shifts = [np.outer(np.ones(k), axis) for axis in np.eye(d)]
        turns = [self.p0 @ _turn(d, i, j) for i in range(d) for j in range(i)]
        rows = np.array([self.p0, *shifts, *turns]).reshape(-1, k * d)
        return np.linalg.qr(rows.T)[0].T

    def deviations(self, records):
        """(n, k d) log_p0 of records (n, k, d); one that has no shape (see `unit`) counts as p0 and deviates by 0."""
        shapes, whole = unit(filled(records, self.p0))
        turned = align(self.p0, np.where(whole[:, None, None], shapes, self.p0))
        cosine = np.sum(turned * self.p0, axis=(-2, -1))
        across = turned - cosine[:, None, None] * self.p0
        sine = np.linalg.norm(across, axis=(-2, -1))
        stretch = whole * np.arctan2(sine, cosine) / np.where(sine > 0, sine, 1.0)
        return (across * stretch[:, None, None]).reshape(len(records), -1)

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


def filled(records, p0):
    """Records (n, k, d) with each missing landmark where p0 has it, once p0 is laid on the landmarks that are there.

    Each record by itself. One with fewer than d + 1 landmarks is left as it is.
    """
    out = np.array(records, dtype=float)
    there = np.isfinite(out).all(axis=-1)
    for row in np.flatnonzero(~there.all(axis=1) & (there.sum(axis=1) > out.shape[2])):
        known = there[row]
        out[row, ~known] = _laid(p0, out[row, known], known)[~known]
    return out


def _laid(p0, points, known):
    """All of p0 moved, turned and scaled so that its `known` landmarks lie best on points."""
    from_mean, to_mean = p0[known].mean(axis=0), points.mean(axis=0)
    from_unit, _ = unit(p0[known][None])
    to_unit, whole = unit(points[None])
    if not whole[0]:
        return np.full_like(p0, np.nan)
    left, _, right = np.linalg.svd(from_unit[0].T @ to_unit[0])
    left[:, -1] *= np.sign(np.linalg.det(left @ right))
    scale = np.linalg.norm(points - to_mean) / np.linalg.norm(p0[known] - from_mean)
    return (p0 - from_mean) @ (left @ right) * scale + to_mean


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
