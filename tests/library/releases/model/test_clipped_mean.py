"""What the clip took of a model's mean is put back, its interval holds it, and a cohort that lies off is told."""

import numpy as np
import pytest

from library.privacy.learned import people as faces
from library.privacy.shapes.test_away_from_center import BASE, PUBLIC, SHAPES, people
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.shapes.base import Ball, as_complex
from shapedp.privacy.statistic import Rows, ask
from shapedp.releases.model import anova, compared, released_model
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.effects import find_chance_kept
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.model.shapes import ShapeModel, as_landmarks

N, SEEDS = 1000, 6


@pytest.fixture(scope="module")
def of_shapes():
    return ShapeModel.from_ball(Ball(N, as_complex(SHAPES.p0), 0.3, 0, as_complex(PUBLIC)), 1.0)


@pytest.fixture(scope="module")
def of_faces():
    return FaceModel.from_variation(faces.variation(count=120), N, 1.0)


def released(made, rows, seed):
    """(released_model.Released, what is told)."""
    (*_, answer) = ask(made, Rows.of(rows, np.zeros((len(rows), 0))), SeededNoise(seed))
    fields = made.fields(*made.estimated(answer)) | {"scale": 1.0}
    radii = None if isinstance(made, ShapeModel) else np.linspace(0.1, 1, len(made.center))
    return released_model.Released.from_fields(fields | {"radii": radii}, []), made.tells(answer)


def covered(made, crowds, truth):
    """(rms error of the mean, what is stated, what the clip moves it by, share of coordinates within 95 % bands, how
    often it is told that the cohort differs).
    """
    found = []
    for seed, rows in enumerate(crowds):
        model, told = released(made, rows, seed)
        off = model.mean - truth
        variances = np.moveaxis(np.diagonal(sum(model.covariances(model.average)), axis1=-2, axis2=-1), -1, -2)
        within = np.mean(off**2 <= released_model.NORMAL_95**2 * variances)
        by_clip = made.shaped.encode(rows).mean(axis=0) * made.shaped.back
        by_clip = np.tensordot(by_clip, made.shaped.axes, axes=1) + made.center - truth
        found.append([np.sum(off**2), np.sum(variances), np.sum(by_clip**2), within, told["unlike"]])
    squares, shares = np.split(np.mean(found, axis=0), [3])
    return (*np.sqrt(squares), *shares)


def lying(away, spread=1.0, seed=0):
    """Cohorts of shapes, their mean as a curve at p0."""
    crowds = [people(N, 300 + seed + one, away, spread) for one in range(SEEDS)]
    mean = SHAPES.deviations(people(20_000, 299, away, spread)).mean(axis=0)
    return crowds, (SHAPES.p0 + mean.reshape(BASE.shape)).T[None]


@pytest.mark.slow
@pytest.mark.parametrize("away", [1.0, 1.5])
def test_the_mean_of_a_cohort_that_lies_off_is_put_back_and_its_interval_holds_it(of_shapes, away):
    error, stated, clipped, within, told = covered(of_shapes, *lying(away))
    assert error < 0.5 * clipped and error < 1.1 * stated
    assert within > 0.9 and told == 1


@pytest.mark.slow
def test_a_cohort_like_the_public_set_is_released_as_before_and_not_told_to_differ(of_shapes):
    error, stated, _, within, told = covered(of_shapes, *lying(0.0))
    assert told == 0 and within > 0.85
    noise, chance = (np.einsum("jmcc->", one) for one in of_shapes.foretold())
    assert stated == pytest.approx(np.sqrt(noise + chance), rel=0.25) and error < 1.3 * stated


@pytest.mark.slow
def test_two_cohorts_of_one_mean_and_two_spreads_are_not_told_apart(of_shapes):
    """The wider one is clipped more, which looked like another mean."""
    pairs = zip(*(lying(1.0, spread, seed)[0] for spread, seed in ((1.0, 0), (1.4, 50))), strict=True)
    models = [
        [released(of_shapes, rows, 10 * seed + k)[0] for k, rows in enumerate(pair)] for seed, pair in enumerate(pairs)
    ]
    assert sum(released_model.compare_means(*pair).exceeds.any() for pair in models) <= 1


@pytest.mark.slow
def test_two_models_of_people_who_lie_off_alike_are_not_told_apart(of_shapes):
    """What the clip leaves unsure of each mean is many times the noise on an axis; by noise alone p were below .001."""
    p_values = []
    for seed in range(4):
        pair = [released(of_shapes, people(N, 500 + k, 1.5), 900 + k)[0] for k in (2 * seed, 2 * seed + 1)]
        p_values.append(compared.compare_models(pair).p_value)
    assert min(p_values) > 0.05


