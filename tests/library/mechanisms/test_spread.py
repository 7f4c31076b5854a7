"""The stage that asks how far people lie about their mean: its sensitivity, its cost, its answer."""

import numpy as np
import pytest

from library.releases import dome_faces as dome
from shapedp.mechanisms import integer_sums
from shapedp.mechanisms.curves.base import Asked
from shapedp.mechanisms.noise import SeededNoise
from shapedp.mechanisms.spread import SHARE, ShapedWithSpread
from shapedp.mechanisms.statistic import Rows, ask
from shapedp.variation import face_learning
from shapedp.variation.face_variation import Variation


def variation():
    """Of public people's changes on the dome."""
    first, second = dome.scanned_twice(60, 9)
    rows = dome.template() + second - first
    found = face_learning.learn(lambda start, stop: rows[start:stop], 60, dome.template(), 12, 12)
    guesses = {"quantile": 0.95, "assumed_mean_shift": 0.35, "assumed_shift_outside_modes": 1.2}
    return Variation(center=dome.template(), **vars(found), **guesses, source="test", public=True)


@pytest.fixture(scope="module")
def made():
    """For 100 people at mu = 2, with a first stage."""
    return ShapedWithSpread.of(Asked(dome.template().shape, 100, variation(), dome.template(), {"mu_total": 2.0}, {}))


def squares(made):
    """The stage that asks for the squares, where the first stage's answer is that nobody lies far."""
    return made.stage((np.zeros(1),))


def sums(made, person):
    """The exact sum of one person (J, 3, m)."""
    return squares(made).sums(Rows.of(person[None])).values[0][0]


def test_three_stages_compose_to_mu(made):
    assert [type(stage).__name__ for stage in stages(made)] == ["Reach", "Squares", "ShapedWithSpread"]
    assert made.mu == pytest.approx(2.0, rel=1e-9) and made.mu <= 2.0
    assert made.cost().mu == made.mu
    assert made.cost().rho <= 2.0**2 / 2 * (1 + 1e-6)
    assert made.squares**2 / 4 == pytest.approx(SHARE)


def stages(made):
    answers, asked = (), []
    while (stage := made.stage(answers)) is not None:
        asked.append(stage)
        answers = (*answers, np.zeros(stage.coordinates) if isinstance(stage, ShapedWithSpread) else np.array([0.3]))
    return asked


def test_no_pair_of_people_moves_the_squares_by_more_than_the_sensitivity(made):
    """Hill climbing over pairs of records of any size, and the worst records there are."""
    rng = np.random.default_rng(1)
    most, best = 0, None
    for _ in range(200):
        size = 10 ** rng.uniform(-3, 3)
        away = size * rng.standard_normal(dome.template().shape)
        moved = abs(sums(made, dome.template() + away) - sums(made, dome.template()))
        if moved > most:
            most, best = moved, away
    for _ in range(200):
        tried = best * 10 ** rng.normal(0, 0.3) + 0.1 * np.abs(best).max() * rng.standard_normal(best.shape)
        moved = abs(sums(made, dome.template() + tried) - sums(made, dome.template()))
        if moved > most:
            most, best = moved, tried
    assert 0.2 * integer_sums.SENSITIVITY < most <= integer_sums.SENSITIVITY


def test_the_worst_pair_moves_the_squares_by_all_of_the_sensitivity(made):
    strongest = int(np.argmax(made.chosen.moments))
    far = dome.template() + 100 * made.axes[strongest].astype(float)
    moved = sums(made, far) - sums(made, dome.template())
    assert moved <= integer_sums.SENSITIVITY
    assert moved > 0.999 * integer_sums.SENSITIVITY


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e308])
def test_a_record_of_no_numbers_counts_as_any_other(made, value):
    person = np.full(dome.template().shape, value)
    assert abs(sums(made, person)) <= integer_sums.GRID


def test_the_released_spread_is_near_that_of_the_people_about_their_mean(made):
    first, second = dome.scanned_twice(100, 30, change=0.02)
    rows = dome.template() + second - first
    mean = rows.mean(axis=0)
    flat = (rows - mean).reshape(100, -1) @ made.axes.reshape(len(made.axes), -1).T / (dome.J * dome.M)
    true, found, off = np.mean(np.sum(flat**2, axis=1)), [], 0.0
    for seed in range(20):
        value, off = made.spread(ask(made, Rows.of(rows), SeededNoise(seed)))
        found.append(value)
    assert np.mean(found) == pytest.approx(true, rel=0.25)
    assert 0.5 * off < np.std(found) < 1.6 * off


def test_the_settings_say_how_mu_is_shared(made):
    assert sum(made.inputs({})["w"]) == pytest.approx(1.0)
    assert len(made.inputs({})["w"]) == 3
