"""The planner of models: what it foretells of noise and chance is what many releases show."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from library.privacy.learned import people
from shapedp.privacy import noise
from shapedp.privacy.integer_sums import Moments
from shapedp.privacy.statistic import Rows
from shapedp.releases.model import budget_split, effects, model_mechanism, released_model
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.model_mechanism import FaceModel

SEX = Covariate("sex", -1.0, 1.0, ("f", "m"))
AGE = Covariate("age", -1.0, 1.0, mean=0.0, sd=0.4)
N, RELEASES = 600, 1000


@pytest.fixture(scope="module")
def variation():
    return people.variation(200)


def planted(variation, covariates, seed, count=N):
    """`count` people (curves, coded) whose covariates each account for what the planner takes them to."""
    rng = np.random.default_rng(seed)
    a = np.column_stack(
        [
            rng.choice([-1.0, 1.0], count) if one.levels else np.clip(rng.normal(0, 0.4, count), -1, 1)
            for one in covariates
        ]
    )
    size = np.sqrt(budget_split.EXPLAINED * variation.spread / np.array([one.variance for one in covariates]))
    return people.draw(count, seed) + np.tensordot(a * size, people.directions()[: a.shape[1]], axes=1), a


def coefficients(made, sums, releases):
    """(releases, 1 + p, q) of as many releases."""
    of = made.moments
    drawn = (of.draw(list(sums[:3]), noise.SeededNoise(seed)) for seed in range(releases))
    return np.array([effects.fit_effects(*one, of.noise, N, made.variances).coefficients for one in drawn])


@pytest.mark.slow
@pytest.mark.parametrize("covariates", [(SEX,), (SEX, AGE)])
def test_the_noise_that_it_foretells_is_that_of_many_releases(variation, covariates):
    made = FaceModel.from_variation(variation, N, 1.0, covariates)
    curves, a = planted(variation, covariates, 5)
    sums = made.sums(Rows(N, lambda start, stop: curves[start:stop], a)).values
    measured = np.var(coefficients(made, sums, RELEASES), axis=0) @ made.shaped.back**2
    foretold, _ = errors(variation, made)
    assert_allclose(measured[1:], foretold[1:], rtol=0.15)


@pytest.mark.slow
def test_the_chance_that_it_foretells_is_that_of_least_squares(variation):
    """By the people about the effects, of a cohort so large that nothing else is to be seen."""
    foretold = errors(variation, FaceModel.from_variation(variation, N, 1.0, (SEX, AGE)))[1]
    curves, a = planted(variation, (SEX, AGE), 100, count=3000)
    z = np.column_stack([np.ones(len(a)), a])
    x = (curves - people.center()).reshape(len(a), -1)
    left = x - z @ np.linalg.solve(z.T @ z, z.T @ x)
    found = np.diag(np.linalg.inv(z.T @ z)) * len(a) / N * 3 * np.mean(left**2)
    assert_allclose(found, foretold, rtol=0.1)


def errors(variation, made):
    """What the planner foretold of a model, in its units, in which tau is that of the public set."""
    moments = replace(made.moments, tau=made.shaped.plan.tau)
    return budget_split.forecast_errors(variation, made.shaped.plan, moments, made.covariates)


@pytest.mark.slow
def test_a_public_guess_of_where_people_lie_lowers_what_an_effect_of_one_sd_costs(variation):
    """Ages with sd .16 of the range about its middle: coded about their mean, they fill the range."""
    narrow = Covariate("age", -2.5, 2.5, mean=0.0, sd=0.4)
    noises = []
    for one in (narrow, Covariate("age", -2.5, 2.5)):
        curves = people.draw(N, 7)
        rng = np.random.default_rng(8)
        a = np.array([[one.coded(value)] for value in rng.normal(0, 0.4, N)])
        made = FaceModel.from_variation(variation, N, 1.0, (one,))
        sums = made.sums(Rows(N, lambda start, stop, curves=curves: curves[start:stop], a)).values
        drawn = coefficients(made, sums, 50)[:, 1]
        noises.append(np.var(drawn, axis=0) @ made.shaped.back**2 * (0.4 / one.reach) ** 2)
    assert noises[0] < 0.3 * noises[1]


def test_a_quarter_of_the_first_moments_squared_share_for_each_other_costs_it_nothing():
    def noise_of(second, third):
        return Moments(N, 9, 4, 0.3, np.ones(2), 1.0, np.array([1.0, second, third]) / (1 + second + third)).noise[0]

    free = 2 * np.sqrt(3) * 0.3
    assert noise_of(0.25, 0.25) == pytest.approx(free) == pytest.approx(noise_of(0.1, 0.2))
    assert min(noise_of(0.25, 0.4), noise_of(0.4, 0.25)) > 1.02 * free


def test_more_covariates_and_a_smaller_mu_leave_an_effect_with_more_noise(variation):
    def noise_of(mu, covariates):
        made = FaceModel.from_variation(variation, N, mu, covariates)
        return errors(variation, made)[0][1]

    three_more = tuple(replace(AGE, name=name) for name in ("age", "size", "time"))  # one more costs nothing, see above
    assert noise_of(1.0, (SEX,)) < noise_of(1.0, (SEX, *three_more)) < noise_of(0.5, (SEX, *three_more))


def test_a_released_model_states_the_errors_that_were_estimated(variation):
    """At every point: what is left of the noise on the first sum, of that on the second, and of chance; an older file
    has the first alone, and the rest follows from it.
    """
    made = FaceModel.from_variation(variation, N, 1.0, (SEX, AGE))
    curves, a = planted(variation, (SEX, AGE), 5)
    fitted, modes = made.draw(made.sums(Rows.of(curves, a)).values, noise.SeededNoise(3))
    fields = made.fields(fitted, modes) | {"scale": 1.0, "radii": np.linspace(0.2, 1, len(made.center))}
    model = released_model.Released.from_fields(fields, (SEX, AGE))
    older = released_model.Released.from_fields(
        {name: field for name, field in fields.items() if name not in ("second_parts", "chance_parts")}, (SEX, AGE)
    )
    basis = model_mechanism.scale_axes(made.shaped.back, made.shaped.axes)
    for contrast in (fitted.average, np.array([0.0, 2.0, 0.0]), np.array([1.0, -1.0, 0.5])):
        away = effects.weigh_mean_and_effects(contrast, fitted.average)
        by_first = np.sqrt(np.einsum("a,abq,b->q", away, fitted.left, away))[:, None] * basis
        # what is not released is of everybody's mean alone
        beside = np.trace(model_mechanism.find_unreleased(variation, fitted.unreleased), axis1=-2, axis2=-1)
        by_second, by_chance = (
            np.tensordot(away, moves, axes=(0, 1)) @ basis
            for moves in (fitted.by_second, effects.find_chance_kept(fitted))
        )
        stated = [squares(np.concatenate([by_first, by_second])) + away[0] ** 2 * beside, squares(by_chance)]
        for found, wanted in zip(model.covariances(contrast), stated, strict=True):
            assert_allclose(np.trace(found, axis1=-2, axis2=-1), wanted, rtol=1e-3)
        chance = contrast @ fitted.inverse @ contrast * model.residual
        assert_allclose(older.sampling_covariance(contrast), chance)
        assert np.all(np.trace(older.noise_covariance(contrast), axis1=-2, axis2=-1) > squares(by_first))


def squares(rows):
    """(J, m) squared lengths that moves (r, J * 3 * m) of a face add up to at each point."""
    return np.sum(rows.reshape(-1, *people.center().shape) ** 2, axis=(0, 2))
