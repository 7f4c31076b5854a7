"""A mean face that is asked several times: its stages, and what it tells of cohorts like the public ones and unlike."""

from dataclasses import replace

import numpy as np
import pytest

from library.privacy.learned import people
from shapedp.privacy import integer_sums
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.learned import clips, cohort_kinds, face_learning, face_variation, likely_shares, noised_means
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.recentred import ENOUGH, RecentredMean, is_asked_again
from shapedp.privacy.statistic import Rows, ask
from shapedp.releases import curve_mechanisms

N, MU = 60, 2.0
VARIATION = people.variation()
CURVES, _, SAMPLES = people.SHAPE
FAR = np.array([1.0, 0.0])  # what an answer says where nobody lies far


def asked(n=N, mu=MU):
    return CurveSettings(people.SHAPE, n, VARIATION, people.center(), {"mu_total": mu}, {})


@pytest.fixture(scope="module")
def stages():
    """All stages, each after answers that tell something."""
    made, answers, found = RecentredMean.from_settings(asked()), (), []
    while (stage := made.stage(answers)) is not None:
        found.append(stage)
        told = {1: np.full(1, 0.3), 2: FAR}.get(stage.width, np.full(stage.width, 1e-3))
        answers = (*answers, told)
    return found


def test_stages_compose_to_mu(stages):
    made = RecentredMean.from_settings(asked())
    assert [type(one).__name__ for one in stages] == [
        *("SpreadQuestion", "RecentredMean", "SpreadStatistic", "FarShares", "RecentredMean", "RecentredMean")
    ]
    spent = [2 * one.bound / one.noise if hasattr(one, "bound") else one.cost().mu for one in stages]
    assert np.linalg.norm(spent) == pytest.approx(MU, rel=1e-6) and made.mu <= MU
    assert made.cost().rho <= MU**2 / 2 * (1 + 1e-6)
    assert np.square(spent) / made.mu**2 == pytest.approx(made.inputs({"phi": 0, "rho": 0, "alpha": 0})["w"])


def test_what_is_kept_of_one_release_is_not_another_one_s():
    """Releases by one mechanism, asked by turns, are those that a mechanism of its own makes of each."""
    mechanism, settings = RecentredMean.from_settings(asked()), asked()
    answers = [
        ask(RecentredMean.from_settings(settings), Rows.of(people.draw(N, 40 + seed)), SeededNoise(seed))
        for seed in range(3)
    ]
    for release in (*answers, *answers):
        for count in range(1, len(release)):
            kept = mechanism.with_bound_from(release[:count])
            alone = RecentredMean.from_settings(settings).with_bound_from(release[:count])
            assert kept.plan.tau == alone.plan.tau and kept.early_mus == alone.early_mus
        np.testing.assert_array_equal(
            kept.decoder_for(release[-1]).decode(release[-1]), alone.decoder_for(release[-1]).decode(release[-1])
        )


def test_no_record_moves_a_stage_by_more_than_its_sensitivity(stages):
    """Hill climbing over pairs of records of any size, and records of no numbers; no row is longer than the grid."""
    rng, axes = np.random.default_rng(5), RecentredMean.from_settings(asked()).axes.astype(float)
    odd = np.stack([np.full(people.SHAPE, value) for value in (np.nan, np.inf, -np.inf, 1e308, 0.0)])
    for stage in stages:
        best, most = np.zeros((2, len(axes))), 0.0
        for turn in range(100):
            size = 10 ** rng.uniform(-4, 1, (2, 1))
            tried = size * rng.standard_normal(best.shape) if turn < 60 else best * 10 ** rng.normal(0, 0.5, (2, 1))
            rows = stage.integers(people.center() + np.tensordot(tried, axes, axes=1)).astype(float)
            if (moved := float(np.linalg.norm(rows[0] - rows[1]))) > most:
                best, most = tried, moved
        assert 0.2 * integer_sums.SENSITIVITY < most <= integer_sums.SENSITIVITY
        rows = stage.integers(np.concatenate([odd, people.draw(20, 3)])).astype(object)
        assert max((rows**2).sum(axis=1)) <= integer_sums.GRID**2


