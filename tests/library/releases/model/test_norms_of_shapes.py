"""Norms of distances in models of landmark shapes: what clip, few public people and size do to people's spread."""

from dataclasses import replace

import numpy as np
import pytest

from shapedp.privacy import noise
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.shapes.base import Ball, as_complex
from shapedp.privacy.statistic import Rows
from shapedp.releases.model import at_landmarks, norms
from shapedp.releases.model.covariates import SIZE, Covariate
from shapedp.releases.model.released_model import Released
from shapedp.releases.model.shapes import ShapeModel

LANDMARKS, RANGE = 8, 0.6
ENDS_OF = {f"d{at}": (str(at + 1), str(at + 5)) for at in range(4)}
ENDS = np.array([[int(end) - 1 for end in ends] for ends in ENDS_OF.values()])
TURNS = np.exp(2j * np.pi * np.arange(LANDMARKS) / LANDMARKS)


def draw_people(count, seed, allometry=0.25):
    """(landmarks (n, k, 2), log sizes): shapes that vary in all ways a little, and grow longer with size."""
    rng = np.random.default_rng([41, seed])
    log_sizes = np.clip(0.2 * rng.standard_normal(count), -RANGE, RANGE)
    points = TURNS + 0.03 * (rng.standard_normal((count, LANDMARKS)) + 1j * rng.standard_normal((count, LANDMARKS)))
    points = points + allometry * log_sizes[:, None] * TURNS.conj()
    points = points - points.mean(axis=1, keepdims=True)
    points = points / np.linalg.norm(points, axis=1, keepdims=True) * np.exp(log_sizes)[:, None]
    return np.stack([points.real, points.imag], axis=-1), log_sizes


def measured(landmarks):
    """(n, q) distances of unit shapes."""
    about = landmarks / np.linalg.norm(landmarks, axis=(1, 2), keepdims=True)
    return np.linalg.norm(about[:, ENDS[:, 0]] - about[:, ENDS[:, 1]], axis=2)


def made_of(public, n, mu, name=SIZE):
    ball = Ball(n, as_complex(landmark_shapes.find_frechet_mean(public)), 0.6, 0, public)
    return ShapeModel.from_ball(ball, mu, (Covariate(name, -RANGE, RANGE),))


def release(made, people, seed):
    """(model, AtLandmarks)."""
    landmarks, log_sizes = people
    coded = log_sizes[:, None] / RANGE
    sums = made.sums(Rows(len(coded), lambda start, stop: landmarks[start:stop], coded)).values
    fields = made.fields(*made.draw(sums, noise.SeededNoise(seed)))
    model = Released.from_fields({**fields, "radii": None, "scale": 1.0}, made.covariates)
    return model, known_by(made, model, fields)


def known_by(made, model, fields):
    ways = made.shaped.back[:, None] * made.shaped.coordinates.axes
    return at_landmarks.from_axes(model, ENDS_OF, ways, made.variances, fields)


def at_middle(model, known):
    return norms.from_model(model, known.measures, np.array([1.0, 0.0]), known)


def spread_at_a_size(people):
    """(q,) standard deviations about the line in log size."""
    values, line = measured(people[0]), np.column_stack([np.ones(len(people[1])), people[1]])
    return (values - line @ np.linalg.lstsq(line, values, rcond=None)[0]).std(axis=0)


def test_what_the_clip_took_of_peoples_spread_is_put_back():
    """With hardly any noise, so that nothing but the clip stands between the norm and people."""
    people = draw_people(1500, 1, allometry=0.0)
    made = made_of(draw_people(1200, 2, allometry=0.0)[0], 1500, 30.0, "height")
    model, known = release(made, people, 0)
    sd = spread_at_a_size(people)
    assert known.kept_by_clip < 0.98
    np.testing.assert_allclose(at_middle(model, known).sd, sd, rtol=0.03)
    assert np.all(at_middle(model, replace(known, kept_by_clip=1.0)).sd < 0.99 * at_middle(model, known).sd)


