"""What laboratories draw and test of a model: the plane of its two widest modes, disparity, dimorphism, allometry.

All of it lies in the coordinates of the leading public axes, in which the noised moments are released. People's whole
covariance there is T = R + B' C B, R about the effects B and C the covariance of the covariates, each less its noise.
The two leading eigenvectors of what was released are the first two modes. Disparity is people's mean squared distance
from the mean of all, trace T and what lies beside the axes (Zelditch, Swiderski and Sheets 2012, chapter 10).

Errors hold noise for privacy and chance in who took part. Nothing is read but the noised moments, n and the settings.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base.errors import ConfigError
from shapedp.privacy.manifolds import axes as canonical
from shapedp.releases.model import anova
from shapedp.releases.model.released_model import NORMAL_95, Released

Floats = NDArray[np.float64]
# Of a morphospace: levels of two-level covariates with each other.
MOST_GROUPS = 8
# Half axes of an ellipse that holds 95 % of people.
PEOPLE_95 = float(np.sqrt(scipy.special.chdtri(2, 0.05)))
# Ages, or the like, at which allometry is drawn.
STEPS = 41


@dataclass(frozen=True)
class Group:
    """words : {covariate: level}; place (2,) along the two modes; error (2, 2) : covariance of that place"""

    words: dict[str, str]
    place: Floats
    error: Floats


@dataclass(frozen=True)
class Morphospace:
    """groups : means; people (2, 2) : covariance of people about the mean of their group; shares (2,) : of people's
    variance along the leading axes
    """

    groups: list[Group]
    people: Floats
    shares: Floats


def find_morphospace(model: Released) -> Morphospace:
    """Return the plane of the two widest modes for a picture: means of groups in it, people's spread about these.

    Groups are the levels of two-level covariates, the others as they are on average; without one, everybody is one.
    """
    if len(model.modes) < 2:
        raise ConfigError("morphospace: the model holds one mode, and a plane takes two; release it with more `modes`")
    whole, spread, _ = _find_covariances(model)
    # as `modes.find_modes` has them, signs and all
    vectors = canonical.decompose(_restore_released_covariance(model))[1]
    plane = vectors[:, ::-1][:, :2]
    levels = [covariate for covariate in model.covariates if covariate.levels]
    if 2 ** len(levels) > MOST_GROUPS:
        levels = levels[: int(np.log2(MOST_GROUPS))]
    groups = []
    for ends in product((-1.0, 1.0), repeat=len(levels)):
        z = model.average.copy()
        for covariate, end in zip(levels, ends, strict=True):
            z[1 + [listed.name for listed in model.covariates].index(covariate.name)] = end
        words = {covariate.name: covariate.levels[int(end > 0)] for covariate, end in zip(levels, ends, strict=True)}
        moved = model.at(z) - model.mean
        points = 1 if model.radii is None else moved.shape[0] * moved.shape[2]
        place = np.tensordot(model.modes[:2], moved, axes=3) / points
        # Noise on the covariates' own moment is of second order here.
        row = model.inverse @ z
        noise = model.moment_noise[0] ** 2 * float(row @ row) * np.diag(model.coordinate_noise**2)
        error = plane.T @ (noise + float(z @ row) * spread) @ plane
        groups.append(Group(words, place, error))
    shares = np.maximum(np.diag(plane.T @ whole @ plane), 0.0) / max(float(np.trace(whole)), np.finfo(float).tiny)
    return Morphospace(groups, plane.T @ spread @ plane, shares)


def draw_ellipse(center: Floats, covariance: Floats, reach: float, count: int = 90) -> Floats:
    """Return points (count, 2) of the ellipse at so many standard deviations, to be drawn about a group's mean.

    Parameters
    ----------
    center : (2,) array
        The middle.
    covariance : (2, 2) array
        What it is of.
    reach : float
        Half axes, in standard deviations.
    count : int
        Points, the first of them twice.
    """
    values, vectors = np.linalg.eigh(covariance)
    turn = np.linspace(0.0, 2 * np.pi, count)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    return center + reach * circle * np.sqrt(np.maximum(values, 0.0)) @ vectors.T


@dataclass(frozen=True)
class Disparity:
    """variance : people's mean squared distance from the mean, `unit`^2; error : its standard deviation; people : n"""

    variance: float
    error: float
    people: float
    unit: str


