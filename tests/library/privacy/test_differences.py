"""The stages of a mean difference: means about what was told before, and how far people lie about theirs."""

import numpy as np
import pytest

from library.releases import dome_faces as dome
from shapedp.privacy import integer_sums, worth
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.differences import SPREAD_SHARE, TOLD_DOUBT, ShapedWithSpread, variance_about_mean
from shapedp.privacy.learned import clips, face_learning
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.statistic import Rows, ask


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
    return ShapedWithSpread.from_settings(
        CurveSettings(dome.template().shape, 100, variation(), dome.template(), {"mu_total": 2.0}, {})
    )


def squares(made):
    """The stage that asks for the squares, where people are told to lie at half the bound, about none."""
    return made.stage((np.zeros(1), np.zeros(made.width)))


def sums(made, person):
    """The exact sum of one person (J, 3, m)."""
    return squares(made).sums(Rows.of(person[None])).values[0][0]


def test_all_stages_compose_to_mu(made):
    mean = "ShapedWithSpread"
    assert [type(stage).__name__ for stage in stages(made)] == [
        "SpreadQuestion",
        mean,
        "SpreadStatistic",
        "FarShares",
        mean,
        mean,
    ]
    assert made.mu == pytest.approx(2.0, rel=1e-9) and made.mu <= 2.0
    assert made.cost().mu == made.mu
    assert made.cost().rho <= 2.0**2 / 2 * (1 + 1e-6)
    assert made.spread_mu**2 / 4 == pytest.approx(SPREAD_SHARE)


def test_who_enters_a_group_moves_every_stage_by_half_of_what_its_noise_is_scaled_to(made):
    """A row is no longer than GRID, whatever a record holds, and who is no member counts 0: (2.7)."""
    rng = np.random.default_rng(2)
    people = dome.template() + 10 ** rng.uniform(-9, 3, (64, 1, 1, 1)) * rng.standard_normal(
        (64, *dome.template().shape)
    )
    people = np.concatenate([people, along_the_strongest(made)[None]])
    for stage in stages(made):
        moved = np.linalg.norm(stage.integers(people), axis=1).max()
        assert moved <= integer_sums.SENSITIVITY / 2 and moved == pytest.approx(integer_sums.SENSITIVITY / 2, rel=1e-4)


ANSWERS = {1: np.full(1, 0.3), 2: np.array([1.0, 0.0])}  # to those that ask for few numbers


def stages(made):
    answers, asked = (), []
    while (stage := made.stage(answers)) is not None:
        asked.append(stage)
        answers = (*answers, ANSWERS.get(stage.width, np.zeros(stage.width)))
    return asked


def test_each_stage_spends_what_it_is_said_to_spend(made):
    """Its noise beside what one person moves it by, squared and added up, is mu^2."""
    parts = [2 * stage.bound / stage.noise if hasattr(stage, "bound") else stage.cost().mu for stage in stages(made)]
    assert [stage.cost().mu for stage in stages(made)] == pytest.approx(parts)
    assert np.sqrt(np.sum(np.square(parts))) == pytest.approx(made.mu)
    assert np.square(parts) / made.mu**2 == pytest.approx(made.inputs({})["w"])


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
    moved = sums(made, along_the_strongest(made)) - sums(made, dome.template())
    assert moved <= integer_sums.SENSITIVITY
    assert moved > 0.999 * integer_sums.SENSITIVITY


def along_the_strongest(made):
    """A record far along the axis in which people differ most."""
    return dome.template() + 100 * made.axes[np.argmax(made.plan.moments)].astype(float)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e308])
