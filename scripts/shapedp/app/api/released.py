"""What was released, read back, and what follows from it: samples and predictions of a model, two releases compared."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.app.cli import other_tools
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.storage import foreign
from shapedp.releases.allow_list import KINDS
from shapedp.releases.model import compared, released_model
from shapedp.releases.model.released_model import Released
from shapedp.releases.model.shapes import as_landmarks

BESIDE = "drawn.h5", "heterogeneity.h5", "at_landmarks.h5", "mean_at_landmarks.h5"
# What lies beside a release is no release: alone it says nothing of what was promised.
FILES = [name for name in KINDS if name not in BESIDE]


@dataclass(frozen=True)
class Release:
    """A release and what it says of itself.

    * values : {field: array or number} as `shapedp describe` lists them
    * settings : the public settings
    * statement : as statement.json has it; {} if only the data file was given
    * model : what `sample` and `predict` take; None if the release is no model
    * path : the released .h5 file
    """

    values: dict[str, Any]
    settings: dict[str, Any]
    statement: dict[str, Any]
    model: Released | None = None
    path: Path | None = None

    @property
    def formally_private(self) -> bool:
        """Tell whether the guarantee holds, by the statement; False where there is none."""
        return self.statement.get("formally_private", False) is True

    @property
    def points(self) -> NDArray[np.float64]:
        """Return the released points (N, 3), to plot or to compute with: of a face in mm, curve after curve.

        Of a shape they are its landmarks (k, d); of a change, its end.
        """
        if "landmarks" in self.values:
            return self.values["landmarks"]
        return np.moveaxis(self.values["curves"] * self.values["scale"], 1, 2).reshape(-1, 3)


def read_release(path: PathLike | str) -> Release:
    """Return a release to look at or compute with, from its folder or the .h5 file in it, which must be whole."""
    path = other_tools.find_released_file(path, FILES)
    with foreign.refuse_strange(path, "ask whoever released it for the folder"):
        return _read_release(path)


def _read_release(path):
    """Return the Release of a file, once its whole content is checked: it may be a stranger's."""
    kind = next((KINDS[name] for name in FILES if KINDS[name].name == artifacts.header(path)[0]), None)
    if kind is None:
        raise ArtifactError(
            f"{path}: holds '{artifacts.header(path)[0]}', which is not a release; give a released "
            ".h5 file or its folder"
        )
    with artifacts.reader(path, kind) as source:
        values = {name: source[name] for name in source.kind.fields}
    statement = path.with_name("statement.json")
    stated = json.loads(statement.read_text(encoding="utf-8")) if statement.is_file() else {}
    model = released_model.read(path)[0] if path.name in (released_model.FACE_FILE, released_model.SHAPE_FILE) else None
    return Release(values, json.loads(values.pop("settings")), stated, model, path)


def sample(release: Release | PathLike | str, count: int, seed: int | None = None) -> NDArray[np.float64]:
    """Return synthetic people drawn from a released model, to try code or show pictures where records may not serve.

    They follow from the release alone: they cost no privacy, and show nobody.

    Parameters
    ----------
    release : Release, or path
        A model, or its folder or file.
    count : int
        How many people.
    seed : int
        The same seed draws the same people.

    Returns
    -------
    array
        Curves (count, J, 3, m) in mm, or landmarks (count, k, d).
    """
    model = _require_model(release)
    if count < 1:
        raise ConfigError(f"count: found {count}; draw one person at least")
    drawn = model.sample(count, np.random.default_rng(seed))
    return as_landmarks(drawn) if model.radii is None else drawn


def predict(release: Release | PathLike | str, given: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return the mean face or shape of people with these covariates, from a released model.

    Parameters
    ----------
    release : Release, or path
        A model, or its folder or file.
    given : mapping
        {name: value}. A covariate that is not given has its average value; a number beyond the public range counts as
        the range's end.

    Returns
    -------
    array
        Curves (J, 3, m) in mm, or landmarks (k, d).
    """
    model = _require_model(release)
    if unknown := sorted(set(given) - {covariate.name for covariate in model.covariates}):
        raise ConfigError(
            f"the model has no covariate {', '.join(unknown)}; it has "
            f"{', '.join(covariate.name for covariate in model.covariates) or 'none'}"
        )
    mean = model.at(model.z(given))
    return as_landmarks(mean) if model.radii is None else mean


def export(release: Release | PathLike | str, output: PathLike | str, tool: str) -> None:
    """Write a release as another tool keeps it, such as SlicerMorph or Statismo, to go on working there.

    Parameters
    ----------
    release : Release, or path
        The release, or its folder or file.
    output : path
        The .h5 file for Statismo, else a folder.
    tool : str
        statismo, morpho, slicermorph or csv.
    """
    other_tools.export(release.path if isinstance(release, Release) else Path(release), Path(output), tool)


def compare(one: Release | PathLike | str, other: Release | PathLike | str) -> released_model.Comparison:
    """Return at which points two releases surely differ: means, models' means or changes, beyond noise and chance.

    Parameters
    ----------
    one, other : Release, or path
        Two releases of the same kind, or their folders or files.

    Returns
    -------
    Comparison
        `distance`, `p_values`, `exceeds` (at a false discovery rate of 5 %) and `detectable` (if a tenth of the points
        are shifted as far), (N,) each, in the order of `points`.
    """
    releases = [release if isinstance(release, Release) else read_release(release) for release in (one, other)]
    models = [compared.read(release.path) if release.model is None else release.model for release in releases]
    return released_model.compare_means(*compared.match_releases(models, [release.path for release in releases]))


def _require_model(release: Release | PathLike | str) -> Released:
    """Return the model of a release for `sample` and `predict`, refused where it is none."""
    release = release if isinstance(release, Release) else read_release(release)
    if release.model is None:
        raise ConfigError(
            "this release is not a model; give a model, which alone can be sampled from and predicted with"
        )
    return release.model
