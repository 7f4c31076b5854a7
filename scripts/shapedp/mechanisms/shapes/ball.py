"""What is public of a release of shapes: how many, and the ball that they are moved into."""

from dataclasses import dataclass

import numpy as np

from shapedp.manifolds.kendall import Kendall, whole
from shapedp.manifolds.projective import ComplexProjective
from shapedp.mechanisms import contour

OUTPUT_GRID = 2.0**-24  # landmarks of a shape of size 1 are rounded to it: hygiene, not a proof


@dataclass(frozen=True)
class Ball:
    """n records in the ball of radius r about p0 (k,), a centered unit shape; modes = p of the contour basis, 0: none.

    Shapes are released as points of Kendall's space, or of CP^(p-1) in the contour basis.
    """

    n: int
    p0: np.ndarray
    r: float
    modes: int
    public: np.ndarray | None = None  # (m, k) shapes of other people, who say how shapes vary

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
        return np.round(self.kendall.align(self.p0, z) / OUTPUT_GRID) * OUTPUT_GRID
