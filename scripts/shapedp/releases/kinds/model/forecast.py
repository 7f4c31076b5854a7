"""What a model of faces would be worth: the noise of its mean, and chance in who takes part."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from shapedp.base.settings import read_default
from shapedp.privacy.learned.face_variation import Variation
from shapedp.releases.model import covariates
from shapedp.releases.model.model_mechanism import FaceModel


def lines(entry: Mapping[str, Any], variation: Variation, n: int, scale: float) -> Iterator[str]:
    """Yield what the forecast says of a face_model of n people: how far noise and chance would move its mean.

    Parameters
    ----------
    entry : mapping
        Of `releases`.
    variation : Variation
        How public people vary.
    n : int
        People.
    scale : float
        mm of the unit.
    """
    completed = read_default("faces.releases[]") | dict(entry)
    if n < 2:
        name = completed["name"]
        yield f"{name}, face model: {n} people are listed, and a model needs at least 2; it would be refused"
        return
    mu, covariates_coded = completed["budget"]["mu_total"], covariates.from_settings(completed["covariates"])
    fields = FaceModel.from_variation(
        variation, n, mu, covariates_coded, completed["modes"], completed["planned_for"]
    ).foretold()
    noise, chance = (scale * math.sqrt(np.trace(covariance, axis1=-2, axis2=-1).mean()) for covariance in fields)
    yield (
        f"{completed['name']}, face model of {n} people at mu = {mu:g}: its mean has noise {noise:.2g} mm "
        f"and chance {chance:.2g} mm if people differ as in {variation.source}"
    )
