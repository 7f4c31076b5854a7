"""The points that a release is about, as tools for landmarks and meshes take them."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shapedp.releases.model.shapes import as_landmarks
from shapedp.surfaces import curve_mesh


@dataclass(frozen=True)
class PointModel:
    """Points that a release is about, in mm of the template's size or of a shape of size 1.

    mean : (N, d); modes : (k, N, d) one standard deviation along each mode; effects : {covariate: (N, d)} what one unit
    of its code adds; triangles : (t, 3), or None; residual : variance of people about the effects in a coordinate, mean
    over the points
    """

    mean: NDArray[np.float64]
    modes: NDArray[np.float64]
    triangles: NDArray[np.int64] | None
    unit: str
    effects: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    residual: float = 0.0

    @classmethod
    def without_modes(
        cls,
        mean: NDArray[np.float64],
        triangles: NDArray[np.int64] | None,
        unit: str,
        effects: dict[str, NDArray[np.float64]] | None = None,
    ) -> "PointModel":
        """Return the points of a mean or a change for export, which holds no modes.

        Parameters
        ----------
        mean, triangles, unit, effects
            As the fields are.
        """
        return cls(mean, np.zeros((0, *mean.shape)), triangles, unit, effects or {})

    def axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return an orthonormal basis of the modes' covariance and the variance along it, as Statismo keeps them.

        Returns
        -------
        basis : (N d, k) float
            Coordinates of a point together.
        variances : (k,) float
        """
        flat = self.modes.reshape(len(self.modes), -1)
        # Modes of points need not be at right angles, as those of a face's curves are in another inner product.
        _, lengths, basis = np.linalg.svd(flat, full_matrices=False)
        return basis.T, lengths**2


def place_points(
    curves: NDArray[np.float64], radii: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Return (points, triangles or None) of a release's curves, as other tools take them; a face's are its surface's.

    They follow linearly from the curves, so that modes and effects become points alike.

    Parameters
    ----------
    curves : (J, d, m) float
        Curves of a face, or landmarks as one curve.
    radii : (J,) float or None
        Where a face's curves were taken; None for landmarks.

    Returns
    -------
    points : (N, d) float
        Vertices, or landmarks.
    triangles : (t, 3) int or None
        Of a face.
    """
    return (as_landmarks(curves), None) if radii is None else curve_mesh.mesh(curves, radii)
