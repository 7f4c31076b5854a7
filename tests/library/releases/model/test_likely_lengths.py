"""What a model's answers tell of how far people lie: heavy tails, some far together, and a cohort that lies off."""

from fractions import Fraction

import numpy as np
import pytest

from library.privacy.learned import people as faces
from shapedp.privacy.accounting.cost import Cost
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.statistic import Rows
from shapedp.releases.model.model_mechanism import ENOUGH, FAR_SHARE, FaceModel

N = 1000
INSIDE = 1.96


@pytest.fixture(scope="module")
def variation():
    return faces.variation(count=200)


@pytest.fixture(scope="module")
def made(variation):
    return FaceModel.from_variation(variation, N, 2.0)


def answer_of(made, crowd, seed):
    return made.noised(made.sums(Rows.of(crowd, np.zeros((len(crowd), 0)))), SeededNoise(seed))


def heavy(seed):
    """N people whose lengths have a t law of 3 degrees."""
    times = np.sqrt(3 / np.random.default_rng(seed).chisquare(3, N))
    return faces.center() + times[:, None, None, None] * (faces.draw(N, 40 + seed) - faces.center())


def along(made, face):
    """(q,) lengths of a displacement along the model's axes."""
    return np.tensordot(made.shaped.axes.astype(float), face, axes=3) / (face.shape[0] * face.shape[2])


def standard_deviations(made, fields, times):
    """(stated over true, true, stated errors) of the modes that are shown, of people so many times as wide as public
    ones.
    """
    shown = slice(int(fields["shown"]))
    others = (faces.draw(20_000, 7) - faces.center()).reshape(20_000, -1)
    directions = fields["modes"][shown].reshape(-1, others.shape[1]).astype(float)
    true = times * (others @ directions.T).std(axis=0) / (others.shape[1] / 3)
    return fields["sd"][shown] / true, true, fields["sd_noise"][shown]


@pytest.mark.slow
def test_modes_of_heavy_tails_are_as_wide_as_people_within_their_stated_errors(made):
    ratios, off, stated, probabilities = [], [], [], []
    for seed in range(6):
        answer = answer_of(made, heavy(seed), seed)
        shares, true, sd_errors = standard_deviations(made, made.fields(*made.estimated(answer)), np.sqrt(3))
        off, stated = np.append(off, (shares - 1) * true), np.append(stated, sd_errors)
        ratios = np.append(ratios, shares)
        probabilities.append(made.tells(answer)["heavy_tails"])
    assert min(probabilities) > 0.9
    # clipped, they look as wide as .65 of what they are
    assert 0.9 < np.mean(ratios) < 1.1
    assert np.mean(np.abs(off) <= INSIDE * stated) > 0.85
    assert np.sqrt(np.mean(off**2)) < 1.3 * np.sqrt(np.mean(stated**2))


@pytest.mark.slow
def test_modes_of_people_like_the_public_ones_are_left_as_they_are(made):
    factors = []
    for seed in range(6):
        answer = answer_of(made, faces.draw(N, 70 + seed), seed)
        shares, true, sd_errors = standard_deviations(made, made.fields(*made.estimated(answer)), 1.0)
        assert np.mean(np.abs(shares - 1) * true <= 3 * sd_errors) > 0.9
        told = made.tells(answer)
        assert told["heavy_tails"] < 0.1 and told["far_share"] is None
        lengths = made.find_mean(answer).lengths
        factors.append(lengths.find_spread_left(np.eye(made.moments.leading))[0].max())
    assert max(factors) < 1.1


