"""What is public of a release of shapes: how many, and the ball that they are moved into."""

from dataclasses import dataclass

import numpy as np

from shapedp.manifolds import landmark_shapes
from shapedp.manifolds.kendall import Kendall, whole
from shapedp.manifolds.landmark_shapes import LandmarkShapes
from shapedp.manifolds.projective import ComplexProjective
from shapedp.mechanisms import contour

OUTPUT_GRID = 2.0**-24  # landmarks of a shape of size 1 are rounded to it: hygiene, not a proof


@dataclass(frozen=True)
class Ball:
    """n records in the ball of radius r about p0, a centered unit shape; modes = p of the contour basis, 0: none.

    Planar shapes are complex (k,), and released as points of Kendall's space, or of CP^(p-1) in the contour basis;
    shapes in space are real (k, 3), and only their deviations from p0 are released.
    """

    n: int
    p0: np.ndarray
    r: float
    modes: int
    public: np.ndarray | None = None  # (m, *p0.shape) of other people, who say how shapes vary
    ignored: np.ndarray | None = None  # (i, k, d) directions in which deviations do not count
    nothing_public: bool = False  # p0 is a regular polygon, which says how a release lies and nothing of the records
    slid: np.ndarray | None = None  # (s, k, d) directions in which records slide to the least bending energy
    size: tuple | None = None  # public bounds of log centroid size, where it is released, too

    @property
    def planar(self):
        """Whether landmarks lie in the plane."""
        return self.p0.ndim == 1

    @property
    def about(self):
        """The deviations from p0."""
        return LandmarkShapes(as_real(self.p0), self.ignored, self.slid)

    @property
    def kendall(self):
        """The space of all shapes of k landmarks."""
        return Kendall(len(self.p0))

    @property
    def space(self):
        """The space of the release."""
        return ComplexProjective(self.modes - 1) if self.modes else self.kendall

    @property
    def basis(self):
        """Columns of the contour basis (k, p)."""
        return contour.basis(len(self.p0), self.modes)

    @property
    def center(self):
        """p0 as a point of the space."""
        return contour.to_basis(self.basis, self.p0) if self.modes else self.p0

    @property
    def lost(self):
        """Distance by which the basis moves p0, in radian: what it cuts off is a bias of every release."""
        return float(np.arcsin(np.sqrt(contour.energy_above(self.basis, self.p0)))) if self.modes else 0.0

    def whole(self, z):
        """Records (n, k), p0 in the place of what is no shape."""
        return whole(z, self.p0)

    def points(self, z):
        """Records (n, k) as points of the space; one that is no shape, or has no point there, counts as p0 and shows
        nowhere.
        """
        z = self.whole(z)
        if not self.modes:
            return z
        return contour.to_basis(self.basis, np.where(contour.has_energy(self.basis, z)[:, None], z, self.p0))

    def from_points(self, point):
        """A point of the space as a shape."""
        return contour.from_basis(self.basis, point) if self.modes else point

    def on_grid(self, z):
        """A shape turned to p0, its coordinates on the output grid."""
        turned = landmark_shapes.align(as_real(self.p0), landmark_shapes.unit(as_real(z)[None])[0])[0]
        return as_complex(np.round(turned / OUTPUT_GRID) * OUTPUT_GRID)


def polygon(k):
    """(k,) the regular polygon, of size 1."""
    return np.exp(2j * np.pi * np.arange(k) / k) / np.sqrt(k)


def as_real(z):
    """Landmarks (..., k, d): complex (..., k) as d = 2; shapes in space as they are."""
    return np.stack([z.real, z.imag], axis=-1) if np.iscomplexobj(z) else z


def as_complex(x):
    """Planar landmarks (..., k, 2) as (..., k); shapes in space as they are."""
    return x[..., 0] + 1j * x[..., 1] if x.shape[-1] == 2 else x
