"""Faces whose vertices correspond, so that their radial curves need no registration: only the release is measured."""

from dataclasses import dataclass

import numpy as np

from shapedp.surfaces import curve_mesh, polar
from shapedp.surfaces.disk_map import conformal

RINGS, ANGLES = 96, 240  # a multiple of the 80 samples, so that curves are read off the grid
CURVES, SAMPLES = 23, 80
AT_ONCE = 50


@dataclass(frozen=True)
class Model:
    """face(w) = mean + sum_i w_i modes_i, w ~ N(0, 1): vertices (n, 3), modes (k, n, 3), in mm; and the same for
    curves.
    """

    mean: np.ndarray
    modes: np.ndarray
    triangles: np.ndarray
    mean_curves: np.ndarray
    mode_curves: np.ndarray

    def curves(self, weights):
        """(p, J, 3, m) curves of faces of unit area and centroid 0, for weights (p, k)."""
        parts = [self._some(weights[at : at + AT_ONCE]) for at in range(0, len(weights), AT_ONCE)]
        return np.concatenate(parts)

    def _some(self, weights):
        area, centroid = self.area_and_centroid(weights)
        raw = self.mean_curves + np.tensordot(weights, self.mode_curves, axes=1)
        return (raw - centroid[:, None, :, None]) / np.sqrt(area)[:, None, None, None]

    def area_and_centroid(self, weights):
        """Surface area (p,) and area-weighted centroid (p, 3) of the meshes."""
        faces = self.mean + np.tensordot(weights, self.modes, axes=1)
        corners = faces[:, self.triangles]
        normals = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
        areas = np.linalg.norm(normals, axis=-1) / 2
        total = areas.sum(axis=1)
        return total, np.einsum("pt,ptc->pc", areas, corners.mean(axis=2)) / total[:, None]

    def draw(self, count, seed):
        """Curves of `count` people drawn at random."""
        return self.curves(np.random.default_rng(seed).standard_normal((count, len(self.modes))))

    def template(self):
        """(J, 3, m) curves of the mean face: public, no person."""
        return self.curves(np.zeros((1, len(self.modes))))[0]

    def scale(self):
        """Square root of the mean face's area, mm."""
        return float(np.sqrt(self.area_and_centroid(np.zeros((1, len(self.modes))))[0][0]))

    def true_mean(self, pairs, seed):
        """(J, 3, m) mean curves of the population, by pairs (w, -w): what is linear in w cancels exactly."""
        total = 0.0
        weights = np.random.default_rng(seed).standard_normal((pairs, len(self.modes)))
        for at in range(0, pairs, AT_ONCE):
            some = weights[at : at + AT_ONCE]
            total = total + self.curves(np.concatenate([some, -some])).sum(axis=0)
        return total / (2 * pairs)


def of(model):
    """A Model of a population of faces."""
    z = conformal.move_to_center(conformal.disk_map(model.mean, model.disk), model.disk, model.nose_tip)
    radii = np.arange(1, CURVES + 1) / CURVES

    def taken(values):
        return curve_mesh.extract(polar.sample(values, model.disk, z, RINGS, ANGLES), radii, SAMPLES)

    return Model(
        model.mean, model.modes, model.disk, taken(model.mean), np.array([taken(mode) for mode in model.modes])
    )