def test_people_of_one_size_spread_as_public_people_of_one_size_where_noise_hides_them():
    """Size accounts for most that two of the distances vary by, and noise for many times what is left."""
    people = draw_people(60, 3)
    made = made_of(draw_people(60, 4)[0], 60, 1.0)
    stated, without = [], []
    for seed in range(12):
        model, known = release(made, people, seed)
        stated.append(at_middle(model, known).sd)
        without.append(at_middle(model, replace(known, public_at_size=None)).sd)
    sd = spread_at_a_size(draw_people(3000, 5))
    ratios, ratios_without = np.mean(stated, axis=0) / sd, np.mean(without, axis=0) / sd
    assert np.all(np.abs(np.log(ratios)) < 0.3)
    assert np.all(ratios_without[[0, 2]] > 1.6)


def test_public_people_s_spread_is_theirs_along_all_axes_and_at_a_size_that_about_a_line_in_log_size():
    """Released axes or not, and what moves together along both; a file from before that has landmarks' variances."""
    public = draw_people(400, 6)
    made = made_of(public[0], 60, 1.0)
    model, known = release(made, draw_people(60, 7), 0)
    left = landmark_shapes.LandmarkShapes(landmark_shapes.find_frechet_mean(public[0])).deviations(public[0])
    line = np.column_stack([np.ones(400), public[1]])
    about = left - line @ np.linalg.lstsq(line, left, rcond=None)[0]
    assert len(known.axes) < len(made.shaped.variation.axes)
    for told, part, degrees in ((known.public, left - left.mean(axis=0), 399), (known.public_at_size, about, 398)):
        expected = part.T @ part / degrees
        np.testing.assert_allclose(told.reshape(expected.shape), expected, atol=2e-3 * expected.max())
    assert np.einsum("kaka->", known.public_at_size) < 0.5 * np.einsum("kaka->", known.public)
    older = known_by(made, model, {})
    blocks = [np.einsum("kakb->k", one) for one in (known.public, older.public)]
    np.testing.assert_allclose(*blocks, rtol=0.1)
    assert np.abs(older.public - known.public).max() > 0.05 * known.public.max()


def test_the_error_of_a_spread_is_what_few_public_people_of_one_size_make_it():
    """Over people and public people drawn anew, where noise hides the first: what is stated is the error there is."""
    sd, errors = spread_at_a_size(draw_people(3000, 5)), []
    for seed in range(20, 50):
        model, known = release(made_of(draw_people(40, seed)[0], 60, 1.0), draw_people(60, 100 + seed), seed)
        told = at_middle(model, known)
        errors.append((told.sd - sd) / told.sd_error)
    assert 0.7 < np.sqrt(np.mean(np.square(errors))) < 1.35


@pytest.mark.parametrize("change", ["no size as covariate", "shapes of one size", "few with a size"])
def test_without_sizes_nothing_is_said_of_people_of_one_size(change):
    public = draw_people(60, 8)[0]
    if change == "shapes of one size":
        public = public / np.linalg.norm(public, axis=(1, 2), keepdims=True)
    if change == "few with a size":
        public = public[:9]
    made = made_of(public, 60, 1.0, "height" if change == "no size as covariate" else SIZE)
    assert release(made, draw_people(60, 9), 0)[1].public_at_size is None


def test_few_public_people_are_believed_less():
    people, public = draw_people(150, 10, allometry=0.0), draw_people(60, 11, allometry=0.0)[0]
    model, known = release(made_of(public, 150, 1.0, "height"), people, 0)
    assert known.public_people == 60
    few, many = (at_middle(model, replace(known, public_people=count)) for count in (6, 0))
    assert np.all(few.sd_error > 1.1 * many.sd_error)


