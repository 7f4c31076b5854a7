"""How much of people's differences each covariate explains, and whether it is more than noise and chance: R², p and Z
from a released model, as a Procrustes analysis of variance has them (Goodall 1991; Collyer, Sekora and Adams 2015).

Along the leading public axes, with b_k the effect of covariate k as it was drawn, G the inverse of the sum of z z' and
R the covariance of people about the effects,

    SS_k = |b_k|^2 / G_kk,       E|b_k|^2 = |effect|^2 + tr(N_k) + G_kk tr(R),

N_k the covariance of the noise on it: that on the first moment, and that on the covariates' own. SS_k less the noise
is what the analysis without privacy would give on average, and R² = SS_k/SS of people about the mean of everybody. Its
denominator counts the variance beside the released axes as well, where public people tell how large that is.

T = |b_k|^2 is tested. Where there is no effect, b_k is normal with covariance N_k + G_kk R, so that T is a weighted sum
of squares, which is drawn. R is then that of people about the other effects, and its trace is known as far as chance
and the noise on the third moment leave it, by which the draws are divided. Nothing is read but the noised moments, n
and the settings: this is post-processing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import ConfigError
from shapedp.releases.model.effects import by_noised_effects
from shapedp.releases.model.released_model import Released

Floats = NDArray[np.float64]
# Of T where there is no effect; a fixed seed gives the same table whenever it is made again.
DRAWS, SEED = 20_000, 0
LEVEL = 0.05
# Share of the variance that noise did not make negative, which counts at least.
LEAST = 0.05


@dataclass(frozen=True)
class Explained:
    """What one covariate explains. ss : sum of squares less the noise, in `unit`^2; share : R²; error : standard
    deviation of R² by noise and chance; f, z, p : of the test
    """

    name: str
    ss: float
    share: float
    error: float
    f: float
    z: float
    p: float


@dataclass(frozen=True)
class Analysis:
    """effects : of each covariate beside the others; degrees, residual, total : degrees of freedom, and sums of
    squares, of what they leave and of people about their mean; people : n; unit : of lengths
    """

    effects: list[Explained]
    degrees: int
    residual: float
    total: float
    people: float
    unit: str


def analyse(model: Released) -> Analysis:
    """Return the analysis of variance of a released model: how much each covariate explains, and whether surely."""
    if not model.covariates:
        raise ConfigError(
            "analysis of variance: the model has no covariates; release a model with `covariates:`, such as age and sex"
        )
    n, drawn = model.people, model.coordinates
    spread, outside_variance = spread_of_people(model)
    residual_squares = n * (float(np.trace(spread)) + outside_variance)
    total, degrees = residual_squares + _sum_explained(model), round(n) - len(drawn)
    explained, rng = [], np.random.default_rng(SEED)
    for k, covariate in enumerate(model.covariates, start=1):
        inverse_moment, noise = float(model.inverse[k, k]), noise_of_effect(model, k)
        spread_without = _find_spread_without(model, k)
        null = np.diag(noise_of_effect(model, k, is_null=True)) + inverse_moment * spread_without
        length = float(np.sum(drawn[k] ** 2))
        ss = max(length - float(noise.sum()), 0.0) / inverse_moment
        values = np.maximum(np.linalg.eigvalsh(null), 0.0)
        unsure = inverse_moment * _find_trace_error(model, spread_without) / float(values.sum())
        null_lengths = rng.standard_normal((DRAWS, len(values))) ** 2 @ values
        null_lengths /= np.maximum(1 + unsure * rng.standard_normal(DRAWS), LEAST)
        logs = np.log(null_lengths)
        variance_of_length = 2 * float(np.sum(values**2)) + 4 * float(drawn[k] @ null @ drawn[k])
        explained.append(
            Explained(
                name=covariate.name,
                ss=ss,
                share=ss / total,
                error=float(np.sqrt(variance_of_length)) / inverse_moment / total,
                f=ss / (residual_squares / max(degrees, 1)),
                z=float((np.log(length) - logs.mean()) / logs.std()),
                # The release itself counts as one of the draws, so that p is never 0.
                p=float((1 + np.sum(null_lengths >= length)) / (1 + DRAWS)),
            )
        )
    return Analysis(explained, degrees, residual_squares, total, n, model.unit)


def noise_of_effect(model: Released, k: int, is_null: bool = False) -> Floats:
    """Return the variances (l,) of the noise on effect k along the leading axes, to be taken off its sum of squares.

    Under `is_null`, the effect itself counts for nothing, as its test takes it.

    Parameters
    ----------
    model : Released
        The model.
    k : int
        From 1, as the rows of its effects.
    is_null : bool
        Whether there is no such effect. What was drawn of it then says nothing of how large the noise is; counted, it
        would make the noise seem largest where it happened to be large.
    """
    inverse, (s1, s2, _) = model.inverse, model.moment_noise
    row, lengths = inverse[k], model.coordinate_unit
    counted = np.arange(len(inverse)) != k if is_null else np.ones(len(inverse), dtype=bool)
    drawn, root = counted[:, None] * model.coordinates, s1 * counted[:, None] * inverse
    by_second = by_noised_effects(row[None], drawn, s2, root, lengths)[:, 0, 0]
    return s1**2 * float(row @ row) * lengths**2 + by_second


def spread_of_people(model: Released) -> tuple[Floats, float]:
    """Return how far people lie about the effects, which tests and shares compare effects with.

    It is ((l, l) covariance along the leading axes, people's variance beside these). Noise leaves eigenvalues below 0.
    These count as 0, and the others are made smaller by as much, so that the sum stays what it is on average.
    """
    released_residual = model.coordinate_residual
    squares = model.coordinate_unit**2
    by_noise = model.moment_noise[0] ** 2 * float(np.trace(model.inverse)) / model.people
    unit = np.sqrt(np.outer(squares, squares))
    on_surface = np.linalg.eigh(released_residual / unit - by_noise * np.eye(len(released_residual)))
    leading = float(np.einsum("i,ik,k->", squares, on_surface[1] ** 2, np.maximum(on_surface[0], 0.0)))
    whole = _summed(model, model.residual)
    beyond = whole * float(np.trace(model.beyond, axis1=-2, axis2=-1).sum()) if model.outside is None else 0.0
    beyond = beyond if model.outside is None else _summed(model, model.outside)
    return _make_positive(released_residual), max(whole - leading, 0.0) + beyond


def _find_spread_without(model, k):
    """Return the covariance (l, l) of people along the leading axes if there is no effect k, as its test takes it.

    What was drawn of the effect then is chance and noise. Were it taken off people's spread, this would seem smallest
    where the effect happened to be drawn long, and the test would find effects too often.
    """
    row, drawn, n = model.inverse[k], model.coordinates[k], model.people
    noise = model.moment_noise[0] ** 2 * float(row @ row) * np.diag(model.coordinate_unit**2)
    spread = model.coordinate_residual + (np.outer(drawn, drawn) - noise) / (row[k] * n)
    # The mean and the other effects are fitted to the same people, who lie nearer to these than to the true ones.
    return _make_positive(spread * n / max(n - len(model.coordinates) + 1, 1))


def _find_trace_error(model, spread):
    """Return the standard deviation of the trace of people's covariance, by chance and the noise on the third moment.

    The test counts it: were the trace taken as known, effects would be found too often.
    """
    by_noise = (model.moment_noise[2] / model.people) ** 2 * np.sum(model.coordinate_unit**4)
    return float(np.sqrt(2 * np.sum(spread**2) / model.people + by_noise))


def _make_positive(covariance):
    """Return a noised covariance (l, l) with eigenvalues below 0 as 0, the others smaller by as much: see above."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    positive = np.maximum(values, 0.0)
    positive *= max(float(values.sum()), LEAST * float(positive.sum())) / float(positive.sum())
    return (vectors * positive) @ vectors.T


def _summed(model, at_points):
    """Return the variance that covariances at the points come to, as the model's lengths count."""
    return model.length(np.trace(at_points, axis1=-2, axis2=-1)) ** 2


def _sum_explained(model):
    """Return the sum of squares that all effects explain together, less noise: a part of the total in each R²."""
    rows, drawn, squares = model.inverse[1:], model.coordinates[1:], model.coordinate_unit**2
    centered = np.linalg.inv(rows[:, 1:])
    noise = model.moment_noise[0] ** 2 * float(np.sum(centered * (rows @ rows.T))) * float(squares.sum())
    return max(float(np.einsum("kl,ki,li->", centered, drawn, drawn)) - noise, 0.0)


def table(analysis: Analysis) -> Iterator[str]:
    """Yield lines of anova.csv, in the columns that geomorph prints, for who is used to these.

    Rows of what is left and of all end with empty cells.
    """
    unit = analysis.unit
    yield f"effect,df,ss_{unit}2,ms_{unit}2,r2,r2_error,f,z,p"
    for effect in analysis.effects:
        numbers = 1, effect.ss, effect.ss, effect.share, effect.error, effect.f, effect.z, effect.p
        yield f"{effect.name},{','.join(f'{number:.5g}' for number in numbers)}"
    degrees, residual = analysis.degrees, analysis.residual
    yield f"residuals,{degrees},{residual:.5g},{residual / max(degrees, 1):.5g},{residual / analysis.total:.5g},,,,"
    yield f"total,{round(analysis.people) - 1},{analysis.total:.5g},,,,,,"


def sentences(analysis: Analysis, record: str) -> Iterator[str]:
    """Yield a sentence for each covariate on how much it explains and whether that is sure, for a page of tables.

    Parameters
    ----------
    analysis : Analysis
        The analysis.
    record : str
        What people brought: face or shape.
    """
    for effect in analysis.effects:
        verdict = "more than noise and chance give" if effect.p <= LEVEL else "no more than noise and chance may give"
        yield (
            f"{effect.name} explains {effect.share:.1%} of how {record}s differ (R², give or take {effect.error:.1%}): "
            f"{verdict} (p = {effect.p:.2g}, Z = {effect.z:.2g})"
        )
