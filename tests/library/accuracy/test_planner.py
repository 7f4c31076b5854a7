"""The planner foretells the noise that mechanisms state, and its inverse questions are inverse."""

import numpy as np
import pytest
from scipy.stats import chi2

from library.mechanisms import cohort
from shapedp import artifacts
from shapedp.accuracy import planner
from shapedp.errors import ConfigError
from shapedp.mechanisms import bounds, curve_mean, kernel
from shapedp.mechanisms import curve_mechanisms as mechanisms

SHAPE = (4, 3, 16)
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
TAU = [0.02, 0.03, 0.04]
PEOPLE = 0.1 * np.random.default_rng(0).normal(size=(40, *SHAPE))
SET = bounds.from_population(lambda a, b: PEOPLE[a:b], 40, np.zeros(SHAPE), 0.9, 1.2, "a public set", True)


@pytest.mark.parametrize("name", [name for name in mechanisms.NAMES if name != "pointwise_literal"])
@pytest.mark.parametrize(("n", "mu"), [(100, 0.5), (3000, 2.9661)])
def test_foretold_noise_is_that_of_the_mechanism(name, n, mu):
    made = mechanisms.make(name, SHAPE, n, SET, None, {"mu_total": mu}, KERNEL)
    stated = np.sqrt(np.mean(np.sum(made.noise_sd() ** 2, axis=1)))
    k = planner.strength(name, SHAPE, SET, None, KERNEL)
    assert planner.noise(k, n, mu) == pytest.approx(stated, rel=1e-9)


def test_strength_by_hand():
    """One tau for all blocks and equal filters: the split is even, K^2 = 3 (2 tau)^2 (3 J) sum s^2."""
    even = {**KERNEL, "phi": [0.01] * 3}
    eigenvalues = kernel.spectrum(SHAPE[2], 1.0, 1.0)
    power = np.sum((eigenvalues / (eigenvalues + 0.01)) ** 2)
    found = planner.strength("matched", SHAPE, bounds.from_numbers([0.1] * 3, SHAPE[0]), None, even)
    assert found == pytest.approx(np.sqrt(3 * 0.04 * 3 * SHAPE[0] * power))


def test_noise_grows_with_tau_and_falls_with_phi():
    def strength(factor=1.0, phi=0.01):
        tau = bounds.from_numbers(np.array(TAU) * factor, SHAPE[0])
        return planner.strength("matched_joint", SHAPE, tau, None, {**KERNEL, "phi": [phi] * 3})

    assert strength(2.0) == pytest.approx(2 * strength())
    assert strength(phi=0.1) < strength()


@pytest.mark.parametrize("target", [0.07, 0.5, 0.7, 500.0])
def test_as_many_people_as_needed_and_not_one_more(target):
    n = planner.people_needed(300.0, 2.0, target)
    assert planner.noise(300.0, n, 2.0) <= target
    assert n == 2 or planner.noise(300.0, n - 1, 2.0) > target


@pytest.mark.parametrize("target", [0.07, 0.5, 0.7, 500.0])
def test_with_the_chance_in_sampling_more_people_are_needed_and_no_more(target):
    n = planner.people_needed(300.0, 2.0, target, spread=4.0)
    assert planner.error(300.0, n, 2.0, 4.0) <= target * (1 + 1e-12)
    assert n == 2 or planner.error(300.0, n - 1, 2.0, 4.0) > target
    assert n >= planner.people_needed(300.0, 2.0, target)


def test_the_error_by_hand():
    """Noise 300/(100 . 1) = 3, sampling 40/10 = 4."""
    assert planner.error(300.0, 100, 1.0, 40.0) == pytest.approx(5)
    assert planner.people_needed(300.0, 1.0, 5.0, 40.0) == 100


def test_the_expected_sampling_error_is_that_of_many_cohorts():
    rng = np.random.default_rng(1)
    means = rng.normal(size=(4000, 25, 2)).mean(axis=1)
    assert np.sqrt(np.mean(np.sum(means**2, axis=1))) == pytest.approx(
        planner.error(0.0, 25, 1.0, np.sqrt(2)), rel=0.03
    )


@pytest.mark.parametrize("bad", [{"n": 0}, {"n": -3}, {"mu": 0}, {"mu": np.inf}, {"mu": np.nan}])
def test_questions_without_an_answer_are_refused(bad):
    with pytest.raises(ConfigError, match="must be a positive number"):
        planner.noise(300.0, **{"n": 100, "mu": 1.0, **bad})


def test_one_setting_changed_a_time():
    """Noise is proportional to tau, grows like the root of the number of curves, and falls with phi."""
    found = {}
    for setting, _, k in planner.variants(SHAPE, TAU, KERNEL):
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
    exact = made.exact(curve_mean.total(made, lambda a, b: curves[a:b], n))
    k = planner.strength("matched", cohort.SHAPE, bounds.from_numbers([0.1] * 3, 3), None, cohort.KERNEL)
    ratios = []
    for mu in budgets:
        _, released = people.release(stack, mu=mu, name=f"at_{round(1000 * mu)}")
        ratios.append(np.mean(np.sum((released - exact) ** 2, axis=1)) / planner.noise(k, n, mu) ** 2)
    variances = (made.back**2).ravel()
    freedom = len(budgets) * variances.sum() ** 2 / (variances**2).sum()
    low, high = chi2.ppf([5e-7, 1 - 5e-7], freedom) / freedom
    assert 0.6 < low < np.mean(ratios) < high < 1.6
