"""Measure distances and angles between landmarks that a template carries, on any surface whose curves correspond to it.

A landmark of a surface is a fixed sum of the points of its curves, p = sum w_jk x_jk, so that a measure's gradient
there is its gradient in two or three landmarks, times their weights.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.surfaces import curve_mesh


@dataclass(frozen=True)
class Catalogue:
    """What a field of study names on a subject, in the order in which releases hold it.

    vertices : {landmark: vertex of the public mean}; the first `first_landmarks` of them, and the first
        `first_measures` of `ends_of`, are all that early releases have
    ends_of : {measure: its landmarks}, a distance of two or an angle at the second of three
    published : {measure of a published table: measures here that it is, one a side}
    elsewhere : {why: measures of that table which cannot be taken on a template}
    between_scans : {measure: standard deviation of one scan about what scans of one person are on average}, in mm or
        degrees
    public_mean, public_modes : functions that return the public mean (v, 3) and its modes (k, v, 3), in mm
    """

    vertices: Mapping[str, int]
    ends_of: Mapping[str, tuple[str, ...]]
    first_landmarks: int
    first_measures: int
    published: Mapping[str, tuple[str, ...]]
    elsewhere: Mapping[str, tuple[str, ...]]
    between_scans: Mapping[str, float]
    public_mean: Callable[[], NDArray[np.float64]]
    public_modes: Callable[[], NDArray[np.float64]]


@dataclass(frozen=True)
class Measures:
    """landmarks : names (l,); weights (l, J, m) : what each point of the curves counts at each of them
    ends_of : {name: landmarks} of all measures that may be taken, where the template carries these
    """

    landmarks: tuple[str, ...]
    weights: NDArray[np.float64]
    ends_of: Mapping[str, tuple[str, ...]]
    # Of distances.
    unit: str = "mm"

    @classmethod
    def from_marks(cls, template: Mapping[str, Any]) -> "Measures":
        """Return the distances to be reported of a subject without a catalogue: between each two points that
        `faces.marks` names.

        Parameters
        ----------
        template : mapping
            Fields of its template's artifact.

        Returns
        -------
        Measures
        """
        curves, radii, names = template["curves"], template["radii"], tuple(template["mark_names"])
        if not names:
            return cls((), np.zeros((0, len(radii), curves.shape[-1])), {})
        vertices, triangles = curve_mesh.mesh(curves, radii)
        triangle, shares, _ = curve_mesh.nearest(np.reshape(template["mark_points"], (-1, 3)), vertices, triangles)
        weights = curve_mesh.weights(triangle, shares, triangles, radii, curves.shape[-1])
        return cls(
            names,
            weights,
            {f"{name} to {other_name}": (name, other_name) for name, other_name in combinations(names, 2)},
        )

    @property
    def names(self) -> list[str]:
        """Return the names of the measures (q,), distances first."""
        return [name for name, ends in self.ends_of.items() if set(ends) <= set(self.landmarks)]

    @property
    def units(self) -> list[str]:
        """Return (q,), mm or degrees."""
        return [self.unit if len(self.ends_of[name]) == 2 else "degrees" for name in self.names]

    def points(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (..., l, 3), the landmarks of faces (..., J, 3, m), between which is measured."""
        return np.einsum("ljm,...jcm->...lc", self.weights, curves, optimize=True)

    def values(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (..., q), the distances in mm and angles in degrees that a reader wants of faces (..., J, 3, m) in
        mm.
        """
        points = self.points(curves)
        values = [_measure_between(*(points[..., at, :] for at in ends)) for ends in self._ends()]
        return np.stack(values, axis=-1) if values else np.zeros((*curves.shape[:-3], 0))

    def gradients(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (q, J, 3, m), the gradients of each measure in a face's points (J, 3, m) in mm, by which noise becomes
        its error.
        """
        return np.einsum("qlc,ljm->qjcm", self.in_landmarks(curves), self.weights, optimize=True)

    def in_landmarks(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (q, l, 3), the gradients of each measure in the landmarks of one face, by which errors carry over to
        measures.

        curves : (J, 3, m) in mm
        """
        points = self.points(curves)
        gradients = np.zeros((len(self.names), *points.shape))
        for row, ends in zip(gradients, self._ends(), strict=True):
            row[ends] = _find_gradient(*points[ends])
        return gradients

    def across(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (q, 2, l, 3), gradients of the ends of each distance across it, since noise across lengthens a
        distance, too.

        They say how far one end lies from the other in the two directions across. In the plane there is one such
        direction; of angles they are 0. curves : of one face (J, 3, m) in mm
        """
        points = self.points(curves)
        gradients = np.zeros((len(self.names), points.shape[1] - 1, *points.shape))
        for row, ends in zip(gradients, self._ends(), strict=True):
            if len(ends) == 2:
                directions = np.linalg.svd((points[ends[0]] - points[ends[1]])[None])[2][1:]
                row[:, ends[0]], row[:, ends[1]] = directions, -directions
        return gradients

    def _ends(self):
        """Return, for each measure, the numbers of the landmarks that it is measured between."""
        return [[self.landmarks.index(end) for end in self.ends_of[name]] for name in self.names]


def _measure_between(*ends):
    """Return what is measured between landmarks (..., 3): the distance of two, or the angle in degrees at the second of
    three.
    """
    if len(ends) == 2:
        return np.linalg.norm(ends[0] - ends[1], axis=-1)
    a, b = _in_space(ends[0] - ends[1]), _in_space(ends[2] - ends[1])
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1)))


def _find_gradient(*ends):
    """Return (2 or 3, d), the gradient of a measure in its landmarks (d,), by which noise on them becomes error of the
    measure.

    Of |a - b| the unit vector; of an angle, across each of its legs.
    """
    if len(ends) == 2:
        along = (ends[0] - ends[1]) / np.linalg.norm(ends[0] - ends[1])
        return np.array([along, -along])
    dimensions = len(ends[0])
    a, b = _in_space(ends[0] - ends[1]), _in_space(ends[2] - ends[1])
    axis = np.cross(a, b) / np.linalg.norm(np.cross(a, b))
    first, last = np.cross(a, axis) / (a @ a), np.cross(axis, b) / (b @ b)
    return np.degrees(np.array([first, -first - last, last]))[:, :dimensions]


def _in_space(vectors):
    """Return vectors (..., 3) of such in space or in the plane (..., 2), which lie at height 0."""
    return np.concatenate([vectors, np.zeros((*vectors.shape[:-1], 3 - vectors.shape[-1]))], axis=-1)
