"""A lower clip where nobody was seen far; what the clip takes of a mean is put back, and noise taken off."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from library.privacy.learned import people
from library.releases.test_curve_mechanisms import KERNEL
from shapedp.app.forecast import comparison
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves import learned
from shapedp.privacy.curves.base import CurveSettings, shrink_factor
from shapedp.privacy.differences import ShapedWithSpread
from shapedp.privacy.learned import clips, face_variation, likely_shares, noised_means
from shapedp.releases import curve_mechanisms

N, MU = 150, 0.8


def mechanism():
    made = at(MU)
    assert made.first > 0
    return made


def at(mu):
    variation = people.variation()
    return curve_mechanisms.make(
        "shaped", variation.center.shape, N, variation, variation.center, {"mu_total": mu}, KERNEL
    )


def settled(made, scale=1.0):
    """Told by the first stage that people lie so many times as far as public ones, and 1 where it is in doubt."""
    lengths = np.linalg.norm(face_variation.to_units(made.variation, made.plan), axis=1) / made.plan.tau
    return made.with_bound_from((clips.score_lengths(scale * lengths).mean(keepdims=True),))


def settled_for(made, crowd):
    """Told what a crowd's own lengths say, without noise."""
    return made.with_bound_from((clips.score_lengths(made.lengths(crowd)).mean(keepdims=True),))


def around(chosen, variation):
    """(2 p, k) public people about their mean, and mirrored."""
    v = face_variation.to_units(variation, chosen)
    return np.concatenate([v - v.mean(axis=0), v.mean(axis=0) - v])


def test_the_bound_follows_how_far_people_lie_and_is_lowered_where_that_is_not_far():
    made = mechanism()
    low, far = settled(made), settled(made, 3.0)
    there = face_variation.measure_by_power(made.variation, made.plan, 0.3)
    lowered = clips.find_lowest_factor(made.variation, there, N)
    assert low.plan.power == pytest.approx(0.3) and lowered < 1
    assert low.plan.tau == pytest.approx(lowered * there.tau) and low.bound_scale == 1
    assert far.bound_scale > clips.NEAR and far.plan.power == face_variation.QUARTER
    assert far.plan.tau == pytest.approx(far.bound_scale * clips.FAR_ENOUGH * made.plan.tau)
    assert far.at_full_bound.plan.tau == pytest.approx(far.plan.tau) and low.at_full_bound.plan.tau == made.plan.tau
    assert low.noise_size() == pytest.approx(lowered * np.sqrt(there.noise)) and low.noise_size() < made.noise_size()
    assert (low.n, low.bound, low.noise) == (made.n, made.bound, made.noise)  # what the guarantee follows from
    loose = replace(made.plan.widened(1.5), loose=1.5)
    assert clips.replan(made.variation, loose, N, 2.0).tau == pytest.approx(2 * loose.tau)
    narrow = settled(made, 0.6)
    assert narrow.bound_scale < 0.95 and narrow.plan.tau == pytest.approx(narrow.bound_scale * low.plan.tau)


@pytest.mark.parametrize(
    ("scale", "power", "share"), [(0.8, 0.3, 1.0), (1.0, 0.3, 1.0), (1.25, 0.275, 0.5), (1.5, 0.25, 0.0)]
)
def test_the_farther_people_lie_the_less_else_is_changed(scale, power, share):
    made = mechanism()
    found = clips.replan(made.variation, made.plan, N, scale)
    u = made.variation.held_out[:, made.plan.axes].astype(float) / made.plan.moments**power
    bound = np.quantile(np.linalg.norm(u, axis=1), made.variation.quantile, method="higher")
    lowered = clips.find_lowest_factor(made.variation, found.widened(bound / found.tau), N)
    times = scale * (share * lowered + (1 - share) * clips.FAR_ENOUGH)
    assert found.power == pytest.approx(power) and found.tau == pytest.approx(times * bound)
    unit = (made.noise * found.tau / (N * made.bound)) ** 2
    assert found.noise == pytest.approx(unit * np.sum(found.filters**2 * made.plan.moments ** (2 * power)))


@pytest.mark.parametrize("scale", [0.7, 0.9, 1.0, 1.3, 4.0])
def test_public_people_so_many_times_as_far_are_told_to_lie_so_far(scale):
    """About the reference, and about a mean that is known; in doubt, as near to 1 as the doubt allows."""
    made = mechanism()
    variation, chosen = made.variation, made.plan
    u = face_variation.to_units(variation, chosen)
    answer = clips.score_lengths(scale * np.linalg.norm(u, axis=1) / chosen.tau).mean()
    lengths = face_variation.public_lengths(variation, chosen) / chosen.tau
    exact, vague, blind = (
        clips.SpreadAnswer(answer, sd, chosen).scale_from_lengths(lengths) for sd in (0.0, 0.01, 1.0)
    )
    assert exact == pytest.approx(scale, rel=2e-3)
    assert blind == 1 and abs(np.log(vague)) <= abs(np.log(exact)) and (scale == 1 or vague != exact)
    mean, v = u.mean(axis=0) + 2 * u.std(axis=0), around(chosen, variation)
    answer = clips.score_lengths(np.linalg.norm(mean + scale * v, axis=1) / chosen.tau).mean()
    given = [chosen.scales * one for one in (mean, np.zeros_like(mean), v)]
    assert clips.SpreadAnswer(answer, 0.0, chosen).scale_about_mean(*given) == pytest.approx(scale, rel=5e-3)