def test_how_wide_people_lie_does_not_follow_from_the_noised_moment_of_covariates():
    """That is nearly all noise here, and what is said of the width errs as it says, over people drawn anew, too."""
    public, everybody = draw_people(400, 13)[0], draw_people(3000, 12)[0]
    made, errors = made_of(public, 60, 1.0), []
    leading = made.moments.leading
    deviations = made.shaped.coordinates.shapes.deviations(everybody) @ made.shaped.coordinates.axes[:leading].T
    for seed in range(40):
        model, known = release(made, draw_people(60, 300 + seed), seed)
        told = norms.AlongAxes(model, known, np.array([1.0, 0.0]))
        errors.append((told.width - deviations.var(axis=0).sum() / np.trace(known.public_leading)) / told.width_error)
    assert 0.5 < np.sqrt(np.mean(np.square(errors))) < 1.3


def test_the_clip_is_judged_by_everybody_with_what_covariates_explain():
    """Hardly any noise; size accounts for most, which the clip takes from like all else."""
    people, public = draw_people(1500, 18), draw_people(1200, 19)[0]
    made = made_of(public, 1500, 30.0)
    known, leading = release(made, people, 0)[1], made.moments.leading
    coordinates = made.shaped.coordinates
    lengths = (coordinates.shapes.deviations(people[0]) @ coordinates.axes.T)[:, :leading].var(axis=0).sum()
    clipped = (made.shaped.encode(people[0]) * made.shaped.back)[:, :leading].var(axis=0).sum()
    assert clipped / lengths < 0.97
    assert known.kept_by_clip == pytest.approx(clipped / lengths, abs=0.02)


def test_a_clip_shows_the_share_of_how_much_wider_people_lie_that_the_unclipped_have():
    """By public people who lie a hundredth wider."""
    made = made_of(draw_people(400, 20)[0], 60, 1.0)
    known, plan, leading = release(made, draw_people(60, 21), 0)[1], made.shaped.plan, made.moments.leading
    people = made.shaped.variation.deviations[:, plan.axes]
    seen = [
        np.sum((made.shaped.clip(times * people / plan.scales, plan.tau) * plan.scales)[:, :leading] ** 2)
        for times in (1.0, np.sqrt(1.01))
    ]
    shown = (seen[1] - seen[0]) / (0.01 * np.sum(people[:, :leading] ** 2))
    assert known.unclipped_share < 0.95
    assert known.unclipped_share == pytest.approx(shown, abs=0.03)


def test_a_clip_that_shows_little_leaves_how_wide_people_lie_to_public_ones():
    model, known = release(made_of(draw_people(60, 22)[0], 60, 1.0), draw_people(60, 23), 0)
    middle = np.array([1.0, 0.0])
    little, all_of_it = (norms.AlongAxes(model, replace(known, unclipped_share=one), middle) for one in (0.1, 1.0))
    assert abs(little.width - 1) < 0.5 * abs(all_of_it.width - 1)
    assert little.width_error > 1.1 * all_of_it.width_error


def test_means_at_a_level_err_less_by_public_people_and_as_they_say():
    """Over people, public people and noise drawn anew; from a file without these, the means are as they were drawn."""
    everybody, errors = draw_people(4000, 24), []
    values, line = measured(everybody[0]), np.column_stack([np.ones(4000), everybody[1] / RANGE])
    place = np.array([1.0, 0.4])
    true = place @ np.linalg.lstsq(line, values, rcond=None)[0]
    for seed in range(30):
        made, people = made_of(draw_people(80, 400 + seed)[0], 80, 1.0), draw_people(80, 500 + seed)
        model, known = release(made, people, seed)
        told = norms.from_model(model, known.measures, place, known)
        drawn = norms.from_model(model, known.measures, place, replace(known, effects=None))
        errors.append([told.mean - true, told.mean_error, drawn.mean - true])
    found, stated, drawn = np.sqrt(np.mean(np.square(errors), axis=(0, 2)))
    assert found < 0.6 * drawn
    assert 0.75 < stated / found < 1.5
    older = known_by(made, model, {})
    assert older.effects is None
    assert known.errors[0, 0].sum() < 0.8 * older.errors[0, 0].sum()