def test_a_record_of_no_numbers_counts_as_any_other(made, value):
    person = np.full(dome.template().shape, value)
    assert abs(sums(made, person)) <= integer_sums.GRID


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_whose_row_is_no_face_counts_as_no_difference_wherever_people_are_clipped_about(made, value):
    nobody, lost = dome.template(), np.full(dome.template().shape, value)
    answers = (np.zeros(1), np.full(made.width, 1e-3 * integer_sums.GRID))
    answers = (*answers, np.full(1, 0.3), np.array([1.0, 0.0]))
    for told in (answers, (*answers, answers[1])):
        stage = made.stage(told)
        taken, of_nobody = (stage.integers(one[None]) for one in (lost, nobody))
        assert np.array_equal(taken, of_nobody) and np.any(of_nobody)


def spreads(made, rows, releases=400):
    """(releases, 2) of `spread` where the first stage's answer is the same."""
    first, source = made.stage(()).noised(made.stage(()).sums(rows), SeededNoise(1)), SeededNoise(2)
    return np.array([made.spread(ask(made, rows, source, (first,))) for _ in range(releases)])


@pytest.mark.parametrize("change", [pytest.param(0.0, marks=pytest.mark.thorough), 0.05])
def test_the_released_spread_is_near_that_of_people_about_their_mean_with_the_noise_that_is_stated(made, change):
    """With one first answer, so that the bound is the same. The spread of as many normal draws errs by 3.5 %."""
    first, second = dome.scanned_twice(100, 30, change=change)
    rows = dome.template() + second - first
    true = np.mean(np.sum(made.project_on_axes(rows - rows.mean(axis=0)) ** 2, axis=1))
    found, off = spreads(made, Rows.of(rows)).T
    assert np.mean(found) == pytest.approx(true, rel=0.25)
    assert np.mean(off) == pytest.approx(np.std(found), rel=4 / np.sqrt(2 * len(found)))


@pytest.mark.parametrize(("length", "most"), [(0.0, 1.2), (1.0, 1.05), (3.0, 1.03)])
def test_a_mean_s_square_is_taken_off_without_its_noise_and_lends_its_own(length, most):
    """E|x|^2 with noise .4, a mean of this length along five axes with noise .1 to .5: as drawn 20,000 times. Of a mean
    that noise hides no less is told than it adds, and hence up to a fifth more.
    """
    rng, errors = np.random.default_rng(3), np.arange(1, 6) / 10
    mean = length / np.sqrt(5) * np.ones(5)
    square = 100 + 0.4 * rng.standard_normal(20000)
    drawn = zip(square, mean + errors * rng.standard_normal((20000, 5)), strict=True)
    found, off = np.array([variance_about_mean(one, 0.4, at, errors) for one, at in drawn]).T
    assert np.mean(found) == pytest.approx(100 - length**2, abs=0.05)
    assert 0.97 < np.sqrt(np.mean(off**2)) / np.std(found) < most


def test_the_settings_say_how_mu_is_shared(made):
    assert sum(made.inputs({})["w"]) == pytest.approx(1.0)
    assert len(made.inputs({})["w"]) == 6


@pytest.mark.parametrize("change", [0.0, 0.05, 0.1])
def test_people_who_change_far_are_clipped_about_where_they_are_told_to_lie(made, change):
    """The farther everybody changes, the farther the first mean is clipped, and the last one as if nobody did."""
    rows = changed(change)
    exact = made.project_on_axes(rows - dome.template()).mean(axis=0)
    shown, answers, _ = made.simulate_without_noise(made.project_on_axes(rows - dome.template()))
    found, errors = shown.mean_along
    assert np.linalg.norm(found - exact) < 0.5 * np.linalg.norm(errors)
    last = made.with_bound_from(answers[:-1])
    lengths = last.lengths(rows)
    assert np.median(lengths) < 1.2
    nowhere, *_ = made.simulate_without_noise(made.project_on_axes(changed(0.0) - dome.template()))
    assert np.linalg.norm(errors) < 1.1 * np.linalg.norm(nowhere.errors_along)


def changed(change):
    first, second = dome.scanned_twice(100, 30, change=change)
    return dome.template() + second - first


