"""The planner foretells the noise that mechanisms state, and its inverse questions are inverse."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from library.privacy import cohort
from library.privacy.learned import people
from shapedp.app.forecast import predictions
from shapedp.base import artifacts
from shapedp.base.errors import ConfigError
from shapedp.privacy import integer_sums
from shapedp.privacy.curves import bounds
from shapedp.privacy.noise import SeededNoise
from shapedp.privacy.statistic import Rows, ask
from shapedp.releases import curve_mechanisms as mechanisms

SHAPE = (4, 3, 16)
PLANNED_KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
TAU = [0.02, 0.03, 0.04]
PEOPLE = 0.1 * np.random.default_rng(0).normal(size=(40, *SHAPE))
SET = bounds.from_population(lambda a, b: PEOPLE[a:b], 40, np.zeros(SHAPE), 0.9, 1.2, "a public set", True)


@pytest.mark.parametrize("name", [name for name in mechanisms.NAMES if name != "pointwise_literal"])
@pytest.mark.parametrize(("n", "mu"), [(100, 0.5), (3000, 2.9661)])
def test_foretold_noise_is_that_of_the_mechanism(name, n, mu):
    made = mechanisms.make(name, SHAPE, n, SET, None, {"mu_total": mu}, PLANNED_KERNEL)
    stated = np.sqrt(np.mean(np.sum(made.noise_sd() ** 2, axis=1)))
    k = predictions.noise_constant(name, SHAPE, SET, None, PLANNED_KERNEL)
    assert predictions.predict_noise(k, n, mu) == pytest.approx(stated, rel=1e-9)


def test_strength_by_hand():
    """One tau for all blocks and equal filters: the split is even, K^2 = 3 (2 tau)^2 (3 J) sum s^2."""
    even = {**PLANNED_KERNEL, "phi": [0.01] * 3}
    eigenvalues = bounds.spectrum(SHAPE[2], 1.0, 1.0)
    power = np.sum((eigenvalues / (eigenvalues + 0.01)) ** 2)
    found = predictions.noise_constant("matched", SHAPE, bounds.from_numbers([0.1] * 3, SHAPE[0]), None, even)
    assert found == pytest.approx(np.sqrt(3 * 0.04 * 3 * SHAPE[0] * power))


def test_noise_grows_with_tau_and_falls_with_phi():
    def strength(factor=1.0, phi=0.01):
        tau = bounds.from_numbers(np.array(TAU) * factor, SHAPE[0])
        return predictions.noise_constant("matched_joint", SHAPE, tau, None, {**PLANNED_KERNEL, "phi": [phi] * 3})

    assert strength(2.0) == pytest.approx(2 * strength())
    assert strength(phi=0.1) < strength()


@pytest.mark.parametrize("target", [0.07, 0.5, 0.7, 500.0])
def test_as_many_people_as_needed_and_not_one_more(target):
    n = predictions.people_needed(300.0, 2.0, target)
    assert predictions.predict_noise(300.0, n, 2.0) <= target
    assert n == 2 or predictions.predict_noise(300.0, n - 1, 2.0) > target


@pytest.mark.parametrize("target", [0.07, 0.5, 0.7, 500.0])
def test_with_the_chance_in_sampling_more_people_are_needed_and_no_more(target):
    n = predictions.people_needed(300.0, 2.0, target, spread=4.0)
    assert predictions.predict_error(300.0, n, 2.0, 4.0) <= target * (1 + 1e-12)
    assert n == 2 or predictions.predict_error(300.0, n - 1, 2.0, 4.0) > target
    assert n >= predictions.people_needed(300.0, 2.0, target)


def test_the_error_by_hand():
    """Noise 300/(100 . 1) = 3, sampling 40/10 = 4."""
    assert predictions.predict_error(300.0, 100, 1.0, 40.0) == pytest.approx(5)
    assert predictions.people_needed(300.0, 1.0, 5.0, 40.0) == 100


def test_the_expected_sampling_error_is_that_of_many_cohorts():
    rng = np.random.default_rng(1)
    means = rng.normal(size=(4000, 25, 2)).mean(axis=1)
    assert np.sqrt(np.mean(np.sum(means**2, axis=1))) == pytest.approx(
        predictions.predict_error(0.0, 25, 1.0, np.sqrt(2)), rel=0.03
    )


@pytest.mark.parametrize("bad", [{"n": 0}, {"n": -3}, {"mu": 0}, {"mu": np.inf}, {"mu": np.nan}])
def test_plans_without_an_answer_are_refused(bad):
    with pytest.raises(ConfigError, match="must be a positive number"):
        predictions.predict_noise(300.0, **{"n": 100, "mu": 1.0, **bad})


def test_one_setting_changed_a_time():
    """Noise is proportional to tau, grows like the root of the number of curves, and falls with phi."""
    found = {}
    for setting, _, k in predictions.compare_settings(SHAPE, TAU, PLANNED_KERNEL):
        found.setdefault(setting, []).append(k)
    assert found["tau"] == pytest.approx([found["tau"][1] * factor for factor in (0.5, 1, 2)])
    assert found["curves"] == pytest.approx([found["curves"][1] * factor for factor in (0.5**0.5, 1, 2**0.5)])
    assert found["phi"] == sorted(found["phi"], reverse=True)


@pytest.mark.slow
def test_real_releases_err_as_foretold(tmp_path):
    """The release script, ledger and all, 12 times: the squared distance to the mean without noise is a weighted sum of
    chi-squares; with Satterthwaite's degrees of freedom it fails by chance about once in 10^6."""
    people = cohort.Workspace(tmp_path)
    stack, n, budgets = people.stack(), len(cohort.GROUPS), [0.2 + 0.01 * index for index in range(12)]
    made = mechanisms.make(
        "matched", cohort.SHAPE, n, bounds.from_numbers([0.1] * 3, 3), people.template, {"mu_total": 1.0}, cohort.KERNEL
    )
    with artifacts.reader(stack, artifacts.CURVES) as source:
        curves = source["curves"]
    exact = made.decode(made.exact_mean(integer_sums.sum_people(made, lambda a, b: curves[a:b], n)))
    k = predictions.noise_constant("matched", cohort.SHAPE, bounds.from_numbers([0.1] * 3, 3), None, cohort.KERNEL)
    ratios = []
    for mu in budgets:
        _, released = people.release(stack, mu=mu, name=f"at_{round(1000 * mu)}")
        ratios.append(np.mean(np.sum((released - exact) ** 2, axis=1)) / predictions.predict_noise(k, n, mu) ** 2)
    variances = (made.back**2).ravel()
    freedom = len(budgets) * variances.sum() ** 2 / (variances**2).sum()
    low, high = chi2.ppf([5e-7, 1 - 5e-7], freedom) / freedom
    assert 0.6 < low < np.mean(ratios) < high < 1.6