def test_public_people_say_what_a_mean_misses_along_axes_that_are_not_released():
    """Of people like them by both chances; of others, who lie off as far as is seen along the released axes."""
    people, log_sizes = draw_people(60, 28)
    made = made_of(draw_people(400, 27)[0], 60, 1.0)
    like = release(made, (people, log_sizes), 0)[1]
    unlike = release(made, (people * [1.5, 0.7], log_sizes), 0)[1]
    chance = (1 / 60 + 1 / 400) * like.outside
    assert np.einsum("kaka->", chance) > 0
    np.testing.assert_allclose(like.missing, chance, rtol=0.5)
    assert np.einsum("kaka->", unlike.missing) > 3 * np.einsum("kaka->", chance)


def test_a_standard_deviation_is_lifted_by_what_its_root_falls_short_on_average(monkeypatch):
    """As of gamma variables, the squares of standard deviations by few people; not of faces, which state none of it."""
    model, known = release(made_of(draw_people(60, 25)[0], 60, 1.0), draw_people(60, 26), 0)
    estimator, gradients = norms.AlongAxes(model, known, model.average), known.measures.in_landmarks(model.mean)
    monkeypatch.setattr(estimator, "_tell", lambda rows: (np.full(len(rows), 3.0), None, np.full(len(rows), 0.9)))
    drawn = 3.0 * np.random.default_rng(0).gamma(10.0, 0.1, 400_000)
    assert estimator.find_lift(gradients)[0] * np.sqrt(drawn).mean() == pytest.approx(np.sqrt(3.0), rel=2e-3)
    estimator.known = replace(known, public_people=0)
    np.testing.assert_array_equal(estimator.find_lift(gradients), 1.0)


def test_the_error_of_a_spread_at_a_level_counts_the_noise_on_the_moment_of_covariates(monkeypatch):
    """As a simulation of b' N b has it, N symmetric, and without noise where it counts people.

    Nothing lies beside the leading axes, where public people alone tell.
    """
    model, known = release(made_of(draw_people(60, 14)[0], 60, 1.0), draw_people(60, 15), 0)
    leading = known.axes[: len(known.public_leading)]
    along = np.einsum("ska,st,tlb->kalb", leading, known.public_leading, leading)
    known = replace(known, public=along, public_at_size=along)
    monkeypatch.setattr(norms, "LEAST", 0.0)
    gradients = known.measures.in_landmarks(model.mean)
    errors = []
    for noise_of_second in (0.0, model.moment_noise[1]):
        noised = replace(model, moment_noise=np.array([model.moment_noise[0], noise_of_second, model.moment_noise[2]]))
        told = norms.AlongAxes(noised, known, np.array([1.0, 0.0]))
        told.differ = 1e6  # public people say nothing
        errors.append(told.people(gradients)[1] ** 2)
    slopes = np.einsum("rlc,zlc->rz", gradients, told.effects)
    drawn = np.random.default_rng(0).standard_normal((200_000, 2)) * [np.sqrt(0.5), 1.0]
    moved = 2 * drawn[:, :1] * slopes[:, 0] * slopes[:, 1] + drawn[:, 1:] * slopes[:, 1] ** 2
    of_second = moved.var(axis=0) * (model.moment_noise[1] / model.people / known.kept_by_clip) ** 2
    np.testing.assert_allclose(errors[1] - errors[0], of_second, rtol=0.03)


def test_how_everybody_spreads_is_read_off_without_effects():
    """Noise on the covariates' moment moves these, and what is said of everybody not."""
    model, known = release(made_of(draw_people(60, 16)[0], 60, 1.0), draw_people(60, 17), 0)
    gradients = known.measures.in_landmarks(model.mean)
    moved = np.array([-model.average[1], 1.0])[:, None, None, None] * model.effects[1]
    doubled = replace(model, effects=model.effects + moved)
    told, again = (norms.AlongAxes(one, known, model.average, True).people(gradients)[0] for one in (model, doubled))
    np.testing.assert_allclose(again, told, rtol=1e-12)
