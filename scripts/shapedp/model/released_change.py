"""A released mean difference on the surface: where it exceeds noise and chance, before, after and exaggerated."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shapedp import artifacts
from shapedp.model import released_model
from shapedp.surfaces import curve_mesh

FILE = "face_change.h5"
STAGES = {"before": 0.0, "after": 1.0, "exaggerated": 3.0}  # times the difference, added to the template
AVERAGE = np.ones(1)  # of a release without covariates


@dataclass(frozen=True)
class ReleasedChange:
    """reference, change (J, 3, m) in mm of the template's size; noise, sampling (J, m, 3, 3) covariances in mm^2;
    spread : root mean square distance of a person from the mean difference, mm; people : n, public
    """

    reference: NDArray[np.float64]
    change: NDArray[np.float64]
    noise: NDArray[np.float64]
    sampling: NDArray[np.float64]
    spread: float
    people: float
    radii: NDArray[np.float64]

    unit = "mm"
    average = AVERAGE

    @property
    def mean(self) -> NDArray[np.float64]:
        """(J, 3, m) the template with the difference added."""
        return self.reference + self.change

    def covariances(self, contrast: NDArray[np.float64] = AVERAGE) -> tuple[NDArray, NDArray]:
        """(noise, sampling)."""
        del contrast
        return self.noise, self.sampling

    def covariance(self, contrast: NDArray[np.float64] = AVERAGE) -> NDArray[np.float64]:
        """(J, m, 3, 3) of both together."""
        return sum(self.covariances(contrast))

    @cached_property
    def found(self) -> released_model.Comparison:
        """Where the difference is no noise and no chance, over all points of the curves."""
        covariance = self.covariance()
        return released_model.compare(np.moveaxis(self.change, 1, 2).reshape(-1, 3), covariance.reshape(-1, 3, 3))

    @cached_property
    def outward(self) -> NDArray[np.float64]:
        """(J, m) how far each point moves along the template's normal, mm: outward is positive."""
        return np.einsum("jcm,jmc->jm", self.change, normals(self.reference, self.radii))

    def table(self) -> list[str]:
        """Lines of a table, one row a point of the curves."""
        places, moved = (np.moveaxis(one, 1, 2).reshape(-1, 3) for one in (self.reference, self.change))
        found = self.found
        columns = np.column_stack([places, moved, self.outward.ravel(), found.p_values, found.exceeds])
        header = "x_mm,y_mm,z_mm,dx_mm,dy_mm,dz_mm,outward_mm,p_value,exceeds"
        return [header, *(",".join(f"{value:.6g}" for value in row) for row in columns)]


def normals(curves: NDArray[np.float64], radii: NDArray[np.float64]) -> NDArray[np.float64]:
    """(J, m, 3) outward unit normals of the surface through curves (J, 3, m)."""
    vertices, triangles = curve_mesh.mesh(curves, radii)
    corners = vertices[triangles]
    summed = np.zeros_like(vertices)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for corner in range(3):
        np.add.at(summed, triangles[:, corner], across)
    nearest = at_samples(summed, curves.shape[0], curves.shape[2])
    return nearest / np.linalg.norm(nearest, axis=-1, keepdims=True)


def at_samples(values: NDArray, count: int, samples: int) -> NDArray:
    """(J, m, ...) at all samples of the curves: those of the nearest vertex of `curve_mesh.mesh` on the same curve."""
    parts, first = [], 1
    for here in curve_mesh.rings(count, samples):
        nearest = np.rint(np.arange(samples) * here / samples).astype(int) % here
        parts.append(values[first : first + here][nearest])
        first += here
    return np.array(parts)


def read(path: Path | str) -> ReleasedChange:
    """The ReleasedChange of a released file or of its folder."""
    path = Path(path)
    with artifacts.reader(path / FILE if path.is_dir() else path, artifacts.FACE_CHANGE) as source:
        values = {name: source[name] for name in artifacts.FACE_CHANGE.fields if name != "settings"}
    scale = float(values["scale"])
    reference = values["reference"] * scale
    return ReleasedChange(
        reference,
        values["curves"] * scale - reference,
        values["noise_covariance"].astype(float) * scale**2,
        values["sampling_covariance"].astype(float) * scale**2,
        float(values["spread_mm"]),
        float(values["people"]),
        values["radii"],
    )
