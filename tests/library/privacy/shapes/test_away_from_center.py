"""A cohort that lies away from the public set: the bound follows, what the clip took is put back, and it is told."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves.learned import SpreadQuestion
from shapedp.privacy.learned import clips
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.manifolds.landmark_shapes import LandmarkShapes
from shapedp.privacy.shapes.base import Ball, as_complex, as_real
from shapedp.privacy.statistic import Rows, ask
from shapedp.releases import shape_mechanisms

N, K, D = 600, 12, 2
BASE = landmark_shapes.unit(np.random.default_rng(0).standard_normal((1, K, D)))[0][0]
WAYS = (
    np.random.default_rng(1).standard_normal((8, K, D)) * (0.04 * 0.75 ** np.arange(8))[:, None, None] / np.sqrt(K * D)
)
BUDGETS = {"shaped": {"mu_total": 1.0}, "knorm": {"epsilon": 4.0}}


def people(count, seed, away=0.0, spread=1.0):
    """People whose mean lies so many typical distances away, and who differ so many times as much as public ones."""
    rng = np.random.default_rng(seed)
    along = np.random.default_rng(8).standard_normal(len(WAYS))
    typical = np.sqrt(np.sum(WAYS**2))
    moved = np.tensordot(along, WAYS, axes=1)
    drawn = BASE + spread * np.tensordot(rng.standard_normal((count, len(WAYS))), WAYS, axes=1)
    return drawn + away * typical * moved / np.linalg.norm(moved)


PUBLIC = people(80, 50)
SHAPES = LandmarkShapes(landmark_shapes.find_frechet_mean(PUBLIC))


@pytest.fixture(scope="module")
def ball():
    return Ball(N, as_complex(SHAPES.p0), 0.3, 0, as_complex(PUBLIC))


def made(ball, name="shaped"):
    return shape_mechanisms.make(name, ball, BUDGETS[name], worth_it_anyway=True)


def released(mechanism, crowd, seed):
    """(distance from the people's mean, of the drawn mean with nothing put back, what is stated, what is told)."""
    answers = ask(mechanism, Rows.of(crowd), noise.SeededNoise(seed))
    decoding = mechanism.decoding(answers)
    mean = SHAPES.deviations(crowd).mean(axis=0)
    off = SHAPES.deviations(as_real(mechanism.published(answers))[None])[0] - mean
    found = mechanism.with_bound_from(answers[:-1]).coordinates
    plain = found.axes.T @ (found.roots * answers[-1]) - mean
    return np.linalg.norm(off), np.linalg.norm(plain), decoding.noise_size(), mechanism.tells(answers)


@pytest.mark.parametrize(("name", "budget"), [("shaped", {"mu_total": 0.5}), ("knorm", {"epsilon": 1.0})])
def test_a_mean_of_few_shapes_states_what_it_errs_by_and_not_its_noise_alone(name, budget):
    """Sixty people of the public ones' kind, forty cohorts: what the axes leave out is nearly half of the square."""
    few, off, stated, noises = Ball(60, as_complex(SHAPES.p0), 0.3, 0, as_complex(PUBLIC)), [], [], []
    mechanism = shape_mechanisms.make(name, few, budget, worth_it_anyway=True)
    for seed in range(40):
        crowd = people(60, 300 + seed)
        answers = ask(mechanism, Rows.of(crowd), noise.SeededNoise(seed))
        made = mechanism.decoding(answers)
        found = SHAPES.deviations(as_real(mechanism.shape(answers))[None])[0]
        off.append(np.sum((found - SHAPES.deviations(crowd).mean(axis=0)) ** 2))
        stated.append(made.error_size() ** 2)
        noises.append(made.noise_size() ** 2)
        assert mechanism.tells(answers)["error_radian"] == pytest.approx(made.error_size())
        assert np.trace(made.error_covariance(), axis1=1, axis2=2).sum() == pytest.approx(made.error_size() ** 2)
    assert 0.85 < np.sqrt(np.mean(stated) / np.mean(off)) < 1.25
    assert np.sqrt(np.mean(noises) / np.mean(off)) < 0.8


def test_whatever_a_record_holds_it_moves_the_first_sum_by_no_more_than_its_sensitivity(ball):
    asked = SpreadQuestion(made(ball))
    odd = [np.full((K, D), np.nan), np.ones((K, D)), 1e300 * PUBLIC[0], SHAPES.p0, np.zeros((K, D))]
    far = SHAPES.shape(np.array([2.0, -2.0])[:, None] * made(ball).coordinates.axes[0])
    rows = asked.integers(np.concatenate([odd, far, PUBLIC]))
    assert rows.dtype == np.int64 and np.abs(rows).max() == integer_sums.GRID


@pytest.mark.parametrize("answer", [-3.0, 0.0, 0.4, 1.0, 7.0])
def test_with_any_answer_nobody_is_longer_than_the_second_stage_allows(ball, answer):
    mechanism = made(ball)
    settled = mechanism.with_bound_from((np.array([answer]),))
    far = SHAPES.shape(np.array([1.0, -1.0])[:, None] * mechanism.coordinates.axes[0])
    rows = settled.integers(np.concatenate([far, [np.full((K, D), np.nan)], people(50, 3, 3.0)])).astype(object)
    assert max((rows**2).sum(axis=1)) <= integer_sums.GRID**2
    assert settled.mean_budget == mechanism.mean_budget and settled.coordinates.count == mechanism.coordinates.count
    times = clips.find_bound_factor(settled.bound_scale, far=mechanism.far)
    assert settled.sensitivity() == pytest.approx(times * mechanism.sensitivity())
    assert settled.noise_of_mean == pytest.approx(times * mechanism.noise_of_mean)


def test_both_stages_together_spend_what_is_asked_for(ball):
    """mu^2 = mu_1^2 + mu_2^2, and rho = mu^2/2, from the scales that the noise is drawn by."""
    mechanism = made(ball)
    assert mechanism.first > 0
    assert 1 - 1e-12 < np.hypot(mechanism.first, mechanism.mean_budget) <= 1
    assert mechanism.cost().mu == 1 and mechanism.cost().rho <= 0.5
    assert sum(mechanism.inputs()["w"]) == pytest.approx(1)
    drawn = [
        integer_sums.gaussian_cost(mu, (1, integer_sums.SENSITIVITY, mu)).rho
        for mu in (mechanism.first, mechanism.mean_budget)
    ]
    assert mechanism.cost().rho == pytest.approx(sum(drawn))


def test_without_public_people_nothing_is_asked_first_and_nothing_told():
    alone = shape_mechanisms.make("shaped", Ball(N, as_complex(SHAPES.p0), 0.3, 0), BUDGETS["shaped"])
    assert alone.first == 0 and "w" not in alone.inputs()
    assert released(alone, people(N, 4), 1)[3].get("unlike") is None


@pytest.mark.parametrize(("name", "away", "worst"), [("shaped", 1.0, 0.4), ("shaped", 2.0, 0.2), ("knorm", 1.0, 0.7)])
def test_a_mean_that_lies_off_is_found_and_what_is_stated_holds(ball, name, away, worst):
    """Beside a release whose bound does not follow and of which nothing is put back, the error falls to the noise."""
    mechanism, ends = made(ball, name), []
    for seed in range(6):
        crowd = people(N, 100 + seed, away)
        u = mechanism.coordinates.clipped(crowd).mean(axis=0)
        before = SHAPES.deviations(crowd).mean(axis=0) - mechanism.coordinates.axes.T @ (
            mechanism.coordinates.roots * u
        )
        found, _, stated, told = released(mechanism, crowd, seed)
        assert told["unlike"] is True and told["clip_moved"] > 0 and told["undone"] >= 1
        ends.append((found, stated, np.hypot(np.linalg.norm(before), mechanism.noise_of_mean)))
    error, stated, before = np.sqrt(np.mean(np.square(ends), axis=0))
    assert error < worst * before
    assert error < 1.25 * stated


def test_who_lies_off_along_released_axes_is_taken_to_lie_off_along_others():
    """Five axes of eight are released of people whose mean lies off along all: the rest makes most of the error."""
    few, ends = Ball(150, as_complex(SHAPES.p0), 0.3, 0, as_complex(PUBLIC)), []
    mechanism = shape_mechanisms.make("knorm", few, {"epsilon": 1.0}, worth_it_anyway=True)
    for away in (0.0, 1.0):
        for seed in range(8):
            crowd = people(150, 400 + seed, away)
            answers = ask(mechanism, Rows.of(crowd), noise.SeededNoise(seed))
            decoder, shape = mechanism.decoding(answers), as_real(mechanism.shape(answers))
            off = SHAPES.deviations(shape[None])[0] - SHAPES.deviations(crowd).mean(axis=0)
            ends.append((np.linalg.norm(off), decoder.error_size(), replace(decoder, excess=0.0).error_size()))
    error, stated, plain = np.sqrt(np.mean(np.square(ends).reshape(2, 8, 3), axis=1)).T
    assert stated[0] < 1.05 * plain[0] and stated[0] < 1.25 * error[0]
    assert plain[1] < 0.7 * error[1] and 0.8 * error[1] < stated[1] < 1.25 * error[1]


@pytest.mark.parametrize("name", BUDGETS)
def test_people_like_the_public_set_are_released_as_before_and_not_told_to_differ(ball, name):
    mechanism, ends = made(ball, name), []
    for seed in range(8):
        found, plain, stated, told = released(mechanism, people(N, 200 + seed), seed)
        assert told["unlike"] is False
        ends.append((found, plain, stated))
    error, plain, stated = np.sqrt(np.mean(np.square(ends), axis=0))
    assert error < 1.05 * plain and stated < 1.1 * mechanism.noise_of_mean


def test_a_wider_cohort_about_the_public_mean_does_not_differ_and_its_bound_follows(ball):
    _, _, _, told = released(made(ball), people(N, 5, spread=2.0), 3)
    assert told["widened"] > 1.4 and told["unlike"] is False


def test_who_is_longer_than_the_bound_is_shortened_to_it():
    u = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])
    assert_allclose(clips.clip_by_length(u, 1.0), [[0.6, 0.8], [0.3, 0.4], [0, 0]])
    assert_allclose(clips.clip_by_length(u, 1.0), clips.clip_to_nearest(u, 1.0, np.ones(2)), atol=1e-12)
