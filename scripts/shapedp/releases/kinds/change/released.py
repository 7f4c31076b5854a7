"""A released mean difference, on the surface or of landmarks: where it exceeds noise and chance, before, after and
exaggerated. A shape is one curve of k points, (1, d, k), as in `model.shapes`; its lengths are in radian.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts, writers
from shapedp.releases.model import released_model
from shapedp.releases.model.shapes import as_curve, as_landmarks
from shapedp.surfaces import curve_mesh

FILE, SHAPE_FILE = "face_change.h5", "shape_change.h5"
# A column's name in a released table has 24 letters at most, so a longer unit is called `unit`.
SHORT = re.compile("[a-z_]{1,9}")
# Times the difference that is added to the template; three times, for most changes are too small to be seen.
STAGES = {"before": 0.0, "after": 1.0, "exaggerated": 3.0}
# The only contrast of a release without covariates.
AVERAGE = np.ones(1)


@dataclass(frozen=True)
class ReleasedChange(released_model.Lengths):
    """reference, change (J, 3, m) in mm of the template's size; noise, sampling (J, m, 3, 3) covariances in mm^2;
    spread : root mean square distance of a person from the mean difference, mm; outside : what the released directions
    cannot show of a mean as far off as settings assume, mm; people : n, public; radii : None for landmarks, whose
    lengths are in radian
    """

    reference: NDArray[np.float64]
    change: NDArray[np.float64]
    noise: NDArray[np.float64]
    sampling: NDArray[np.float64]
    spread: float
    outside: float
    people: float
    radii: NDArray[np.float64] | None
    settings: Mapping[str, Any] = field(default_factory=dict)

    average = AVERAGE

    @property
    def per(self) -> str:
        """What a length is counted per, in words, as in mm per years; "" where it is counted per nothing."""
        return "".join(f" per {column['name']}" for column in self.settings.get("per", ()))

    @property
    def unit(self) -> str:
        """The unit of lengths, with what they are counted per."""
        return super().unit + self.per

    @property
    def column(self) -> str:
        """The same at the end of a column's name, of which a table that is released has few letters."""
        names = [column["name"] for column in self.settings.get("per", ())]
        return "".join(f"_per_{name}" if SHORT.fullmatch(name) else "_per_unit" for name in names[:1])

    @property
    def mean(self) -> NDArray[np.float64]:
        """(J, 3, m) the template with the difference added."""
        return self.reference + self.change

    def covariances(self, contrast: NDArray[np.float64] = AVERAGE) -> tuple[NDArray, NDArray]:
        """Return (noise, sampling), whatever the contrast: there are no covariates."""
        return self.noise, self.sampling

    def covariance(self, contrast: NDArray[np.float64] = AVERAGE) -> NDArray[np.float64]:
        """Return (J, m, 3, 3) the covariance of both together."""
        return self.noise + self.sampling

    @cached_property
    def comparison(self) -> released_model.Comparison:
        """Where the difference is no noise and no chance, over all points of the curves."""
        return released_model.over_points(self.change, self.covariance())

    @cached_property
    def outward(self) -> NDArray[np.float64]:
        """(J, m) how far each point moves along the template's normal, mm: outward is positive."""
        return np.einsum("jcm,jmc->jm", self.change, curve_mesh.normals(self.reference, self.radii))

    def table(self) -> list[str]:
        """Return the lines of a released change's CSV: how each point or landmark moves, and whether that is sure."""
        d, comparison = self.change.shape[1], self.comparison
        places, moved = (np.moveaxis(curves, 1, 2).reshape(-1, d) for curves in (self.reference, self.change))
        on_faces = self.radii is not None
        first, outward = ([], [self.outward.ravel()]) if on_faces else ([np.arange(1, len(places) + 1)], [])
        columns = np.column_stack([*first, places, moved, *outward, comparison.p_values, comparison.exceeds])
        axes = [f"{axis}{'_mm' * on_faces}" for axis in "xyz"[:d]]
        moves = [f"d{axis}{self.column}" for axis in axes]
        ends = "landmark" * len(first), *axes, *moves, f"outward_mm{self.column}" * on_faces, "p_value", "exceeds"
        header = ",".join(filter(None, ends))
        return [header, *(",".join(f"{value:.6g}" for value in row) for row in columns)]

    def stages(self) -> dict[str, NDArray[np.float64]]:
        """Return {before, after, exaggerated: (J, 3, m) or (1, d, k)}."""
        return {name: self.reference + times * self.change for name, times in STAGES.items()}

    def tps(self) -> str:
        """Return the landmarks of the three stages, as tpsDig and geomorph write them."""
        return "".join(writers.format_tps(as_landmarks(stage), name) for name, stage in self.stages().items())


def read(path: Path | str) -> ReleasedChange:
    """Return the ReleasedChange of a released file or folder, from which pages, tables and comparisons are made."""
    path = Path(path)
    if path.is_dir():
        path = next(file for file in (path / FILE, path / SHAPE_FILE) if file.is_file() or file.name == SHAPE_FILE)
    of_faces = artifacts.header(path)[0] == artifacts.FACE_CHANGE.name
    kind = artifacts.FACE_CHANGE if of_faces else artifacts.SHAPE_CHANGE
    with artifacts.reader(path, kind) as source:
        values = {name: source[name] for name in kind.fields}
    settings, people = json.loads(values["settings"]), float(values["people"])
    covariances = (values[f"{name}_covariance"].astype(float) for name in ("noise", "sampling"))
    if not of_faces:
        reference, landmarks = as_curve(values["reference"]), as_curve(values["landmarks"])
        noise, sampling = (covariance[None] for covariance in covariances)
        return ReleasedChange(
            reference=reference,
            change=landmarks - reference,
            noise=noise,
            sampling=sampling,
            spread=float(values["spread"]),
            outside=float(values["outside"]),
            people=people,
            radii=None,
            settings=settings,
        )
    scale = float(values["scale"])
    noise, sampling = (covariance * scale**2 for covariance in covariances)
    reference = values["reference"] * scale
    return ReleasedChange(
        reference=reference,
        change=values["curves"] * scale - reference,
        noise=noise,
        sampling=sampling,
        spread=float(values["spread_mm"]),
        outside=float(values["outside_mm"]),
        people=people,
        radii=values["radii"],
        settings=settings,
    )