@pytest.mark.parametrize("change", [0.0, 0.05])
def test_what_is_stated_is_what_the_mean_errs_by(made, change):
    rows = changed(change)
    exact, seeds = made.project_on_axes(rows - dome.template()).mean(axis=0), range(60)
    off, stated = [], []
    for seed in seeds:
        answers = ask(made, Rows.of(rows), SeededNoise(seed))
        found, errors = made.with_bound_from(answers[:-1]).decoder_for(answers[-1]).mean_along
        off.append(np.sum((found - exact) ** 2))
        stated.append(np.sum(errors**2))
    assert np.sqrt(np.mean(off) / np.mean(stated)) == pytest.approx(1, abs=0.15)


def test_without_noise_the_answers_are_those_that_are_foreseen(made):
    rows = changed(0.05)
    shown, foreseen, spread = made.simulate_without_noise(made.project_on_axes(rows - dome.template()))
    answers = ()
    while (stage := made.stage(answers)) is not None:
        exact = stage.sums(Rows.of(rows)).values[0] / integer_sums.GRID / len(rows)
        of_few = {1: (exact + 1) / 2, 2: exact}  # numbers a stage asks for
        answers = (*answers, of_few[stage.width] if stage.width in of_few else exact * stage.bound)
    assert spread == pytest.approx(made.spread(answers), rel=1e-2)
    for one, other in zip(answers, foreseen, strict=True):
        assert one == pytest.approx(other, abs=2e-5)
    assert shown.errors_along == pytest.approx(
        made.with_bound_from(answers[:-1]).decoder_for(answers[-1]).errors_along, rel=1e-3
    )


@pytest.mark.parametrize(("people", "verdict"), [(3, worth.NO_BETTER), (12, worth.OPEN)])
def test_a_difference_is_refused_where_noise_exceeds_what_people_differ_by(people, verdict):
    """Though the planner takes a mean to lie off by a third of that, whoever asks for one expects more."""
    asked = CurveSettings(dome.template().shape, people, variation(), dome.template(), {"mu_total": 1.0}, {})
    assert ShapedWithSpread.from_settings(asked).worth().verdict == verdict


def far_stage(made):
    """The stage that asks who lies far, after an early mean of none."""
    return made.stage((np.zeros(1), np.zeros(made.width), np.full(1, 0.3)))


def test_no_pair_of_people_moves_who_lies_far_by_more_than_the_sensitivity(made):
    """Hill climbing over how far two people lie, and records of no numbers; no row is longer than the grid."""
    stage, rng, best, most = far_stage(made), np.random.default_rng(4), (1.0, 1.0), 0.0
    axis = made.axes[0].astype(float)
    for _ in range(300):
        tried = np.array(best) * 10 ** rng.normal(0, 0.7, 2)
        rows = stage.integers(dome.template() + tried[:, None, None, None] * axis)
        moved = float(np.linalg.norm(rows[0] - rows[1]))
        if moved > most:
            best, most = tried, moved
    assert 0.999 * integer_sums.SENSITIVITY < most <= integer_sums.SENSITIVITY
    odd = [np.full(dome.template().shape, value) for value in (np.nan, np.inf, 1e308, 0.0)]
    rows = stage.integers(np.concatenate([odd, dome.scanned_twice(20, 1)[1]])).astype(object)
    assert max((rows**2).sum(axis=1)) <= integer_sums.GRID**2


def uneven(change, share):
    """People of whom a share changes by so much, and nobody else."""
    still, moved = changed(0.0), changed(change)
    return np.where((np.arange(100) < share * 100)[:, None, None, None], moved, still)


