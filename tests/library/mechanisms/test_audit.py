"""The audit sees what it should: mechanisms keep their claims, broken ones are caught."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from shapedp.mechanisms import audit, audit_cases, noise

DRAWS = 40_000  # each Gaussian case fails by chance with probability at most 1e-3


def test_the_upper_bound_is_that_of_clopper_and_pearson():
    for hits in (0, 3, 50, 99, 100):
        exact = binomtest(hits, 100).proportion_ci(audit.CONFIDENCE, "exact").high
        assert audit.upper_rate(hits, 100) == pytest.approx(exact, abs=1e-9)


def test_two_normal_laws_one_apart_are_found_to_be_nearly_one_apart():
    rng = np.random.default_rng(0)
    found = audit.attack(rng.normal(0, 1, 100_000), rng.normal(1, 1, 100_000))
    assert 0.9 < found.mu <= 1


def test_equal_laws_show_nothing():
    rng = np.random.default_rng(1)
    assert audit.attack(rng.normal(size=20_000), rng.normal(size=20_000)).mu <= 0


def test_randomised_response_shows_its_epsilon():
    """A bit that is told truly with probability e/(1 + e) is 1-DP."""
    rng = np.random.default_rng(2)
    truth = rng.random((2, 200_000)) < np.e / (1 + np.e)
    found = audit.attack(np.where(truth[0], 0.0, 1.0), np.where(truth[1], 1.0, 0.0))
    assert 0.9 < found.epsilon <= 1


@pytest.fixture(scope="module")
def cases():
    return list(audit_cases.cases(noise.SecureNoise(), DRAWS))


def test_every_case_is_as_expected(cases):
    assert [(one.name, one.claim, one.found) for one in cases if not one.as_expected] == []
    assert sum(one.control for one in cases) == 4


def test_attacks_on_gaussian_mechanisms_come_within_a_quarter_of_the_claim(cases):
    gaussian = [one for one in cases if one.unit == "mu" and not one.control]
    assert len(gaussian) == len(audit_cases.GAUSSIAN)
    assert all(0.75 * one.claim <= one.found <= one.claim for one in gaussian)


def test_the_published_scale_of_kng_loses_1_28(cases):
    (published,) = [one for one in cases if "as published" in one.name]
    assert published.found == pytest.approx(1.28, abs=0.01)


def test_a_miss_rate_of_one_half_is_no_evidence():
    assert norm.isf(audit.upper_rate(50, 100)) < 0