def find_disparity(model: Released) -> Disparity:
    """Return how far people lie from the mean of all, along the released axes and beside them: how varied they are."""
    total, spread, outside_variance = _find_covariances(model)
    squares, n = model.coordinate_unit**2, model.people
    noise = model.moment_noise[2] / n * float(np.sqrt(np.sum(squares**2)))
    mean = np.sum((model.average @ model.coordinates) ** 2 * squares)
    of_mean = 2 * model.moment_noise[0] / n * float(np.sqrt(mean))
    chance = float(np.sqrt(2 / n * np.sum(spread**2)))
    return Disparity(
        float(np.trace(total)) + outside_variance, float(np.hypot(np.hypot(noise, of_mean), chance)), n, model.unit
    )


def compare_disparities(first: Disparity, second: Disparity) -> tuple[float, float]:
    """Return whether one group is more varied than another, from their models: (ratio of variances, p if equal)."""
    difference = (second.variance - first.variance) / np.hypot(first.error, second.error)
    ratio = second.variance / first.variance if first.variance > 0 else np.inf
    return float(ratio), float(2 * scipy.special.ndtr(-abs(difference)))


def disparity_sentences(models: Sequence[Released], names: Sequence[str]) -> Iterator[str]:
    """Yield how varied each model's people are, and whether each two differ in that, for `shapedp compare`.

    Parameters
    ----------
    models : sequence of Released
        Of one template.
    names : sequence of str
        Theirs.
    """
    disparities = [find_disparity(model) for model in models]
    for (first_name, first), (second_name, second) in combinations(zip(names, disparities, strict=True), 2):
        ratio, p = compare_disparities(first, second)
        verdict = "more than noise and chance give" if p <= anova.LEVEL else "no more than noise and chance may give"
        yield (
            f"disparity, people's mean squared distance from the mean: {first_name} {first.variance:.3g} ± "
            f"{first.error:.2g}, {second_name} {second.variance:.3g} ± {second.error:.2g} {first.unit}²; "
            f"{ratio:.2f} times: {verdict} (p = {p:.2g})"
        )


@dataclass(frozen=True)
class Dimorphism:
    """name : of a two-level covariate; distance : between the means of its levels, in `unit`; index : that over how far
    people of a level lie from their mean; error : of the index
    """

    name: str
    distance: float
    index: float
    error: float
    unit: str


def find_dimorphisms(model: Released) -> list[Dimorphism]:
    """Return of each two-level covariate, such as sex, how far its levels' means lie apart beside how far people do.

    The squared distance is that of the analysis of variance, less noise and chance, which lengthen any distance.
    """
    dimorphisms = []
    if not any(covariate.levels for covariate in model.covariates):
        return dimorphisms
    analysis, (_, spread, outside_variance) = anova.analyse(model), _find_covariances(model)
    people = float(np.trace(spread)) + outside_variance
    for k, (covariate, explained) in enumerate(zip(model.covariates, analysis.effects, strict=True), start=1):
        if covariate.levels:
            inverse_moment = float(model.inverse[k, k])
            squared = max(explained.ss * inverse_moment - inverse_moment * float(np.trace(spread)), 0.0)
            distance, index = 2 * np.sqrt(squared), 2 * np.sqrt(squared / people)
            # of a square root near 0: half of what its square errs by, over no less than its own error
            error = 4 * explained.error * analysis.total * inverse_moment / people
            index_error = error / (2 * max(index, np.sqrt(error)))
            dimorphisms.append(
                Dimorphism(covariate.name, float(distance), float(index), float(index_error), model.unit)
            )
    return dimorphisms


