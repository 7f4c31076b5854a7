"""Releases that are planned together: never below what they come to at least, and less than the other bounds say."""

import numpy as np
import pytest

from shapedp.ledger import planned, spending
from shapedp.privacy.accounting.cost import GAUSSIAN, PURE, Cost, gdp_epsilon
from shapedp.releases.statement import guarantees

pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
pytestmark = pytest.mark.slow  # dp-accounting takes a second to import
DELTA = guarantees.STATED_DELTA


def random_plan(rng):
    """Costs of one to nine releases, Gaussian and pure."""
    gaussian = np.exp(rng.uniform(-2, 1.2, rng.integers(0, 4)))
    pure = np.exp(rng.uniform(-3, 1, rng.integers(0 if len(gaussian) else 1, 6)))
    return [*(Cost(GAUSSIAN, mu=float(mu)) for mu in gaussian), *(Cost(PURE, epsilon=float(one)) for one in pure)]


def stated(costs):
    """The epsilon that a statement gives of these."""
    charges = [(cost, None) for cost in costs]
    return guarantees.describe_total(spending.sum_charges(charges), spending.sum_gaussian_mu(charges))["at_delta"][
        "epsilon"
    ]


def below_least(costs):
    """Whether what is stated, or planned, of these lies below what they come to at least."""
    least = planned.planned_epsilon(costs, DELTA, is_least=True) - 1e-9
    return min(stated(costs), planned.planned_epsilon(costs, DELTA)) < least


def test_no_plan_lies_below_what_its_loss_comes_to_at_least():
    rng = np.random.default_rng(3)
    assert not any(below_least(random_plan(rng)) for _ in range(20))


def test_gaussian_releases_come_to_what_their_mu_says():
    costs = [Cost(GAUSSIAN, mu=0.6), Cost(GAUSSIAN, mu=0.8)]
    assert planned.planned_epsilon(costs, DELTA) == pytest.approx(gdp_epsilon(1.0, DELTA), abs=2e-3)


def test_many_small_pure_releases_come_to_less_than_their_sum():
    costs = [Cost(PURE, epsilon=0.1)] * 30
    assert planned.planned_epsilon(costs, DELTA) < 0.9 * stated(costs)
