"""The audit sees what it should: mechanisms keep their claims, broken ones are caught.

Draws come from the operating system, so a case may fail by chance; one that does is attacked again, and must not fail
twice. A Clopper-Pearson bound is wrong with probability at most 1e-3, so that a true claim is exceeded twice with at
most 1e-6, at most 1.5e-5 for the 15 attacks together. Two normal laws 2.9661 apart, attacked 4,000 times with 4,000
draws, were never found less than 0.77 of that apart: to miss the quarter twice has a probability below (1e-3)^2 for
each of the Gaussian mechanisms with one stage. With two stages the second's bound follows the first's noise, and draws
tell less of that mixture: 38 attacks saw .70 to .83 of the claim; its exact distance is asked for to 1 %. The control
that is caught most narrowly is caught by 3 standard deviations.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from shapedp.audit import attack, cases, curve_attacks, shape_attacks
from shapedp.privacy import integer_sums, noise

GAUSSIAN_DRAWS, PURE_DRAWS = 4_000, 20_000
WITHIN = 0.25  # of the claim: what the audit promises for Gaussian mechanisms
STAGED = {"shaped, two stages": 0.4}  # the same where a bound follows from noise


def test_the_upper_bound_is_that_of_clopper_and_pearson():
    for hits in (0, 3, 50, 99, 100):
        exact = binomtest(hits, 100).proportion_ci(attack.CONFIDENCE, "exact").high
        assert attack.bound_rate(hits, 100) == pytest.approx(exact, abs=1e-9)


def test_by_hand_no_hit_of_n():
    """Nothing seen in n trials: (1 - p)^n = tail, so p = 1 - tail^(1/n)."""
    assert attack.bound_rate(0, 500) == pytest.approx(1 - 0.0005 ** (1 / 500), rel=1e-12)


def test_by_hand_two_laws_without_overlap():
    """No alarm and no miss in 500: mu = -2 Phi^-1(p), epsilon = log((1 - p)/p)."""
    p = 1 - 0.0005 ** (1 / 500)
    found = attack.bound_privacy_loss(np.zeros(1000), np.ones(1000))
    assert found.mu == pytest.approx(-2 * norm.ppf(p), rel=1e-9)
    assert found.epsilon == pytest.approx(np.log((1 - p) / p), rel=1e-9)


def test_large_values_speak_for_the_second():
    rng = np.random.default_rng(3)
    assert attack.bound_privacy_loss(rng.normal(1, 1, 20_000), rng.normal(0, 1, 20_000)).mu < 0


def test_two_normal_laws_one_apart_are_found_to_be_nearly_one_apart():
    rng = np.random.default_rng(0)
    found = attack.bound_privacy_loss(rng.normal(0, 1, 100_000), rng.normal(1, 1, 100_000))
    assert 0.9 < found.mu <= 1


def test_equal_laws_show_nothing():
    rng = np.random.default_rng(1)
    found = attack.bound_privacy_loss(rng.normal(size=20_000), rng.normal(size=20_000))
    assert found.mu <= 0
    assert found.epsilon == 0


def test_randomised_response_shows_its_epsilon():
    """A bit that is told truly with probability e/(1 + e) is 1-DP."""
    rng = np.random.default_rng(2)
    truth = rng.random((2, 200_000)) < np.e / (1 + np.e)
    found = attack.bound_privacy_loss(np.where(truth[0], 0.0, 1.0), np.where(truth[1], 1.0, 0.0))
    assert 0.9 < found.epsilon <= 1


def test_an_event_that_only_the_first_data_set_shows_is_used_too():
    """The loss lies below the threshold: 0.4 of the first law against 0.1 of the second, log 4."""
    rng = np.random.default_rng(4)
    first, second = (np.where(rng.random(100_000) < rate, 0.0, 1.0) for rate in (0.4, 0.1))
    assert 0.9 * np.log(4) < attack.bound_privacy_loss(first, second).epsilon <= np.log(4)


@pytest.mark.parametrize("name", cases.CURVES)
def test_the_pair_of_curves_is_as_far_apart_as_one_person_can_be(name):
    """2 bound in the integer sum: nearly all of the sensitivity, and never more."""
    one, other = curve_attacks.make_worst_pair(curve_attacks.make_mechanism(name))
    apart = np.linalg.norm(one.sums - other.sums)
    assert 0.999 * integer_sums.SENSITIVITY < apart <= integer_sums.SENSITIVITY


@pytest.mark.parametrize("name", cases.CURVES)
def test_outputs_of_the_pair_of_curves_are_as_far_apart_as_claimed(name):
    """d' of the drawn log likelihood ratios, within 5 %: their sampling error is 1 %."""
    made = curve_attacks.make_mechanism(name)
    first, second = curve_attacks.draw_ratios(curve_attacks.make_worst_pair(made), noise.SeededNoise(3), 3_000)
    spread = np.sqrt((first.var() + second.var()) / 2)
    assert (second.mean() - first.mean()) / spread == pytest.approx(made.mu, rel=0.05)