def test_the_worst_pairs_reach_every_stage(stages):
    """Two people far away on either side, or one at the center, where a stage asks for how far alone."""
    away = 100 * RecentredMean.from_settings(asked()).axes[0].astype(float)
    for stage in stages:
        rows = stage.integers(people.center() + np.stack([away, -away, 0 * away])).astype(float)
        apart = [np.linalg.norm(rows[0] - one) for one in rows[1:]]
        assert max(apart) == pytest.approx(integer_sums.SENSITIVITY, rel=2e-3)


def released(law, cohort, seed, n=N, mu=MU):
    """(mechanism that decodes, released curves)."""
    made = law.from_settings(asked(n, mu))
    answers = ask(made, Rows.of(cohort), SeededNoise(seed))
    found = made.with_bound_from(answers[:-1]).decoder_for(answers[-1])
    return found, found.decode(answers[-1])


def unlike(n, seed):
    """People who all differ from the public ones in a smooth way in which these hardly do."""
    slow = face_learning.harmonic_functions(people.SHAPE, 4).reshape(-1, *people.SHAPE).astype(float)
    way = np.tensordot(np.random.default_rng(9).standard_normal(len(slow)), slow, axes=1)
    return people.draw(n, seed) + 0.002 * way / np.sqrt(np.mean(np.sum(way**2, axis=1)))


@pytest.mark.parametrize("cohort", [people.draw, unlike])
def test_who_differs_where_public_people_do_not_is_released_and_the_error_stated(cohort):
    """Nearer than by asking once, where they differ; and what is stated is the error, in the mean of 16 releases."""
    again, once, stated, told = [], [], [], []
    for seed in range(16):
        rows = cohort(N, 100 + seed)
        found, curves = released(RecentredMean, rows, seed)
        again.append(np.mean(np.sum((curves - rows.mean(axis=0)) ** 2, axis=1)))
        stated.append(found.noise_size() ** 2)
        told.append(found.differs_from_public_set(np.zeros(found.width)))
        _, curves = released(Shaped, rows, seed)
        once.append(np.mean(np.sum((curves - rows.mean(axis=0)) ** 2, axis=1)))
    ratio = np.sqrt(np.mean(again) / np.mean(once))
    assert ratio < (0.8 if cohort is unlike else 1.15)
    assert 0.75 < np.sqrt(np.mean(stated) / np.mean(again)) < 1.35
    assert all(told) if cohort is unlike else not any(told)


def test_what_is_not_released_lies_at_the_public_mean_and_is_in_the_stated_error():
    found, curves = released(RecentredMean, people.draw(N, 7), 0, n=N, mu=1.0)
    assert len(found.unreleased.axes) and found.unreleased.outside > 0
    axes = VARIATION.axes(found.unreleased.axes).astype(float)
    points = people.SHAPE[0] * people.SHAPE[2]
    along = np.einsum("kjcm,jcm->k", axes, curves - people.center()) / points
    assert along == pytest.approx(found.unreleased.mean, abs=1e-7)
    square = (
        found.errors_along @ found.errors_along
        + found.unreleased.errors @ found.unreleased.errors
        + found.unreleased.outside
    )
    assert found.noise_size() ** 2 == pytest.approx(square, rel=1e-4)


