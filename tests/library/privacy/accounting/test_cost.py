"""Budgets compose in quadrature, and the best split is a minimum."""

import numpy as np
import pytest
from scipy.optimize import minimize

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.accounting import cost


def test_the_papers_budget():
    """23 curves with (.2, .2, .55): mu_T = sqrt(23 (.04 + .04 + .3025)) = 2.9661, not the captions' 2.9961."""
    assert cost.compose_mu(cost.mu_of_each_curve([0.2, 0.2, 0.55], 23)) == pytest.approx(2.9661, abs=5e-5)


def test_the_best_split_by_hand():
    """Costs 1 and 16: mu^2 in proportion to 1 and 4."""
    assert np.allclose(cost.best_split(np.sqrt(5), np.array([1.0, 16.0])), [1, 2])


def test_the_best_split_spends_all_and_nothing_does_better():
    costs = np.random.default_rng(0).uniform(0.1, 10, size=5)
    found = cost.best_split(2.0, costs)
    assert cost.compose_mu(found) == pytest.approx(2.0)

    def noise(logs):
        share = np.exp(logs) / np.exp(logs).sum()
        return np.sum(costs / (4 * share))

    best = minimize(noise, np.zeros(5), method="BFGS", options={"gtol": 1e-10}).fun
    assert np.sum(costs / found**2) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("mu", [[0.2, 0.2], [0.2, 0, 0.5], [0.2, -1, 0.5], [0.2, np.inf, 0.5], [np.nan, 0.2, 0.5]])
def test_budgets_that_are_none_are_refused(mu):
    with pytest.raises(RefusedRelease, match="three positive numbers"):
        cost.mu_of_each_curve(mu, 23)


@pytest.mark.parametrize("mu_total", [0, -1, np.inf, np.nan])
def test_totals_that_are_none_are_refused(mu_total):
    with pytest.raises(RefusedRelease, match="mu_total"):
        cost.best_split(mu_total, np.ones(3))


def test_budgets_as_published_are_the_papers_at_its_own_size_and_as_large_at_any():
    assert cost.published_budget(23, 2.9661)["mu"] == pytest.approx([0.2, 0.2, 0.55], rel=1e-4)
    each = np.array(cost.published_budget(64, 1.0)["mu"])
    assert np.sqrt(64 * np.sum(each**2)) == pytest.approx(1.0)