def test_what_a_mean_errs_by_is_not_told_to_be_spread():
    """Public people about a mean far off that is seen with noise: its noise alone would make them 1.3 times as wide."""
    made = mechanism()
    variation, chosen = made.variation, made.plan
    v, rng = around(chosen, variation), np.random.default_rng(5)
    mean, errors = 6 * v.std(axis=0), 0.8 * v.std(axis=0)
    answer = clips.score_lengths(np.linalg.norm(mean + v, axis=1) / chosen.tau).mean()
    told, none = clips.SpreadAnswer(answer, 0.01, chosen), np.zeros_like(errors)
    seen = [mean + errors * rng.standard_normal(len(mean)) for _ in range(60)]
    found, blind = (
        [told.scale_about_mean(*(chosen.scales * part for part in (one, doubt, v))) for one in seen]
        for doubt in (errors, none)
    )
    assert np.mean(np.abs(np.log(found))) < 0.5 * np.mean(np.abs(np.log(blind)))


def test_the_reach_of_a_mean_in_doubt_changes_as_its_slope_says():
    lengths = np.array([0.3, 0.7, 0.99, 1.5, 9.0, 20.0])
    step = 1e-6
    found = (clips.score_lengths(lengths + step) - clips.score_lengths(lengths - step)) / (2 * step)
    assert_allclose(clips._score_slopes(lengths), found, rtol=1e-6, atol=1e-9)


def test_the_same_power_is_the_same_bound():
    chosen = mechanism().plan
    again = face_variation.measure_by_power(people.variation(), chosen, face_variation.QUARTER)
    assert again.tau == pytest.approx(chosen.tau) and again.noise == pytest.approx(chosen.noise)


def test_clipped_people_are_the_nearest_within_the_bound():
    rng = np.random.default_rng(1)
    weights = np.geomspace(1, 1e-3, 7)
    u = rng.standard_normal((50, 7)) * np.geomspace(0.2, 200, 50)[:, None]
    g = clips.clip_to_nearest(u, 1.0, weights)
    inside = np.linalg.norm(u, axis=1) <= 1
    assert 0 < inside.sum() < 50 and np.allclose(g[inside], u[inside], rtol=1e-12)
    assert np.linalg.norm(g, axis=1).max() <= 1 + 1e-12
    distance = lambda to: np.sum(weights * (u - to) ** 2, axis=1)  # noqa: E731
    others = rng.standard_normal((2000, 7))
    others /= np.maximum(1, np.linalg.norm(others, axis=1, keepdims=True))
    found = distance(g)
    assert all((found <= distance(one) + 1e-9).all() for one in others)
    shortened = distance(u * shrink_factor(np.linalg.norm(u, axis=1), 1.0)[:, None])
    assert (found[~inside] < shortened[~inside]).all()
    beside = g + 1e-3 * rng.standard_normal(g.shape)
    beside /= np.maximum(1, np.linalg.norm(beside, axis=1, keepdims=True))
    assert (found <= distance(beside) + 1e-9).all()


@pytest.mark.parametrize("far", [0.0, 1e-300, 1.0, 1e7, 1e150, 1e200, 1e308, np.inf, np.nan])
def test_whatever_a_record_holds_it_is_no_longer_than_the_grid_says(far):
    """That the whole rows are no longer than GRID proves the sensitivity; one record says nothing of another's row."""
    made = settled(mechanism())
    crowd = people.draw(6, 3)
    alone = made.integers(crowd)
    wild = crowd.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        wild[2] = made.center + far * np.random.default_rng(4).standard_normal(made.center.shape)
        wild[4, 1, 2, 3] = far
    rows = made.integers(wild)
    assert (sum(rows.astype(object).T ** 2) <= integer_sums.GRID**2).all()
    assert np.array_equal(rows[[0, 1, 3, 5]], alone[[0, 1, 3, 5]])