def test_a_cohort_that_lies_off_along_harmonics_may_lie_off_along_modes_that_are_not_released(monkeypatch):
    """There more is stated, and along harmonics twice as much; of people like the public ones, hardly."""
    # what may lie off untold is more still
    monkeypatch.setattr(noised_means, "UNTOLD", 0.0)
    like, _ = released(RecentredMean, people.draw(N, 7), 0, mu=1.0)
    off, _ = released(RecentredMean, unlike(N, 7), 0, mu=1.0)
    plain = face_variation.describe_unreleased(VARIATION, off.plan, N, off.earlier_means.scale)
    modes = plain.axes < len(VARIATION.modes)
    assert modes.any() and off.plan.axes[-1] >= len(VARIATION.modes)
    own = face_variation.describe_unreleased(VARIATION, like.plan, N, like.earlier_means.scale)
    assert np.all(like.unreleased.errors < 1.2 * own.errors + 1e-12)
    differ = modes & (plain.errors > 0)
    assert differ.any() and np.all(off.unreleased.errors[differ] > 1.5 * plain.errors[differ])
    mean, errors, noise = off.whole_mean
    found = noised_means.shrink_to_public(VARIATION, off.plan, N, mean, noise, off.earlier_means.scale)
    # beside that, what may be lost of people who are not told to lie far
    plain = off.shrink_to_public(mean, errors, noise, off.earlier_means.scale)
    assert np.all(off.errors > plain.errors)
    harmonics = off.plan.axes >= len(VARIATION.modes)
    more = np.sqrt(plain.errors**2 / (found.errors**2 + errors**2 - noise**2))
    assert 1.5 < more[harmonics].max() <= 2 and more[harmonics].min() >= 1


