"""Means and effects for tables of shapes: what public people and noised moments tell together, and what is stated."""

from types import SimpleNamespace

import numpy as np
import pytest

from shapedp.privacy.learned import likely_shares
from shapedp.releases.model.covariates import SIZE, Covariate
from shapedp.releases.model.effects import noise_parts
from shapedp.releases.model.table_means import PublicMeans, draw_to_public

PEOPLE, PUBLIC, AXES = 100, 50, 24
SPREAD = np.geomspace(4.0, 0.05, AXES)
NOISE = 0.02 * PEOPLE
AVERAGE = np.array([1.0, 0.1])
# Of a covariate with the variance 1/4 about that average.
SECOND = PEOPLE * np.array([[1.0, 0.1], [0.1, 0.26]])


def model_of(covariates, s1=NOISE, s2=0.0):
    """What is taken of a release, without its lengths."""
    count = 1 + len(covariates)
    return SimpleNamespace(
        average=AVERAGE[:count],
        people=PEOPLE,
        inverse=np.linalg.inv(SECOND[:count, :count]),
        moment_noise=np.array([s1, s2, 0.0]),
        covariates=covariates,
        coordinate_unit=np.ones(2),
        coordinate_noise=np.ones(2),
    )


def test_the_mean_errs_as_stated_over_all_that_people_may_differ_from_public_ones_by():
    """Drawn from what is likely beforehand, the squares of errors add up to those that are stated."""
    rng, model, errors, stated = np.random.default_rng(0), model_of(()), [], []
    sd = np.sqrt(SPREAD)
    for far in np.repeat(likely_shares.FAR[:20], 40):
        differ = np.sqrt(far * (1 / PUBLIC + 1 / PEOPLE)) * sd * rng.standard_normal(AXES)
        public = PublicMeans(SPREAD, sd / np.sqrt(PUBLIC) * rng.standard_normal(AXES), None, PUBLIC)
        chance = sd / np.sqrt(PEOPLE) * rng.standard_normal(AXES) + NOISE / PEOPLE * rng.standard_normal(AXES)
        coefficients, expected, _ = draw_to_public(model, (differ + chance)[None], public)
        errors.append(np.sum((coefficients[0] - differ) ** 2))
        stated.append(expected[0, 0].sum())
    assert np.sum(stated) == pytest.approx(np.sum(errors), rel=0.06)


def test_people_like_public_ones_have_a_mean_that_errs_less_than_either():
    rng, model, errors = np.random.default_rng(1), model_of((), s1=5 * NOISE), []
    for _ in range(200):
        public_mean = np.sqrt(SPREAD / PUBLIC) * rng.standard_normal(AXES)
        drawn = np.sqrt(SPREAD / PEOPLE + (5 * NOISE / PEOPLE) ** 2) * rng.standard_normal(AXES)
        made = draw_to_public(model, drawn[None], PublicMeans(SPREAD, public_mean, None, PUBLIC))[0][0]
        errors.append([np.sum(one**2) for one in (made, public_mean, drawn)])
    made, public, drawn = np.mean(errors, axis=0)
    assert made < 0.95 * min(public, drawn)


def test_people_who_lie_far_from_public_ones_have_their_own_mean():
    rng = np.random.default_rng(2)
    drawn = 5 * np.sqrt(SPREAD) * rng.choice([-1.0, 1.0], AXES)
    coefficients, errors, _ = draw_to_public(
        model_of(()), drawn[None], PublicMeans(SPREAD, np.zeros(AXES), None, PUBLIC)
    )
    np.testing.assert_allclose(coefficients[0], drawn, rtol=0.01)
    np.testing.assert_allclose(errors[0, 0], SPREAD / PEOPLE + (NOISE / PEOPLE) ** 2, rtol=0.03)