def test_what_the_clip_took_of_a_mean_that_lies_far_is_put_back():
    """Expected means of clipped people about a shifted mean, all but without noise: nearer to it afterwards."""
    low = settled(mechanism())
    chosen, weights = low.plan, low.plan.weights
    v = around(chosen, low.variation)
    m = np.zeros(len(chosen.axes))
    m[0] = 1.5 * np.sqrt(np.mean(v[:, 0] ** 2))
    clipped = clips.clip_to_nearest(m + v, chosen.tau, weights).mean(axis=0)
    assert clipped[0] < 0.97 * m[0]
    for shrinks in (True, False):
        found = noised_means.restore_mean(low.variation, chosen, N, clipped, 1e-6, shrinks)
        back = found.factors * clipped + found.moved
        assert np.linalg.norm(back - m) < 0.25 * np.linalg.norm(clipped - m)
        assert found.undone > 1.02


def test_noise_is_taken_off_and_what_is_seen_is_kept():
    low = settled(mechanism())
    variation, chosen = low.variation, replace(low.plan, tau=1e3)  # so wide that nobody is clipped
    sd = 3 * np.sqrt(variation.variances[chosen.axes].min() / np.sqrt(chosen.moments[-1]))
    m = np.zeros(len(chosen.axes))
    drawn = m + sd * np.random.default_rng(2).standard_normal((40, len(m)))
    found = [noised_means.restore_mean(variation, chosen, N, u, sd) for u in drawn]
    off = [one.factors * u + one.moved - m for one, u in zip(found, drawn, strict=True)]
    assert np.mean(np.square(off)) < 0.4 * sd**2
    m[0] = 30 * sd
    far = noised_means.restore_mean(variation, chosen, N, m, sd)
    assert far.shares[0] > 0.99 and abs(far.factors[0] * m[0] + far.moved[0] - m[0]) < 0.1 * sd
    plain = noised_means.restore_mean(variation, chosen, N, m, sd, shrinks=False)
    assert np.allclose(plain.factors * m + plain.moved, m, atol=1e-9 * m[0]) and np.allclose(plain.errors, sd)


def test_what_is_kept_is_the_mean_over_all_that_is_likely(monkeypatch):
    """Each share of parts alike, size of theirs and of each own, and of each axis, by scipy's normal density."""
    monkeypatch.setattr(likely_shares, "OFTEN", np.array([0.2, 0.7]))
    far, uneven, unevenly = np.array([0.5, 2.0, 30.0]), np.array([0.2, 4.0]), np.array([0.3, 0.7])
    seen, spread, by_noise = np.array([0.4, -2.0, 1.5, 9.0]), np.linspace(1, 2, 4), np.linspace(0.5, 3, 4)
    sizes, likely, weights, shares = [1, 1, 2], far[:, None, None] * uneven[:, None] * spread, [], []
    for often, common, *own in product(likely_shares.OFTEN, *4 * [far]):
        for *along, first, second, third in product(*4 * [range(2)], *3 * [[True, False]]):
            as_all = np.array([first, second, third])
            t = spread * uneven[along] * np.repeat(np.where(as_all, common, own), sizes)
            density = np.prod(norm.pdf(seen, scale=np.sqrt(t + by_noise)) * unevenly[along])
            weights.append(density * np.prod(np.where(as_all, often, 1 - often)))
            shares.append(t / (t + by_noise))
    kept, doubt = likely_shares.find_likely_shares(seen, likely, by_noise, [sizes], unevenly)
    expected = np.average(shares, axis=0, weights=weights)
    assert_allclose(kept, expected, rtol=1e-10)
    assert_allclose(doubt, np.average((shares - expected) ** 2, axis=0, weights=weights), rtol=1e-8)


def test_what_is_stated_is_what_is_kept_and_the_doubt_of_it():
    kept, doubt, seen = np.array([0.2, 0.9, 0.5]), np.array([0.04, 0.01, 0.0]), np.array([2.0, 3.0, 9.0])
    assert_allclose(likely_shares.find_error_shares(kept, doubt, seen, 0.5), [0.46, 1.0, 0.5], rtol=1e-12)
    assert_allclose(likely_shares.find_error_shares(kept, doubt, seen), [0.36, 0.99, 0.5], rtol=1e-12)


def test_axes_of_one_kind_say_nothing_of_those_of_the_other():
    rng = np.random.default_rng(3)
    seen, spread, by_noise = rng.normal(0, 3, 9), rng.uniform(1, 2, 9), rng.uniform(1, 2, 9)
    likely = np.array([0.2, 3.0, 50.0])[:, None, None] * spread
    both = likely_shares.find_likely_shares(seen, likely, by_noise, [[1, 1, 2], [2, 3]])
    for axes, sizes in ((slice(4), [1, 1, 2]), (slice(4, 9), [2, 3])):
        alone = likely_shares.find_likely_shares(seen[axes], likely[..., axes], by_noise[axes], [sizes])
        assert_allclose([one[axes] for one in both], alone, rtol=1e-12)


