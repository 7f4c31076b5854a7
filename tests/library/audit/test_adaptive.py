"""All stages with answers that an adversary chose: no farther apart than claimed, nearly as far, and leaks are seen."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
import scipy

from shapedp.audit import adaptive, curve_attacks
from shapedp.privacy import noise
from shapedp.privacy.curves.learned import Shaped, SpreadQuestion
from shapedp.privacy.statistic import Rows

KINDS = {  # what `snakemake audit` has to say of, by kind and branch
    *(f"{kind} of faces" for kind in ("mean", "change", "asymmetry", "model", "growth")),
    "mean of faces, asked again",
    *(f"{kind} of landmarks" for kind in ("mean", "change or asymmetry", "model")),
    "mean of landmarks, private center",
}


@pytest.mark.slow
def test_no_answers_tell_neighbours_farther_apart_than_claimed():
    found = {name: (made, adaptive.find_largest_distance(made, *given)) for name, made, *given in adaptive.list_kinds()}
    assert set(found) == KINDS
    shares = {name: distance / made.cost().mu for name, (made, distance) in found.items()}
    assert {name: share for name, share in shares.items() if not 0.9 <= share <= 1} == {}


@pytest.mark.slow
def test_who_enters_a_private_group_is_told_by_half_of_mu_at_most():
    found = {}
    for name, made, *given in adaptive.list_kinds():
        if adaptive.can_take_private_groups(made):
            found[name] = adaptive.find_largest_distance(made, *given, is_entering=True) / (made.cost().mu / 2)
    never = ("model", "growth", "private center")
    assert set(found) == {name for name in KINDS if not any(word in name for word in never)}
    assert {name: share for name, share in found.items() if not 0.9 <= share <= 1} == {}


def test_every_kind_asks_all_the_stages_that_it_has():
    stages = {"change of faces": 6, "asymmetry of faces": 6, "change or asymmetry of landmarks": 3}
    stages |= {"mean of faces": 2, "mean of faces, asked again": 6, "mean of landmarks": 2}
    stages |= {"mean of landmarks, private center": 3}
    for name, made, records, beside in adaptive.list_kinds():
        source, answers = adaptive.ChosenAnswers(made.n, 0, False, []), ()
        while (stage := made.stage(answers)) is not None:
            rows = Rows.of(records[0][None], None if beside is None else beside[:1])
            answers = (*answers, stage.noised(adaptive.add_others(stage, stage.sums_over(rows)), source))
        assert len(answers) == stages.get(name, 1), name


def test_a_mean_reaches_what_is_claimed_and_more_than_its_last_stage_alone():
    made = curve_attacks.make_two_stages()
    found = adaptive.find_largest_distance(made, adaptive.face_palette(made))
    assert 0.999 * made.mu < found <= made.mu
    assert found > 1.01 * made.bound


@dataclass(frozen=True)
class Leaking(Shaped):
    """A release in two stages, the second of which is planned from the exact first sum."""

    def first_stage(self):
        return LeakingReach(self)


class LeakingReach(SpreadQuestion):
    def noised(self, sums, source):
        super().noised(sums, source)
        return sums.values[0] / 2.0**24


def test_an_answer_that_carries_more_than_noised_sums_is_seen():
    made = curve_attacks.make_two_stages()
    leaking = Leaking(**{name: getattr(made, name) for name in made.__dataclass_fields__})
    assert adaptive.find_largest_distance(leaking, adaptive.face_palette(made)) == math.inf


def test_half_of_the_noise_is_seen():
    made = curve_attacks.make_two_stages()
    assert (
        adaptive.find_largest_distance(replace(made, noise=made.noise / 2), adaptive.face_palette(made)) > 1.5 * made.mu
    )


def test_the_law_of_an_answer_that_scores_choose_is_that_of_its_draws():
    scores = np.array([3, 0, -4, 2])
    law = np.exp(adaptive.log_law(scores * 1.5 / (2 * 4)))
    assert math.isclose(law.sum(), 1, rel_tol=1e-12)
    drawn = [noise.SecureNoise().noisy_max(scores, 4, 1.5) for _ in range(4000)]
    found = np.bincount(drawn, minlength=len(scores))
    assert scipy.stats.chisquare(found, 4000 * law).pvalue > 1e-6


def make_private_center(**changed):
    """Return the one of the audit, with parts of its budget changed, and its palette."""
    made, records = next(
        (made, records) for name, made, records, _ in adaptive.list_kinds() if "private center" in name
    )
    return type("Changed", (type(made),), changed)(made.ball, made.budget), records


def test_a_radius_that_is_drawn_with_too_little_noise_is_seen():
    made, records = make_private_center()
    center, epsilon, release = made.split
    script = [(-1, True)]
    claimed, found = made.cost().mu, adaptive.replay_script(made, records, None, False, script)
    assert 0.9 * claimed < found <= claimed
    loose, _ = make_private_center(split=(center, 6 * epsilon, release))
    assert adaptive.replay_script(loose, records, None, False, script) > claimed


def test_same_answers_are_the_same_to_the_last_bit():
    assert adaptive.is_same([np.zeros(2), np.array([np.nan])], [np.zeros(2), np.array([np.nan])])
    assert not adaptive.is_same(np.array([1.0]), np.array([np.nextafter(1, 2)]))
    assert not adaptive.is_same([np.zeros(2)], [np.zeros(2), np.zeros(2)])
