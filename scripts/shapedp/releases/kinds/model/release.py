"""The releases of models."""

from typing import Any

from shapedp.releases.faces import ModelOfFaces, Planned
from shapedp.releases.kinds.kind import default_covariates
from shapedp.releases.model import covariates
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.protocol import Settings
from shapedp.releases.shapes import ModelOfShapes, PublicShapes


def covariates_of(branch: str, entry: Settings) -> list[Covariate]:
    """Return the covariates of an entry, as people's cells are read for it."""
    return covariates.of_settings(default_covariates(branch, entry))


def plan_faces(planned: Planned, *_: Any) -> ModelOfFaces:
    """Return the release of a model of faces; no public people are taken beside what it is planned from."""
    return ModelOfFaces.of(planned)


def plan_shapes(entry: Settings, settings: Settings, privacy: Settings, known: PublicShapes) -> ModelOfShapes:
    """Return the release of a model of shapes; the arguments are those of `ModelOfShapes.of`."""
    return ModelOfShapes.of(entry, settings, privacy, known)