def errors(made, crowds, releases=6):
    """(rms error to each crowd's mean, rms of what is stated)"""
    off, stated = [], []
    for number, crowd in enumerate(crowds):
        sums, source = integer_sums.sum_people(made, people.reading(crowd), N), noise.SeededNoise(number)
        for _ in range(releases):
            mean, _ = made.noised_mean(sums, source)
            shown = made.decoder_for(mean)
            off.append(np.mean(np.sum((shown.decode(mean) - crowd.mean(axis=0)) ** 2, axis=1)))
            stated.append(shown.noise_size() ** 2)
    return np.sqrt(np.mean(off)), np.sqrt(np.mean(stated))


def test_the_error_falls_and_is_what_is_stated_where_people_are_like_the_public_set():
    made, crowds = mechanism(), [people.draw(N, seed) for seed in range(8, 18)]
    low = settled(made)
    found, stated = errors(low, crowds)
    assert found < 0.85 * made.noise_size()
    assert stated == pytest.approx(found, rel=0.15)


def test_the_table_of_a_cohort_tells_the_error_of_corrected_releases():
    """What is corrected follows from the noised mean, in the table as in a release."""
    made, crowd = at(0.15), people.draw(N, 8)
    cohort = comparison.Cohort.from_reader(people.reading(crowd), N, 1.0, KERNEL)
    sums = integer_sums.sum_people(made, people.reading(crowd), N)
    row = cohort.errors(made, sums, made.center, noise.SeededNoise(3), 4)
    assert row["error_mm"] == pytest.approx(errors(made, [crowd], 400)[0], rel=0.05)
    assert made.noise_left() == pytest.approx(made.noise_size(), rel=1e-6)


@pytest.mark.parametrize("away", [1.5, 3.0])
def test_a_mean_that_lies_far_errs_less_than_one_that_is_not_corrected(away, monkeypatch):
    """Also than at the public bound itself, each person shortened along their own deviation, though it is lowered."""
    made = mechanism()
    shifted = [people.draw(N, seed, shift=away * np.sqrt(people.VARIANCES[0])) for seed in range(8, 12)]
    both = [errors(settled_for(made, one), [one]) for one in shifted]
    found, stated = np.sqrt(np.mean(np.square(both), axis=0))
    assert found < 3.2 * stated
    monkeypatch.setattr(clips, "clip_to_nearest", shortened)
    monkeypatch.setattr(learned.Shaped, "decoder_for", lambda shown, mean: shown)
    assert found < 0.75 * errors(replace(made, first=0.0), shifted)[0]


def shortened(u, tau, weights):
    del weights
    return u * shrink_factor(np.linalg.norm(u, axis=1), tau)[:, None]


def test_a_correction_says_how_far_a_release_may_be_off():
    low = settled(mechanism())
    u = np.full(low.coordinates, 0.3 * low.bound / np.sqrt(len(low.gain)))
    done = low.decoder_for(u)
    assert done.largest_undo_factor > 1 and 0 < done.shrink_shares[0] < done.shrink_shares[1] <= 1
    rng = np.random.default_rng(1)
    drawn = np.array([done.simulate_error(rng) for _ in range(400)])
    assert np.mean(np.sum(drawn**2, axis=2)) == pytest.approx(done.noise_size() ** 2, rel=0.1)
    assert done.noise_left() < done.noise_size()
    assert done.differs_from_public_set(u) == low.differs_from_public_set(u)
    assert np.allclose(done.recover_coordinates(done.decode(u)), u, rtol=1e-3, atol=1e-3 * np.abs(u).max())


def test_a_change_of_nobody_is_as_far_off_as_is_stated():
    """Nothing is drawn towards the public mean of a difference: what it is tested with has the noise that is stated."""
    variation = people.variation()
    made = ShapedWithSpread.from_settings(
        CurveSettings(variation.center.shape, N, variation, variation.center, {"mu_total": MU}, {})
    )
    low = settled(made)
    assert low.noise_size() < low.at_full_bound.noise_size()
    squares = []
    sd = low.noise * np.ones(low.coordinates) / low.n
    for u in sd * np.random.default_rng(3).standard_normal((60, *low.coordinates)):
        shown = low.decoder_for(u)
        assert shown.shrink_shares is None
        squares.append(np.square(shown.project_on_axes(shown.decode(u) - shown.center) / shown.errors_along))
    assert np.mean(squares) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(("n", "mu"), [(45, 1.0), (200, 0.5), (1000, 3.0)])
def test_the_bound_that_is_found_beside_wide_steps_is_the_best_of_all_fine_ones(monkeypatch, n, mu):
    variation = people.variation(count=120)
    plan = face_variation.choose(variation, n, mu)
    found = clips.plan_about_mean(variation, plan, n, towards_public=True).tau
    monkeypatch.setattr(clips, "ABOUT", clips.ABOUT_FINELY)
    assert found == clips.plan_about_mean(variation, plan, n, towards_public=True).tau