@dataclass(frozen=True)
class Allometry:
    """name : of a covariate with a range; values (s,) in its own units; scores (s,) how far the mean lies along the
    effect's own direction from where it lies on average, in `unit`; half (s,) of a 95 % band
    """

    name: str
    values: Floats
    scores: Floats
    half: Floats
    unit: str


def find_allometries(model: Released) -> list[Allometry]:
    """Return the course of the mean as size, age or another covariate with a range grows, to be drawn with its band.

    It is along the covariate's effect; the band is of noise and chance.
    """
    allometries, (_, spread, _) = [], _find_covariances(model)
    for k, covariate in enumerate(model.covariates, start=1):
        if covariate.levels:
            continue
        effect, inverse_moment = model.coordinates[k], float(model.inverse[k, k])
        noise = np.diag(anova.noise_of_effect(model, k)) + inverse_moment * spread
        length = float(np.linalg.norm(effect))
        slope = np.sqrt(max(length**2 - float(np.trace(noise)), 0.0))
        direction = effect / max(length, np.finfo(float).tiny)
        steps = np.linspace(-1.0, 1.0, STEPS)
        # a length errs by what lies across it, too, where that is not small
        across = float(np.sum(noise**2)) / (2 * max(length, np.finfo(float).tiny) ** 2)
        coded, sd = steps - model.average[k], np.sqrt(direction @ noise @ direction + across)
        values = covariate.middle + covariate.reach * steps
        allometries.append(Allometry(covariate.name, values, slope * coded, NORMAL_95 * sd * np.abs(coded), model.unit))
    return allometries


def disparity_table(model: Released) -> Iterator[str]:
    """Yield lines of disparity.csv: how varied people are, and of each two-level covariate its dimorphism."""
    disparity = find_disparity(model)
    yield "what,value,error,unit"
    yield f"disparity,{disparity.variance:.5g},{disparity.error:.5g},{model.unit}^2"
    for dimorphism in find_dimorphisms(model):
        yield f"distance between the levels of {dimorphism.name},{dimorphism.distance:.5g},,{dimorphism.unit}"
        numbers = f"{dimorphism.index:.5g},{dimorphism.error:.5g}"
        yield f"dimorphism of {dimorphism.name},{numbers},standard deviations of people"


def _find_covariances(model):
    """Return what disparity, dimorphism and the plane of modes rest on: how people vary in all and about the effects.

    It is the covariance (l, l) of everybody along the leading axes, that of people about the effects, the variance
    beside.
    """
    spread, outside_variance = anova.spread_of_people(model)
    effects = model.coordinates[1:]
    if not len(effects):
        return spread, spread, outside_variance
    second, squares = np.linalg.inv(model.inverse), model.coordinate_unit**2
    of_z = second[1:, 1:] / model.people - np.outer(model.average[1:], model.average[1:])
    values, vectors = np.linalg.eigh(of_z)
    of_z = (vectors * np.maximum(values, 0.0)) @ vectors.T
    rows = model.inverse[1:]
    noise = model.moment_noise[0] ** 2 * float(np.sum(of_z * (rows @ rows.T))) * np.diag(squares)
    explained = effects.T @ of_z @ effects - noise
    values, vectors = np.linalg.eigh(explained)
    positive = np.maximum(values, 0.0)
    positive *= max(float(values.sum()), 0.0) / max(float(positive.sum()), np.finfo(float).tiny)
    return spread + (vectors * positive) @ vectors.T, spread, outside_variance


def _restore_released_covariance(model):
    """Return (l, l) the covariance whose eigenvectors are the released modes, so that the plane drawn is of these."""
    n, b, squares = model.people, model.coordinates, model.coordinate_unit**2
    second, mean, s1 = np.linalg.inv(model.inverse), model.average @ b, model.moment_noise[0]
    noise_share = s1**2 * np.trace(model.inverse) / n - (s1 / n) ** 2
    return model.coordinate_residual + b.T @ second @ b / n - np.outer(mean, mean) - noise_share * np.diag(squares)
