"""The releases of models."""

from pathlib import Path
from typing import Any

from shapedp.releases import cohorts
from shapedp.releases.faces import ModelOfFaces, Planned
from shapedp.releases.kinds.kind import default_covariates
from shapedp.releases.model import covariates
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.protocol import Settings
from shapedp.releases.shapes import ModelOfShapes, PublicShapes


def covariates_of(branch: str, entry: Settings) -> list[Covariate]:
    """Return the covariates of an entry, as people's cells are read for it."""
    return covariates.of_settings(default_covariates(branch, entry))


def plan_faces(planned: Planned, template_path: Path | str, public: tuple[Any, ...] | None) -> ModelOfFaces:
    """Return the release of a model of faces.

    Parameters
    ----------
    planned : Planned
        What it is planned from.
    template_path : Path or str
        The public template, which says where landmarks lie.
    public : (path, cells) or None
        The stack of public people's curves, which tell how landmarks go together.
    """
    return ModelOfFaces.of(planned, cohorts.beside_model(template_path, public and public[0]))


def plan_shapes(entry: Settings, settings: Settings, privacy: Settings, known: PublicShapes) -> ModelOfShapes:
    """Return the release of a model of shapes; the arguments are those of `ModelOfShapes.of`."""
    return ModelOfShapes.of(entry, settings, privacy, known)