def test_what_the_clip_leaves_unsure_of_the_mean_is_no_noise_on_an_effect():
    """People lie off: by lengths of noise on the mean, the effect's variance over draws were 240 times overstated.

    It is twice what it is: noise on the covariate's moment moves the mean as it was clipped, not as it is released.
    """
    sex = Covariate("sex", -1.0, 1.0, ("f", "m"))
    made = ShapeModel.from_ball(Ball(N, as_complex(SHAPES.p0), 0.3, 0, as_complex(PUBLIC)), 1.0, (sex,))
    coded = np.where(np.arange(N) % 2, 1.0, -1.0)[:, None]
    sums, drawn, stated = made.sums(Rows.of(people(N, 500, 1.5), coded)), [], []
    for seed in range(40):
        fields = made.fields(*made.estimated(made.noised(sums, SeededNoise(seed))))
        model = released_model.Released.from_fields(fields | {"radii": None, "scale": 1.0}, [sex])
        drawn.append(model.coordinates[1])
        stated.append(anova.noise_of_effect(model, 1, is_null=True))
    assert np.all(model.coordinate_noise > model.coordinate_unit)
    assert 1.2 < np.sum(np.mean(stated, axis=0)) / np.sum(np.var(drawn, axis=0)) < 3


@pytest.mark.slow
def test_a_model_of_faces_that_lie_off_puts_the_clip_back(of_faces):
    """Everybody moved by twice a person's distance along one person's way."""
    crowd = faces.draw(N + 1, 50)
    far = crowd[:N] + 1.5 * (crowd[N] - faces.center())
    model, told = released(of_faces, far, 1)
    u = of_faces.shaped.encode(far).mean(axis=0) * of_faces.shaped.back
    axes = of_faces.shaped.axes.astype(float)
    truth = np.tensordot(axes, far.mean(axis=0) - of_faces.center, axes=3) / (far.shape[1] * far.shape[3])
    seen = np.tensordot(axes, model.mean - of_faces.center, axes=3) / (far.shape[1] * far.shape[3])
    assert told["unlike"] is True and told["undone"] > 1
    assert np.linalg.norm(seen - truth) < 0.6 * np.linalg.norm(u - truth)


@pytest.mark.slow
def test_faces_like_the_public_ones_are_not_told_to_differ(of_faces):
    told = [released(of_faces, faces.draw(N, 600 + seed), seed)[1]["unlike"] for seed in range(4)]
    assert told == 4 * [False]


def test_the_mean_in_the_plane_is_that_of_the_release(of_shapes):
    model, _ = released(of_shapes, people(N, 9), 1)
    assert as_landmarks(model.mean).shape == BASE.shape and model.mean.shape == (1, 2, len(BASE))


@pytest.mark.slow
def test_the_modes_of_people_farther_off_err_by_what_the_clip_takes(of_shapes):
    """People lie one and a half times as far as the public ones; noise and chance do not explain what is lost."""
    made, found = of_shapes, []
    coordinates = SHAPES.deviations(people(20_000, 299, 0.0, 1.5)).reshape(20_000, -1)
    covariance = np.cov(coordinates.T)
    for seed, rows in enumerate(lying(0.0, 1.5)[0]):
        (*_, answer) = ask(made, Rows.of(rows, np.zeros((len(rows), 0))), SeededNoise(seed))
        fitted, modes = made.estimated(answer)
        fields = made.fields(fitted, modes)
        shown = slice(int(fields["shown"]))
        along = as_landmarks(fields["modes"][shown]).reshape(-1, len(covariance)).astype(float)
        true = np.sqrt(np.einsum("mi,ij,mj->m", along, covariance, along))
        off, sd = fields["sd"][shown] - true, fields["sd"][shown]
        without_clip = np.hypot(modes.sd_noise[: len(sd)], sd / np.sqrt(2 * N))
        found += list(zip(off, fields["sd_noise"][shown], without_clip, strict=True))
    off, stated, without_clip = np.array(found).T
    inside = released_model.NORMAL_95
    assert np.mean(np.abs(off) <= inside * stated) > 0.9
    assert np.mean(np.abs(off) <= inside * without_clip) < 0.5


def test_an_effect_on_people_who_lie_farther_apart_is_put_back():
    """They lie one and a half times as far as the public ones; the clip takes a tenth of how the sexes differ."""
    sex, rng = Covariate("sex", -1.0, 1.0, ("f", "m")), np.random.default_rng(8)
    made = FaceModel.from_variation(faces.variation(count=120), N, 3.0, (sex,))
    effect = 0.7 * np.sqrt(faces.VARIANCES[0]) * faces.directions()[0]
    back, axes = made.shaped.back, made.shaped.axes.astype(float)
    truth = np.tensordot(axes, effect, axes=3) / (effect.shape[0] * effect.shape[2])
    clipped, whole, squares = [], [], []
    for seed in range(32):
        coded = rng.choice([-1.0, 1.0], (N, 1))
        crowd = faces.center() + 1.5 * (faces.draw(N, 60 + seed) - faces.center()) + coded[:, :, None, None] * effect
        fitted, _ = made.estimated(made.noised(made.sums(Rows.of(crowd, coded)), SeededNoise(seed)))
        clipped.append(back * fitted.drawn[1] @ truth / (truth @ truth))
        whole.append(back * fitted.coefficients[1] @ truth / (truth @ truth))
        off = back * fitted.coefficients[1] - truth
        moves = np.concatenate([find_chance_kept(fitted), fitted.by_second])[:, 1]
        squares.append((off @ off, back**2 @ (np.sum(moves**2, axis=0) + fitted.left[1, 1])))
    error, stated = np.sqrt(np.mean(squares, axis=0))
    # squares vary more than lengths
    assert np.mean(clipped[:8]) < 0.92
    assert abs(np.mean(whole[:8]) - 1) < 0.03
    assert 0.8 < stated / error < 1.25