VARIATION = people.variation(count=300)
SCALE = 200.0
LIMITS = bounds.from_numbers([0.02, 0.03, 0.04], people.SHAPE[0])
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
INPUTS = predictions.Inputs(people.SHAPE, SCALE, LIMITS, KERNEL, VARIATION)


def test_noise_is_what_is_left_of_the_mechanism_s():
    """All of it where the budget is large; less where chance is less than the noise, or the bound is lowered."""
    for n, mu, least, most in ((30, 300.0, 0.97, 1.03), (60, 0.5, 0.6, 0.8)):
        noise = math.sqrt(predictions.make_shaped(VARIATION, n, mu).worth().noise)
        assert least < predictions.predict(VARIATION, n, mu, SCALE).noise / (SCALE * noise) < most


@pytest.mark.slow
@pytest.mark.parametrize(("n", "mu"), [(60, 1.0), pytest.param(150, 0.5, marks=pytest.mark.thorough)])
def test_predicted_and_realised_error_agree_over_many_cohorts(n, mu):
    made = predictions.make_shaped(VARIATION, n, mu)
    predicted, squares = predictions.predict(VARIATION, n, mu, SCALE).error, []
    for seed in range(60):
        crowd, source = people.draw(n, 100 + seed), SeededNoise(seed)
        answers = ask(made, Rows.of(crowd), source)
        released = made.with_bound_from(answers[:-1]).decoder_for(answers[-1]).decode(answers[-1])
        squares.append(np.mean(np.sum((released - crowd.mean(axis=0)) ** 2, axis=1)))
    assert SCALE * math.sqrt(np.mean(squares)) == pytest.approx(predicted, rel=0.15)


def test_sampling_and_the_reference_by_hand():
    """The public people are spread by the sum of the variances, and their mean is the reference's own."""
    found = predictions.predict(VARIATION, 100, 1.0, SCALE)
    spread = SCALE * math.sqrt(people.VARIANCES.sum() + 3 * 1e-8)
    assert found.sampling == pytest.approx(spread / 10, rel=0.1)
    assert found.reference == pytest.approx(spread * math.sqrt(1 / 100 + 1 / 300), rel=0.35)


def test_the_people_needed_are_the_least():
    n = INPUTS.people_needed("shaped", 1.0, 0.3)
    assert INPUTS.predict("shaped", n, 1.0).error <= 0.3
    assert INPUTS.predict("shaped", n - 1, 1.0).error > 0.3
    assert INPUTS.people_needed("shaped", 1.0, 1e-9) is None


def test_the_people_needed_by_hand():
    """Noise K/(n mu): 100 mm for 1 person at mu = 1 take 200 people to half a millimetre, 400 at mu = 1/2."""
    k = INPUTS.predict("matched", 1, 1.0).noise
    assert INPUTS.people_needed("matched", 1.0, k / 200) == 200
    assert INPUTS.people_needed("matched", 0.5, k / 200) == 400


@pytest.mark.parametrize("bad", [{"n": 0}, {"mu": -1.0}, {"mu": math.nan}])
def test_questions_without_an_answer_are_refused(bad):
    with pytest.raises(ConfigError, match="must be a positive number"):
        INPUTS.predict("shaped", **{"n": 100, "mu": 1.0, **bad})


def test_without_a_public_set_shaped_cannot_be_foretold():
    alone = predictions.Inputs(people.SHAPE, SCALE, LIMITS, KERNEL)
    with pytest.raises(ConfigError, match="`shaped` has no forecast here; take one of matched_joint"):
        alone.predict("shaped", 100, 1.0)


def test_a_cohort_unlike_the_public_set_by_nothing_is_like_it_and_else_farther():
    """One axis of variance v at distance s sqrt(v) more: the reference lies sqrt(r^2 + s^2 sum v) off."""
    none = predictions.predict(people.variation(assumed_mean_shift=0, assumed_shift_outside_modes=0), 63, 1.0, SCALE)
    assert (none.unlike, none.reference_unlike) == pytest.approx((none.bias, none.reference))
    shifted = people.variation(assumed_mean_shift=0.5, assumed_shift_outside_modes=0.5)
    told = predictions.predict(shifted, 63, 1.0, SCALE)
    spread = float(shifted.variances.sum()) + float(shifted.outside.mean())
    assert told.reference_unlike == pytest.approx(math.hypot(told.reference, 0.5 * SCALE * math.sqrt(spread)))
    assert told.bias < told.unlike < told.reference_unlike
