"""Do several groups' means differ at all? One test with the known noise, then every pair, at one false discovery rate.

The test is T of docs/mathematics.md, (14.3), along the leading public axes, over the shifted chi-square that has its
first three cumulants (Hall, Buckley and Eagleson).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.errors import ArtifactError
from shapedp.model.covariates import quadratic
from shapedp.model.released_model import RATE, Comparison, Released, discoveries, of_means

NODES = 9  # at which the p-value is averaged


@dataclass(frozen=True)
class Group:
    """What the test takes of a group. mean (l,) along the axes; noise, residual (l, l) covariances of its noise, and of
    people; people : n; moment_noise (l, l) : standard deviations of the noise on entries of the residual
    """

    mean: NDArray[np.float64]
    noise: NDArray[np.float64]
    residual: NDArray[np.float64]
    people: float
    moment_noise: NDArray[np.float64]

    @classmethod
    def of(cls, model: Released, count: int) -> "Group":
        """From the first `count` leading axes of a released model, of everybody in it."""
        g = model.inverse @ model.average
        s1, s2, s3 = np.where(np.isfinite(model.moment_noise), model.moment_noise, 0)
        length, effects = model.coordinate_noise[:count], model.coordinates[:, :count]
        noise = s1**2 * (g @ g) * np.diag(length**2) + effects.T @ quadratic(g, s2) @ effects
        off = s3 / model.people * np.outer(length, length)
        off = np.where(np.eye(count), off, off / np.sqrt(2))
        return cls(model.average @ effects, noise, model.coordinate_residual[:count, :count], model.people, off)


@dataclass(frozen=True)
class Tested:
    """T over its mean, which is 1 if all means are equal; the degrees of freedom of a chi-square as wide; p-value."""

    statistic: float
    degrees: float
    p_value: float


def test(groups: Sequence[Group]) -> Tested:
    """Whether these groups' means are equal: T over its mean, and its law where they are."""
    n, means, noise, raw, off = (
        np.array([getattr(one, name) for one in groups], dtype=float)
        for name in ("people", "mean", "noise", "residual", "moment_noise")
    )
    covariances = noise + raw / n[:, None, None]
    traces = np.trace(covariances, axis1=1, axis2=2)
    if not np.all(traces > 0):
        raise ArtifactError(
            "compare: of one of the models noise hides how far people lie from each other; leave it out"
        )
    w = 1 / traces
    away = means - w @ means / w.sum()
    a = np.diag(w) - np.outer(w, w) / w.sum()
    expected = float(np.diag(a) @ traces)
    # tr R^2 without what noise on M3 adds to it, and then without what chance adds; so tr S^2
    with_chance = np.sum(raw**2, axis=(1, 2)) - np.sum(off**2, axis=(1, 2))
    alone = np.maximum((with_chance - np.trace(raw, axis1=1, axis2=2) ** 2 / n) / (1 + 1 / n), 0.0)
    squares = np.einsum("gij,hji->gh", covariances, covariances)
    of_noise = np.sum(noise**2, axis=(1, 2)) + 2 * np.sum(noise * raw, axis=(1, 2)) / n
    np.fill_diagonal(squares, of_noise + alone / n**2)
    cubes = np.einsum("gh,hk,kg,gij,hjl,kli->", a, a, a, covariances, covariances, covariances, optimize=True)
    variance, third = 2 * float(np.sum(a**2 * squares)), 8 * float(cubes)
    of_traces = (2 * np.maximum(with_chance, 0.0) / n + np.einsum("gii->g", off**2)) / n**2  # their variances
    unsure = np.sqrt(np.diag(a) ** 2 @ of_traces) / expected
    statistic = float(w @ np.sum(away**2, axis=1)) / expected
    at, weight = scipy.special.roots_hermitenorm(NODES)
    values = statistic * np.maximum(1 + unsure * at, 0.0) * expected
    degrees = 8 * variance**3 / third**2  # of the shifted chi-square with this mean, variance and third cumulant
    shifted = degrees + (values - expected) * np.sqrt(2 * degrees / variance)
    tails = scipy.special.chdtrc(degrees, np.maximum(shifted, 0.0))
    return Tested(statistic, 2 * expected**2 / variance, float(weight @ tails / weight.sum()))


def of_models(models: Sequence[Released]) -> Tested:
    """The test of released models' means, along the axes that all of them have."""
    if len({one.axes for one in models}) > 1:
        raise ArtifactError(
            "compare: these models were not made with the same public set, so that their axes differ; make them in one "
            "run, with the same faces.bounds and faces.variation"
        )
    count = min(len(one.coordinate_noise) for one in models)
    return test([Group.of(one, count) for one in models])


def pairs(models: Sequence[Released], rate: float = RATE) -> list[tuple[int, int, Comparison]]:
    """(first, second, Comparison) of every two models, at one false discovery rate for all points of all pairs."""
    two = list(combinations(range(len(models)), 2))
    found = [of_means(models[first], models[second]) for first, second in two]
    chosen = np.split(discoveries(np.concatenate([one.p_values for one in found]), rate), len(found))
    return [(*pair, replace(one, exceeds=exceeds)) for pair, one, exceeds in zip(two, found, chosen, strict=True)]