def test_who_lies_off_along_the_released_axes_likely_does_so_along_others():
    """By about so many times chance, and by none where chance says it all."""
    rng, public = np.random.default_rng(4), PublicMeans(SPREAD, np.zeros(AXES), None, PUBLIC)
    chance = SPREAD * (1 / PUBLIC + 1 / PEOPLE)
    for times, least, most in ((1.0, 0.0, 0.3), (100.0, 30.0, 120.0)):
        drawn = np.sqrt(times * chance) * rng.standard_normal((40, AXES))
        found = np.mean([draw_to_public(model_of((), s1=0.1 * NOISE), row[None], public)[2] for row in drawn])
        assert least <= found < most


def test_where_the_file_says_that_a_clip_leaves_the_mean_in_doubt_public_people_count_more():
    model, drawn = model_of(()), np.sqrt(SPREAD)[None] / 5
    public = PublicMeans(SPREAD, np.zeros(AXES), None, PUBLIC)
    sure, sure_errors, _ = draw_to_public(model, drawn, public)
    model.coordinate_noise = np.full(2, 20.0)
    unsure, errors, _ = draw_to_public(model, drawn, public)
    assert np.all(unsure[0, :2] < 0.8 * sure[0, :2])
    assert np.all(errors[0, 0, :2] > 1.2 * sure_errors[0, 0, :2])


@pytest.mark.parametrize("by_size", [None, -10 * np.sqrt(SPREAD)])
def test_an_effect_that_noise_hides_is_that_of_public_people_in_size_and_else_none(by_size):
    """As it is here. For each of log size; a covariate counts from the middle to either end of its reach."""
    rng, size = np.random.default_rng(3), Covariate(SIZE, -0.5, 0.5)
    model = model_of((size,), s1=30 * NOISE)
    noise = np.sqrt(noise_parts(AVERAGE, model.inverse, 30 * NOISE)[1, 1])
    expected = np.zeros(AXES) if by_size is None else 0.5 * by_size
    effects = [
        draw_to_public(
            model,
            np.stack([np.zeros(AXES), expected + noise * rng.standard_normal(AXES)]),
            PublicMeans(SPREAD, np.zeros(AXES), by_size, PUBLIC),
        )[0][1]
        for _ in range(200)
    ]
    np.testing.assert_allclose(np.mean(effects, axis=0), expected, atol=0.15 * noise)
    assert np.sqrt(np.mean((np.array(effects) - expected) ** 2)) < 0.4 * noise


def test_an_effect_is_shrunk_for_noise_and_not_for_chance():
    """Without noise it stays as it is, however small."""
    drawn = np.stack([np.sqrt(SPREAD), 0.01 * np.sqrt(SPREAD)])
    public = PublicMeans(SPREAD, np.zeros(AXES), None, PUBLIC)
    coefficients, errors, _ = draw_to_public(model_of((Covariate("age", 0.0, 1.0),), s1=1e-6 * NOISE), drawn, public)
    np.testing.assert_allclose(coefficients[1], drawn[1], rtol=1e-6)
    assert np.all(errors[1, 1] > 0)


def test_what_is_taken_off_effects_leaves_the_mean_of_everybody():
    """It is that of a model without covariates."""
    drawn, public = (
        np.stack([np.sqrt(SPREAD), 0.1 * np.sqrt(SPREAD)]),
        PublicMeans(SPREAD, np.zeros(AXES), None, PUBLIC),
    )
    coefficients, errors, _ = draw_to_public(model_of((Covariate("age", 0.0, 1.0),), s1=5 * NOISE), drawn, public)
    everybody, alone, _ = draw_to_public(model_of((), s1=5 * NOISE), AVERAGE[None] @ drawn, public)
    assert np.all(coefficients[1] < 0.9 * drawn[1])
    np.testing.assert_allclose(AVERAGE @ coefficients, everybody[0], rtol=1e-12)
    np.testing.assert_allclose(errors[0, 0], alone[0, 0], rtol=1e-12)