def test_the_bound_follows_few_who_change_much_and_what_may_be_missing_is_stated():
    """A fifth of 100 people changes, by several times what public people do: most of it is kept, and the rest stated.

    Where all do, nobody is told to lie far.
    """
    asked = CurveSettings(dome.template().shape, 100, variation(), dome.template(), {"mu_total": 3.0}, {})
    mechanism = ShapedWithSpread.from_settings(asked)
    rows = uneven(0.3, 0.2)
    exact = mechanism.project_on_axes(rows - dome.template()).mean(axis=0)
    off, stated, kept = [], [], []
    for seed in range(12):
        answers = ask(mechanism, Rows.of(rows), SeededNoise(seed))
        found = mechanism.with_bound_from(answers[:-1]).decoder_for(answers[-1])
        share, missing = found.describe_far_people()
        assert 0.1 < share < 0.35 and found.far_factor > 1.5 and missing < np.linalg.norm(exact)
        mean, errors = found.mean_along
        kept.append(mean @ exact / (exact @ exact))
        off.append(np.sum((mean - exact) ** 2))
        stated.append(np.sum(errors**2))
    assert np.mean(kept) > 0.8
    assert 0.6 < np.sqrt(np.mean(stated) / np.mean(off)) < 1.6
    even = ask(mechanism, Rows.of(changed(0.05)), SeededNoise(1))
    assert mechanism.with_bound_from(even[:-1]).decoder_for(even[-1]).describe_far_people() is None


def test_the_last_bound_follows_where_later_means_say_that_far_people_lie():
    """It is the bound that suits the mean that is known then; the one before was chosen by the first mean alone."""
    asked = CurveSettings(dome.template().shape, 100, variation(), dome.template(), {"mu_total": 1.0}, {})
    mechanism = ShapedWithSpread.from_settings(asked)
    answers = ask(mechanism, Rows.of(uneven(0.2, 0.2)), SeededNoise(3))
    before, last = (mechanism.with_bound_from(answers[:count]) for count in (-2, -1))
    reaches = last.clip_reach / last.far_factor * clips.GREATER
    one_sided, random = last.expected_loss(reaches)
    noise = last.plan.noise * (clips.GREATER / last.far_factor) ** 2
    assert last.far_factor == clips.GREATER[np.argmin(noise + one_sided + random)]
    assert 1 < last.far_factor != before.far_factor > 1


def test_of_far_people_who_are_told_more_is_stated_than_their_answers_together_say():
    """By TOLD_DOUBT of the square that the last clip is expected to take from one side; the mean stays."""

    class WithoutDoubt(ShapedWithSpread):
        """The same, which states what the answers together say."""

        states_doubt = False

    asked = CurveSettings(dome.template().shape, 100, variation(), dome.template(), {"mu_total": 3.0}, {})
    releases = []
    for law in (ShapedWithSpread, WithoutDoubt):
        mechanism = law.from_settings(asked)
        answers = ask(mechanism, Rows.of(uneven(0.3, 0.2)), SeededNoise(3))
        releases.append(mechanism.with_bound_from(answers[:-1]).decoder_for(answers[-1]))
    found, without = releases
    assert found.describe_far_people() is not None
    assert np.array_equal(found.mean_along[0], without.mean_along[0])
    one_sided, _ = found.expected_loss(found.clip_reach)
    more = np.sum(found.errors_along**2) - np.sum(without.errors_along**2)
    assert one_sided > 0 and more == pytest.approx(TOLD_DOUBT * one_sided, rel=1e-6)


def test_people_are_taken_to_lie_nearer_later_than_to_lie_farther(made):
    """What tells it is noise as often as not, and who is clipped too low is stated with too little error."""
    asked = made.with_bound_from((np.zeros(1), np.zeros(made.width)))
    plan, noise = asked.at_full_bound.plan, 1 / (asked.n * asked.spread_mu)
    people = clips.list_people_about_mean(asked.variation, plan)
    clipped = clips.clip_to_nearest(people, plan.tau, plan.weights)
    off = asked.earlier_means.center_errors
    as_public = (np.mean(clipped**2 @ plan.weights) + off @ off) / (plan.tau**2 * plan.weights.max())
    scales = [asked.with_spread_answer([as_public + sds * noise]).earlier_means.scale for sds in (-3, -1.5, 1.5)]
    assert scales[0] < 1 and scales[1] == 1 and scales[2] > 1