@pytest.mark.slow
def test_what_a_clip_took_of_a_minority_is_put_back_into_the_mean(made):
    """A tenth of people lie 2.5 times the bound off, in a way in which public people differ."""
    way = 2.5 * made.shaped.plan.tau * made.shaped.plan.scales[4] * made.shaped.axes[4].astype(float)
    left, put_back = [], []
    for seed in range(4):
        crowd = faces.draw(N, 80 + seed)
        crowd[: N // 10] += way
        answer = answer_of(made, crowd, seed)
        truth, found = along(made, crowd.mean(axis=0) - made.center), made.find_mean(answer)
        both = found.restored, made.restored(answer)
        mean, before = (made._find_mean_in_bound(answer, one) * made.shaped.plan.scales for one in both)
        assert made.tells(answer)["far_share"] == pytest.approx(0.1, abs=0.05)
        left.append(np.linalg.norm(before - truth))
        put_back.append(np.linalg.norm(mean - truth))
    assert np.mean(put_back) < 0.92 * np.mean(left)


@pytest.mark.slow
def test_lengths_tell_how_far_a_cohort_lies_off_that_a_clip_leaves_only_the_direction_of(made):
    """Everybody is moved by one and a half times the bound."""
    way = 1.5 * made.shaped.plan.tau * made.shaped.plan.scales[3] * made.shaped.axes[3].astype(float)
    ratios = []
    for seed in range(3):
        crowd = faces.draw(N, 90 + seed) + way
        answer = answer_of(made, crowd, seed)
        truth, found = along(made, crowd.mean(axis=0) - made.center), made.find_mean(answer)
        mean = made._find_mean_in_bound(answer, found.restored) * made.shaped.plan.scales
        before = made._find_mean_in_bound(answer, made.restored(answer)) * made.shaped.plan.scales
        ratios.append(np.linalg.norm(mean - truth) / np.linalg.norm(before - truth))
        stated = np.linalg.norm(found.errors * made.shaped.plan.scales)
        assert np.linalg.norm(mean - truth) < 2 * stated
    assert np.mean(ratios) < 0.5


def test_asking_who_lies_far_is_charged_and_asked_only_where_it_tells_anything(variation):
    asked = FaceModel.from_variation(variation, N, 1.0)
    assert np.hypot(asked.moments.mu, asked.far_mu) == pytest.approx(1.0)
    assert Fraction(asked.moments.mu) ** 2 + Fraction(asked.far_mu) ** 2 <= 1
    assert asked.far_mu**2 == pytest.approx(FAR_SHARE)
    assert asked.inputs()["w"][-1] == pytest.approx(FAR_SHARE) and sum(asked.inputs()["w"]) == pytest.approx(1.0)
    cost = asked.cost()
    assert isinstance(cost, Cost) and cost.mu == 1.0 and cost.eta > asked.moments.cost().eta
    not_asked = FaceModel.from_variation(variation, int(ENOUGH) - 1, 1.0)
    assert not_asked.far_mu == 0 and not_asked.moments.mu == 1.0 and len(not_asked.inputs()["w"]) == 3
    part = FaceModel.from_variation(variation, int(ENOUGH) - 1, 1.0, planned_for=int(ENOUGH))
    assert part.far_mu > 0


def test_the_answer_of_a_pool_is_that_of_all_people(variation):
    made = FaceModel.from_variation(variation, 60, 1.0, planned_for=N)
    answers = [answer_of(made, faces.draw(60, seed), seed) for seed in range(3)]
    drawn = [made.drawn(answer) for answer in answers]
    pool = made.for_pool(180, 3)
    *moments, direction = pool.split_drawn(sum(part["values"] for part in drawn))
    np.testing.assert_allclose(direction, np.mean([answer[3] for answer in answers], axis=0))
    np.testing.assert_allclose(moments[2], np.sum([answer[2] for answer in answers], axis=0))
    assert len(drawn[0]["noise"]) == len(drawn[0]["values"])
    assert drawn[0]["noise"][-1] == pytest.approx(2 / made.far_mu)
    assert pool.far_mu == pytest.approx(made.far_mu / np.sqrt(3))


@pytest.mark.parametrize("number", [1e200, -1e6])
def test_an_answer_that_nobody_could_give_leaves_numbers(made, number):
    """A file of another laboratory may say anything."""
    answer = answer_of(made, faces.draw(N, 5), 1)
    fields = made.fields(*made.estimated([*answer[:3], np.array([number, number])]))
    assert all(np.all(np.isfinite(fields[name])) for name in ("curves", "sd", "sd_noise", "noise_parts"))
