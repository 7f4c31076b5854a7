"""What a released mean knows at landmarks: how its error, and public people, go together there.

A mean face says how far it errs at each point, and not how two points err together, which the error of a distance
between them follows from. So beside it lies, for l landmarks, the covariance of what is left of noise and of what is
not released, that of chance in who took part, and that of public people. All of it follows from public inputs and
from what the release itself told.

A mean of landmarks needs no such file: `drawn.h5` has its axes.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.artifacts import kinds
from shapedp.base.errors import ArtifactError
from shapedp.base.settings import subjects
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.learned import face_variation
from shapedp.releases.model import at_landmarks, compared
from shapedp.releases.model.compared import ReleasedMean
from shapedp.releases.model.shapes import as_curve
from shapedp.surfaces.measures import Measures
from shapedp.surfaces.subjects.catalogues import name_measures

Floats = NDArray[np.float64]
FILE, MEAN_FACE, MEAN_SHAPE = "mean_at_landmarks.h5", "mean_face.h5", "mean_shape.h5"
SQUARES = "noise", "chance", "public"  # fields in squares of a length


@dataclass(frozen=True)
class MeanAtLandmarks:
    """The measures of a mean, and covariances at their landmarks.

    measures : distances and angles between l landmarks
    noise : (l, 3, l, 3) of what the mean errs by beside the cohort's own: noise, and what is not released
    chance : (l, 3, l, 3) of chance in who took part, were people as public ones
    public : (l, 3, l, 3) of public people
    """

    measures: Measures
    noise: Floats
    chance: Floats
    public: Floats


def learn(mechanism: Shaped, measures: Measures) -> dict[str, Any]:
    """Return what is released of a mean face at landmarks, in unit-area faces: the error of a distance needs it.

    Parameters
    ----------
    mechanism : Shaped
        What decoded the released mean.
    measures : Measures
        The landmarks, on the template.
    """
    variation, chosen = mechanism.variation, mechanism.plan
    every_axis = measures.points(variation.axes(np.arange(len(variation.moments))).astype(float))
    unreleased = mechanism.unreleased or face_variation.describe_unreleased(variation, chosen, mechanism.n)
    isotropic = np.eye(len(measures.landmarks))[:, None, :, None] * (np.eye(3) / 3)[:, None, :]
    released, missing = every_axis[chosen.axes], every_axis[unreleased.axes]
    spread = variation.variances[chosen.axes] / mechanism.n
    return {
        "names": list(measures.landmarks),
        "weights": measures.weights,
        "noise": at_landmarks.sum_products(released, mechanism.errors_along**2)
        + at_landmarks.sum_products(missing, unreleased.errors**2)
        + unreleased.outside * isotropic,
        "chance": at_landmarks.sum_products(released, spread),
        "public": _public_covariance(variation, every_axis) + float(variation.outside.mean()) * isotropic,
    }


def _public_covariance(variation, axes):
    """Return (l, 3, l, 3) the covariance of public people at landmarks along all axes (k, l, 3), which go together.

    By it a mean of people's distances is told from the distance in their mean.
    """
    moved = variation.held_out.astype(float) @ axes.reshape(len(axes), -1)
    covariance = np.atleast_2d(np.cov(moved.T))
    return covariance.reshape(*axes.shape[1:], *axes.shape[1:])


def beside_mean(path: Path) -> tuple[ReleasedMean, MeanAtLandmarks] | None:
    """Return (a released mean, what is known of it at landmarks), for its table of distances; None where nothing is.

    Of a mean face lengths are in mm. Of a mean of landmarks they are of the size, and distances are those that the
    settings link or the shortest tree of the center joins.

    Parameters
    ----------
    path : Path
        The released file, in its folder.
    """
    if path.name == MEAN_FACE and path.with_name(FILE).is_file():
        mean = compared.mean_face(path)
        return mean, _read(path.with_name(FILE), mean)
    if path.name == MEAN_SHAPE and path.with_name("drawn.h5").is_file():
        return _beside_shape(path)
    return None


def _read(path, mean):
    """Return the MeanAtLandmarks stored beside a mean face, in mm; refused where the two do not fit."""
    with artifacts.reader(path, artifacts.MEAN_AT_LANDMARKS) as source:
        values = {name: source[name] for name in artifacts.MEAN_AT_LANDMARKS.fields}
    sizes = {"J": mean.mean.shape[0], "m": mean.mean.shape[2]}
    for name, declared in artifacts.MEAN_AT_LANDMARKS.fields.items():
        if name != "settings":
            kinds.match(np.shape(values[name]), declared.shape, sizes, f"{path}: {name}")
    if json.loads(values["settings"]) != mean.settings:
        raise ArtifactError(f"{path}: has other settings than the mean beside it; ask for the release's folder again")
    at_landmarks.check_names(values["names"], mean.settings, path)
    unit = subjects.from_statement({"settings": mean.settings}).unit
    measures = Measures(tuple(values["names"]), values["weights"], name_measures(mean.settings), unit)
    return MeanAtLandmarks(measures, **{name: values[name].astype(float) * mean.size**2 for name in SQUARES})


def _beside_shape(path):
    """Return (a mean of landmarks as it is published, its MeanAtLandmarks); None where nobody measures between them."""
    with artifacts.reader(path, artifacts.RELEASED_SHAPE) as source:
        landmarks, center, at_each, settings = (
            source[name] for name in ("landmarks", "center", "noise_covariance", "settings")
        )
    if not (np.isfinite(center).all() and np.isfinite(at_each).all()):
        return None
    mean, ends_of = compared.mean_shape(path), at_landmarks.name_links(json.loads(settings), center)
    known = mean.drawn is not None and mean.people and compared.is_told_of_people(mean.drawn["spread"])
    if not ends_of or not known:
        return None
    count, (k, d) = len(mean.drawn["values"]), center.shape
    axes = mean.drawn["axes"][:count].astype(float).reshape(count, k, d)
    noise, public = (
        at_landmarks.sum_products(axes, squares) for squares in (mean.drawn["noise"] ** 2, mean.drawn["spread"][:count])
    )
    # What is stated at a landmark beyond the noise along the axes is of no known direction: each by itself.
    beyond = np.clip(np.trace(at_each - np.einsum("kdke->kde", noise), axis1=1, axis2=2), 0.0, None) / d
    noise = noise + np.einsum("k,kl,de->kdle", beyond, np.eye(k), np.eye(d))
    names = tuple(str(index + 1) for index in range(k))
    measures = Measures(names, np.eye(k)[:, None, :], ends_of, at_landmarks.OF_SIZE)
    placed = replace(mean, mean=as_curve(landmarks))
    return placed, MeanAtLandmarks(measures, noise, public / mean.people, public)