def test_beyond_the_released_harmonics_as_much_is_stated_as_along_the_faster_half_of_them():
    """And no more than a share of all that is seen along harmonics, where only slow ones are released."""
    off, _ = released(RecentredMean, unlike(N, 7), 0, mu=1.0)
    harmonics, chance = off.plan.axes >= len(VARIATION.modes), np.full(len(off.plan.axes), 1.0)
    parts, plain = (
        likely_shares.group_axes(VARIATION, off.plan),
        face_variation.describe_unreleased(VARIATION, off.plan, N),
    )
    whole = np.where(harmonics, 1.0, 0.0)
    faster = np.where(np.arange(len(whole)) >= len(whole) - 1, 0.1, 0.0) * harmonics
    slow = whole - np.where(np.arange(len(whole)) >= len(whole) - harmonics.sum() + harmonics.sum() // 2, 1.0, 0.0)
    for seen, share in ((slow + faster, 0.1), (whole, 0.15 * np.sqrt(harmonics.sum())), (slow, 0.0)):
        found = noised_means.with_unseen(VARIATION, off.plan, plain, seen, chance, parts)
        beyond = ~(plain.axes < len(VARIATION.modes))
        more = found.outside - plain.outside + np.sum(found.errors[beyond] ** 2 - plain.errors[beyond] ** 2)
        assert np.sqrt(more) == pytest.approx(share)


def test_a_cohort_that_surely_lies_off_along_harmonics_may_do_so_by_as_much_as_noise_leaves_untold():
    """By hand; as surely as it is seen, less what is seen, and more by the third power of the noise."""
    seen, square = np.array([0.3, 0.4]), VARIATION.variances[: len(VARIATION.modes)].sum()
    seen = seen * np.sqrt(square)

    def find(sure, far_sd):
        return noised_means.find_untold_square(VARIATION, seen, sure, far_sd) / square

    most = noised_means.UNTOLD * 0.5**3
    assert find(seen, 0.5) == pytest.approx(most - 0.25)
    assert find(seen / np.sqrt(2), 0.5) == pytest.approx((most - 0.125) * 0.4 / 0.9)
    assert find(seen, 1.0) == pytest.approx(8 * most - 0.25)
    # little noise leaves nothing untold, and chance makes a little seem sure
    assert find(seen, 0.1) == find(0.3 * seen, 0.5) == find(0 * seen, 0.5) == 0


def test_what_a_clip_leaves_in_doubt_along_harmonics_is_a_share_of_what_stands_out_or_the_noise():
    squares, noise, sure = np.array([3.0, 1.0]), np.array([0.2, 0.2]), np.array([1.0, 1.0])
    assert noised_means.limit_doubt(squares, noise, sure) == pytest.approx([0.6, 0.2])
    assert noised_means.limit_doubt(squares, noise, 0 * sure) == pytest.approx([0.3, 0.1])
    np.testing.assert_array_equal(noised_means.limit_doubt(squares, noise, 4 * sure), squares)


def test_only_of_people_who_are_told_to_lie_far_the_doubt_along_harmonics_is_limited_by_what_stands_out():
    found, _ = released(RecentredMean, unlike(N, 7), 0, mu=1.0)
    far_people, (mean, _, noise) = found.earlier_means.far_people, found.whole_mean
    is_harmonic, stated = found.plan.axes >= len(VARIATION.modes), []
    for likely in (0.0, 1.0):
        told = replace(far_people, likely=np.full_like(far_people.likely, likely / len(far_people.likely)))
        knowing = replace(found, earlier_means=replace(found.earlier_means, far_people=told))
        assert knowing._knows_far_people == bool(likely)
        # a doubt beyond all lengths
        stated.append(knowing.shrink_to_public(mean, np.full_like(noise, 100.0), noise, 1.0).errors)
    plain, limited = stated
    assert plain[is_harmonic].min() > 99 and limited[is_harmonic].max() < 1
    assert limited[~is_harmonic].min() > 99


@pytest.mark.parametrize("cohort", [people.draw, unlike])
def test_where_noise_hides_who_lies_far_more_is_stated_of_a_cohort_that_lies_off_along_harmonics(cohort, monkeypatch):
    """Along these and along modes that are not released; of people like the public ones nothing."""
    chosen, stated = noised_means.UNTOLD, {}
    for untold in (0.0, chosen):
        monkeypatch.setattr(noised_means, "UNTOLD", untold)
        found = [released(RecentredMean, cohort(N, 100 + seed), seed, mu=0.5)[0] for seed in range(8)]
        is_harmonic = [one.plan.axes >= len(VARIATION.modes) for one in found]
        along = np.mean([one.errors[here] @ one.errors[here] for one, here in zip(found, is_harmonic, strict=True)])
        stated[untold] = along, np.mean([one.unreleased.errors @ one.unreleased.errors for one in found])
    along, unreleased = np.divide(stated[chosen], stated[0.0])
    if cohort is unlike:
        assert along > 4 and unreleased > 4
    else:
        assert along == unreleased == 1


def test_a_typical_part_lies_off_by_the_geometric_mean_of_the_parts():
    off, chance = np.array([2.0, 0.0, 0.0]), np.array([1.0, 1.0, 3.0])
    assert likely_shares.find_typical_excess(off, chance, np.array([1, 2])) == pytest.approx(np.sqrt(5) - 1)
    assert likely_shares.find_typical_excess(0 * off, chance, np.array([1, 2])) == 0


def test_modes_that_lie_off_alike_are_likely_to_do_so_beyond_chance_and_say_nothing_of_harmonics():
    chance, noise, parts = np.ones(12), np.ones(12), [np.array([1, 1, 2]), np.array([8])]
    seen = np.where(np.arange(12) < 4, 20.0, 1.0)
    found = likely_shares.find_probability_beyond_chance(seen, chance, noise, parts)
    near = likely_shares.find_probability_beyond_chance(0 * seen, chance, noise, parts)
    assert np.all(found[:4] > 0.8) and np.all(near < 0.3)
    assert found[4:] == pytest.approx(
        likely_shares.find_probability_beyond_chance(np.ones(12), chance, noise, parts)[4:]
    )


def test_a_mean_that_is_drawn_to_the_public_one_is_clipped_lower_and_errs_little_more_without():
    plan = RecentredMean.from_settings(asked(200)).plan
    plain, drawn = (clips.plan_about_mean(VARIATION, plan, 200, towards) for towards in (False, True))
    assert 0.9 * plain.tau < drawn.tau < plain.tau
    people_about = clips.list_people_about_mean(VARIATION, plain)

    def expect_square(bounded):
        clipped = clips.clip_to_nearest(people_about, bounded.tau, bounded.weights)
        kept = clips.find_share_left(clipped, people_about)
        noise = bounded.noise * np.sum(bounded.weights / kept**2) / bounded.weights.sum()
        return noise + np.mean((people_about - clipped / kept) ** 2 @ bounded.weights) / 200

    assert expect_square(drawn) < 1.1 * expect_square(plain)


def test_few_people_and_parts_of_a_plan_are_asked_once():
    assert is_asked_again(60, ENOUGH / 60, None)
    assert not is_asked_again(60, 0.99 * ENOUGH / 60, None)
    assert not is_asked_again(60, ENOUGH, 120)
    given = people.SHAPE, N, VARIATION, people.center()
    kernel = {"phi": [0.1] * 3, "rho": 1.0, "alpha": 0.0}
    once, again = (CurveSettings(*given, {"mu_total": mu}, kernel) for mu in (0.4, 1.0))
    assert type(curve_mechanisms.make_for_release("shaped", once)) is Shaped
    assert type(curve_mechanisms.make_for_release("shaped", again)) is RecentredMean
    assert type(curve_mechanisms.make("shaped", *given, {"mu_total": 1.0}, kernel)) is Shaped


def test_of_a_cohort_surely_like_few_public_people_noise_counts_more_than_it_is():
    t, noise = np.array([0.6, 5.0]), np.array([0.4, 5.0])
    shares = t / (t + noise)
    doubled = noised_means.draw_closer(shares, np.ones(2), int(noised_means.CLOSER))
    np.testing.assert_allclose(doubled, t / (t + 2 * noise))
    np.testing.assert_allclose(noised_means.draw_closer(shares, np.full(2, 0.4), 20), shares, rtol=1e-3)
    np.testing.assert_allclose(noised_means.draw_closer(shares, np.ones(2), 10**6), shares, rtol=1e-4)


def test_few_public_people_bring_the_population_s_mean_nearer_and_the_cohort_s_own_stays_as_near(monkeypatch):
    chosen = noised_means.CLOSER

    def shrink(closer):
        """Return mean squared errors of the population's mean and of the cohort's own, and what is stated."""
        monkeypatch.setattr(noised_means, "CLOSER", closer)
        rng, found = np.random.default_rng(9), []
        for seed in range(8):
            known = people.variation(20, seed=200 + seed, modes=6, added=4)
            plan = face_variation.plan_at_index(known, 40, 1.0, len(known.tried[1]) - 1, 0.0)
            along = known.axes(plan.axes).reshape(len(plan.axes), -1).astype(float)
            spread = (along @ people.directions().reshape(6, -1).T / (SAMPLES * CURVES)) ** 2 @ people.VARIANCES
            for _ in range(60):
                own = rng.standard_normal(len(spread)) * np.sqrt(spread / 40)
                noise = np.sqrt(2 * known.moments[plan.axes] / 40)
                seen = own + noise * rng.standard_normal(len(spread))
                shrunk = noised_means.shrink_to_public(known, plan, 40, seen, noise, 1.0)
                squares = shrunk.moved @ shrunk.moved, (shrunk.moved - own) @ (shrunk.moved - own)
                found.append([*squares, shrunk.errors @ shrunk.errors])
        return np.mean(found, axis=0)

    (population, own, _), (nearer, as_near, stated) = shrink(0.0), shrink(chosen)
    assert nearer < 0.93 * population and as_near < 1.02 * own
    assert 0.8 < stated / as_near < 1.4


def with_tails(freedom, seed, n=N):
    """Rows of n people whose lengths have the tails of t of some degrees of freedom."""
    rng, rows = np.random.default_rng(300 + seed), people.draw(n, 100 + seed)
    times = 1.0 if freedom == np.inf else np.sqrt(freedom / rng.chisquare(freedom, (n, 1, 1, 1)))
    return people.center() + times * (rows - people.center())


def test_heavy_tails_are_likelier_of_people_who_have_them_and_are_stated():
    """By Bayes' rule the mean of their probability is above what was thought before, and of other people below."""
    likely = {}
    for freedom in (np.inf, 3):
        found = []
        for seed in range(16):
            made, _ = released(RecentredMean, with_tails(freedom, seed), seed)
            found.append(made.heavy)
            if made._knows_far_people:
                continue
            mean, errors, noise = made.whole_mean
            if made._has_heavy_tails:
                # what is pooled errs by what all clips took, too
                assert np.all(errors > noise)
                plain = made.shrink_to_public(mean, noise, noise, made.earlier_means.scale).errors
                assert np.all(made.errors > plain)
                continue
            plain = made.shrink_to_public(mean, errors, noise, made.earlier_means.scale).errors
            heavy = np.hypot(plain, np.sqrt(made._find_lost_squares(made.clip_reach)))
            # as likely as they are, in the geometric mean, or more where some may lie far
            assert np.all(made.errors >= 0.999 * plain ** (1 - made.heavy) * heavy**made.heavy)
        likely[freedom] = np.mean(found)
    assert likely[np.inf] < cohort_kinds.HEAVY < likely[3]


def test_where_heavy_tails_are_told_the_bound_is_raised_and_the_error_is_stated():
    """At mu = 6 they are told of 120 people; the mean is nearer than with the bound of others, and errs as it says."""
    squares = []
    for seed in range(24):
        rows = with_tails(3, seed, 120)
        mechanism = RecentredMean.from_settings(asked(120, 6.0))
        answers = ask(mechanism, Rows.of(rows), SeededNoise(seed))
        told = mechanism.with_bound_from(answers[:-1])
        if not told._has_heavy_tails:
            continue
        assert told.far_factor > 1 and told.tells_far_people and not told._knows_far_people
        found = told.decoder_for(answers[-1])
        off = found.decode(answers[-1]) - rows.mean(axis=0)
        squares.append([np.mean(np.sum(off**2, axis=1)), found.noise_size() ** 2])
    assert len(squares) >= 16
    off, stated = np.mean(squares, axis=0)
    assert 0.75 < np.sqrt(stated / off) < 1.35


def test_answers_of_heavy_tails_are_weighed_by_what_their_clips_take():
    """A clip that is lower tells less of such people, beside one that is raised; of others noise alone decides."""
    mechanism = RecentredMean.from_settings(asked(120, 6.0))
    answers = ask(mechanism, Rows.of(with_tails(3, 1, 120)), SeededNoise(1))
    told = mechanism.with_bound_from(answers[:-1])
    assert told._has_heavy_tails
    first, *_, last = told._with_answer(answers[-1]).answers
    assert first.clip_reach < last.clip_reach
    weights, lost = told._weigh_answers((first, last))
    assert lost[0].sum() > 1.2 * lost[1].sum()
    by_noise = first.errors**-2 / (first.errors**-2 + last.errors**-2)
    # along modes; harmonics, which count least on the face, are taken of by any clip
    assert np.all(weights[0, :6] < by_noise[:6]) and weights[0, :6].mean() < 0.95 * by_noise[:6].mean()


def test_a_clip_takes_more_of_late_axes_and_its_shares_are_known_where_it_takes_nothing():
    made, _ = released(RecentredMean, people.draw(N, 7), 0)
    wide = replace(made, plan=made.plan.widened(100.0))
    for found in (made, wide):
        lost_shares = found._share_out(found._find_lost_squares(found.clip_reach))
        shares = lost_shares / np.mean(found._people**2, axis=0)
        assert lost_shares.sum() == pytest.approx(1)
        assert shares[6:].min() > 1.5 * shares[0]
