"""A face beside its norm: how unusual one face is, point by point, against a released model. Nothing of it is released.

At each point z = n'(x - mean)/sd, n the outward normal of the mean face at the covariates asked for, and

    sd^2 = n'(R + O + N + S)n,   R people about the effects, released; O public people beyond the released coordinates;
                                 N the privacy noise of that mean, S chance in who took part

so that z has a standard deviation of 1 in people of the population, wherever the model does not reach, too. The number
for the whole face is the share of people who lie farther from everybody's mean along the modes that stand above the
noise: |x - mean|^2 over their variances, a chi-square of as many degrees as there are such modes.

docs/mathematics.md, (14.4).

A named distance or angle d of the face stands beside its norm, too: with g its gradient at the mean face,

    var d = sum_k sd_k^2 <g, mode_k>^2 + sum_l g_l' C_l g_l

over the modes that are shown and the landmarks l of d, C_l what these modes leave of R + O + N + S at that landmark, as
if different landmarks had nothing to do with each other in it. Centiles are those of a normal distribution.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

from shapedp.errors import ArtifactError
from shapedp.model.distances import Measures
from shapedp.model.released_change import normals
from shapedp.model.released_model import Released

FAR = 2.0  # |z| that about one point in twenty exceeds


@dataclass(frozen=True)
class Assessed:
    """z (J, m); away (J, m) mm outward of the mean; beyond : share of points with |z| > FAR; farther : share of people
    farther from everybody's mean along the `modes` that are shown, None where none is; people : behind the norm; noise,
    chance : of its mean, mm rms; alone : whether the public reference by itself would be as good a mean
    """

    z: NDArray[np.float64]
    away: NDArray[np.float64]
    beyond: float
    farther: float | None
    modes: int
    people: float
    noise: float
    chance: float
    alone: bool


def assess(curves: NDArray[np.float64], model: Released, given: Mapping[str, Any]) -> Assessed:
    """A face's curves (J, 3, m) in mm beside a model's mean at {covariate: value}, others as on average."""
    if model.outside is None or model.mean.shape != curves.shape:
        raise ArtifactError(
            "assess: takes a released face_model, and a face on its curves; make both with one template"
        )
    contrast = model.z(given)
    mean, noise, chance = model.at(contrast), model.noise_covariance(contrast), model.sampling_covariance(contrast)
    along = normals(mean, model.radii)
    away = np.einsum("jcm,jmc->jm", curves - mean, along)
    variance = np.einsum("jmc,jmcd,jmd->jm", along, model.residual + model.outside + noise + chance, along)
    z = away / np.sqrt(variance)
    unsure = [float(np.mean(np.trace(one, axis1=-2, axis2=-1))) for one in (noise, chance)]
    gap = float(np.mean(np.sum((mean - model.reference) ** 2, axis=1))) - sum(unsure)
    return Assessed(
        z=z,
        away=away,
        beyond=float(np.mean(np.abs(z) > FAR)),
        farther=_farther(curves, model),
        modes=model.shown,
        people=model.people,
        noise=float(np.sqrt(unsure[0])),
        chance=float(np.sqrt(unsure[1])),
        alone=gap < sum(unsure),
    )


def _farther(curves, model):
    """Share of people farther from everybody's mean along the shown modes."""
    if not model.shown:
        return None
    modes = model.modes[: model.shown]
    points = curves.shape[0] * curves.shape[2]
    weights = np.tensordot(modes, curves - model.mean, axes=3) / points / model.sd[: model.shown]
    return float(chdtrc(model.shown, float(weights @ weights)))


@dataclass(frozen=True)
class Measured:
    """A distance (mm) or angle (degrees) of a face: its value, the norm's mean and standard deviation, its centile."""

    name: str
    unit: str
    value: float
    mean: float
    sd: float
    centile: float


def measured(
    curves: NDArray[np.float64], model: Released, given: Mapping[str, Any], measures: Measures
) -> list[Measured]:
    """Each named distance and angle of a face's curves (J, 3, m) in mm beside the model's at {covariate: value}."""
    contrast = model.z(given)
    mean, directions = model.at(contrast), measures.in_landmarks(model.at(contrast))
    along = model.sd[: model.shown, None, None, None] * model.modes[: model.shown]
    inside = np.tensordot(measures.gradients(mean), along, axes=((1, 2, 3), (1, 2, 3)))
    whole = model.residual + model.outside + model.covariance(contrast)
    left = np.einsum("ljm,jmcd->lcd", measures.weights, whole - np.einsum("kjcm,kjdm->jmcd", along, along))
    values, vectors = np.linalg.eigh(left)
    beyond = np.einsum("qlc,lcd->qld", directions, vectors) ** 2 * np.maximum(values, 0.0)
    sd = np.sqrt(np.sum(inside**2, axis=1) + beyond.sum(axis=(1, 2)))
    own, norm = measures.values(curves), measures.values(mean)
    columns = measures.names, measures.units, own, norm, sd, 100 * ndtr((own - norm) / sd)
    return [Measured(name, unit, *map(float, numbers)) for name, unit, *numbers in zip(*columns, strict=True)]


def table(rows: list[Measured]) -> list[str]:
    """Lines of a csv of measures."""
    numbers = ((one, (one.value, one.mean, one.sd, one.centile)) for one in rows)
    lines = (f"{one.name},{one.unit},{','.join(f'{value:.4g}' for value in values)}" for one, values in numbers)
    return ["measure,unit,value,mean,sd,centile", *lines]


def words(found: Assessed, given: Mapping[str, Any]) -> list[str]:
    """What it says, in sentences."""
    at = ", ".join(f"{name} = {value}" for name, value in given.items()) or "everybody's average"
    lines = [
        f"{found.beyond:.1%} of the points lie more than {FAR:g} standard deviations from the mean face at {at}; about "
        "4.6% do in a usual face",
        f"farthest out {found.away.max():.2g} mm, farthest in {-found.away.min():.2g} mm",
        f"the norm is of {found.people:.0f} people; its mean is off by {found.noise:.2g} mm of noise for privacy and "
        f"{found.chance:.2g} mm of chance, root mean square",
    ]
    if found.farther is not None:
        count = f"{found.modes} mode" + "s" * (found.modes > 1)
        lines.insert(0, f"{found.farther:.1%} of people are farther from the mean face, along {count} of variation")
    if found.alone:
        lines.append(
            "the public reference alone would be as good a norm here: the released mean lies no farther from it than "
            "noise and chance explain"
        )
    return lines