@pytest.mark.parametrize("name", ["shaped", "knorm"])
def test_the_pair_of_deviations_is_as_far_apart_as_one_person_can_be(name):
    one, other = shape_attacks.sum_outlines(shape_attacks.make_outline_mechanism(name))
    assert 0.999 * integer_sums.SENSITIVITY < np.linalg.norm(one - other) <= integer_sums.SENSITIVITY


@pytest.mark.parametrize("space", shape_attacks.SPACES, ids=lambda space: space.name)
def test_the_pair_of_shapes_differs_in_one_person_from_end_to_end(space):
    first, second = space.pair()
    apart = space.manifold.dist(first, second)
    assert apart[:-1] == pytest.approx(0, abs=1e-7)
    assert apart[-1] == pytest.approx(2 * space.r, rel=1e-6)


@cache
def attempt(number):
    """{name: Case} of all attacks; each number stands for other draws."""
    return {one.name: one for one in cases.run_cases(noise.SecureNoise(), GAUSSIAN_DRAWS, PURE_DRAWS)}


def failed_twice(holds):
    """Names of the cases for which `holds` is false, and false again when they are attacked once more."""
    failed = {name for name, one in attempt(0).items() if not holds(one)}
    return {name for name in failed if not holds(attempt(1)[name])}


@pytest.mark.slow
@pytest.mark.thorough
def test_every_case_is_as_expected():
    assert not failed_twice(lambda one: one.as_expected)
    assert sum(one.expected == cases.CAUGHT for one in attempt(0).values()) == 8


@pytest.mark.slow
@pytest.mark.thorough
def test_attacks_on_gaussian_mechanisms_come_within_a_quarter_of_the_claim():
    def gaussian(one):
        return one.kind == cases.MU and one.expected == cases.OK

    assert sum(map(gaussian, attempt(0).values())) == len(cases.CURVES) + len(shape_attacks.SPACES) + 2
    assert not failed_twice(lambda one: not gaussian(one) or 1 - STAGED.get(one.name, WITHIN) <= one.share <= 1)


@pytest.mark.slow
@pytest.mark.thorough
def test_the_worst_pair_of_a_gaussian_mechanism_is_as_far_apart_as_claimed():
    """Within 1 %, and never farther: from the integers themselves, without draws. Of several stages within 10 %."""
    exact = [one for one in attempt(0).values() if one.kind == cases.EXACT_MU]
    in_stages = ("change or asymmetry", "mean face, asked again")
    staged = [one.share for one in exact if one.name.startswith(in_stages)]
    assert len(staged) == 3 and min(staged) > 0.9 and max(staged) <= 1
    shares = [one.share for one in exact if not one.name.startswith(in_stages)]
    assert len(shares) == len(cases.CURVES) + len(shape_attacks.SPACES) + 3
    assert min(shares) > 0.99 and max(shares) <= 1


@pytest.mark.slow
@pytest.mark.thorough
def test_the_printed_scale_of_kng_loses_1_45():
    published = attempt(0)["control: KNG as published, S2, exact"]
    assert published.lower_bound == pytest.approx(1.45, abs=0.01)


@pytest.mark.slow
@pytest.mark.thorough
def test_draws_stay_below_the_exact_loss():
    exact = attempt(0)["Laplace, S2, exact"].lower_bound
    assert not failed_twice(lambda one: one.name != "Laplace, S2" or one.lower_bound <= exact)


def test_a_verdict_is_about_the_claim():
    kept = cases.Case("a", cases.MU, 1.0, 1.0, cases.OK)
    assert kept.as_expected
    assert not replace(kept, lower_bound=1.01).as_expected
    assert not replace(kept, expected=cases.CAUGHT).as_expected
