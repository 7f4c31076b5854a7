"""Composition by hand cases and by the trade-off curves it stands on; caps name spent, asked and left."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.ledger import spending
from shapedp.ledger.spending import Cap, Group, sum_charges
from shapedp.privacy.accounting.cost import Cost, gaussian_of_pure

GAUSSIAN = Cost("gdp", mu=3.0)
PURE = Cost("pure", epsilon=1.0)
FEMALE, MALE, OTHER = (Group(name, "public", "sheet") for name in "fmo")


def alone(*costs):
    return sum_charges((cost, None) for cost in costs)


def test_gaussian_releases_add_up_in_quadrature():
    assert alone(GAUSSIAN, Cost("gdp", mu=4.0)).mu == pytest.approx(5.0, rel=1e-15)


def test_pure_releases_add_up():
    found = alone(PURE, PURE, PURE)
    assert found.epsilon == pytest.approx(3.0, rel=1e-15)
    assert found.rho == pytest.approx(1.5, rel=1e-15)


def test_a_mix_by_hand():
    """e/(1 + e) = .7310586, Phi^-1 of it = .6160, so mu = 1.2320 for epsilon = 1."""
    found = alone(GAUSSIAN, PURE)
    assert found.mu == pytest.approx(math.sqrt(9 + 1.2320**2), abs=1e-3)
    assert found.rho == pytest.approx(4.5 + 0.5, rel=1e-15)
    assert found.epsilon == 1.0


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 1.0, 4.0, 30.0])
def test_the_curve_of_the_converted_mu_lies_nowhere_above_that_of_epsilon(epsilon):
    """f_eps(a) = max(1 - e^eps a, e^-eps (1 - a)) >= Phi(Phi^-1(1 - a) - mu), with equality at a = 1/(1 + e^eps)."""
    alarms = np.concatenate([np.geomspace(1e-18, 0.4, 500), np.linspace(0.4, 1, 500), [1 / (1 + math.exp(epsilon))]])
    pure = np.maximum(1 - math.exp(epsilon) * alarms, math.exp(-epsilon) * (1 - alarms))
    gaussian = norm.cdf(norm.isf(alarms) - gaussian_of_pure(epsilon))
    assert np.all(gaussian <= pure + 1e-12)
    assert gaussian[-1] == pytest.approx(pure[-1], rel=1e-9)


def test_converting_each_release_is_never_worse_than_converting_their_sum():
    for first in np.geomspace(0.01, 30, 30):
        for second in np.geomspace(0.01, 30, 30):
            apart = math.hypot(gaussian_of_pure(first), gaussian_of_pure(second))
            assert apart <= gaussian_of_pure(first + second)


def test_public_groups_of_one_partition_cost_the_largest():
    found = sum_charges([(GAUSSIAN, FEMALE), (Cost("gdp", mu=4.0), MALE), (Cost("gdp", mu=1.0), OTHER)])
    assert found.mu == pytest.approx(4.0, rel=1e-15)


def private(costs):
    return [(cost, Group(name, "private", "sheet")) for cost, name in zip(costs, "abc", strict=False)]


def test_a_person_who_may_move_pays_most_for_staying():
    """mu^2 = 9, 16, 1: staying costs at most 16, moving at most (16 + 9)/4; rho the same, halved."""
    found = sum_charges(private([GAUSSIAN, Cost("gdp", mu=4.0), Cost("gdp", mu=1.0)]))
    assert found.mu == pytest.approx(4.0, rel=1e-15)
    assert found.rho == pytest.approx(8.0, rel=1e-15)


def test_pure_releases_count_in_full_in_both_groups():
    found = sum_charges(private([Cost("pure", epsilon=1.0), Cost("pure", epsilon=2.0), Cost("pure", epsilon=0.5)]))
    assert found.epsilon == pytest.approx(3.0, rel=1e-15)
    assert found.rho == pytest.approx((1 + 4) / 2, rel=1e-15)


def test_releases_of_the_same_group_and_of_everybody_add_up():
    found = sum_charges([(GAUSSIAN, FEMALE), (Cost("gdp", mu=4.0), FEMALE), (Cost("gdp", mu=12.0), None)])
    assert found.mu == pytest.approx(13.0, rel=1e-15)


def test_groups_of_different_partitions_are_not_disjoint():
    young = Group("young", "public", "another sheet")
    assert sum_charges([(GAUSSIAN, FEMALE), (Cost("gdp", mu=4.0), young)]).mu == pytest.approx(5.0, rel=1e-15)


def test_no_neighbour_tells_more_than_the_account_of_private_groups():
    """A search over pairs (x, a) -> (y, b): |x|, |y| <= 1 in 3 dimensions, noise of sd 2/mu on the sums of the groups'
    releases; a pair of means apart by d under isotropic noise of sd s is exactly (d/s)-GDP, releases in quadrature."""
    rng = np.random.default_rng(0)
    releases = [("a", 3.0), ("a", 1.0), ("b", 2.5), ("b", 2.0), ("c", 0.5)]
    account = sum_charges((Cost("gdp", mu=mu), Group(name, "private", "s")) for name, mu in releases).mu
    worst = 0.0
    for _ in range(3000):
        x, y = (v / max(1, np.linalg.norm(v)) for v in rng.normal(size=(2, 3)) * rng.choice([0.3, 3]))
        y = -x if rng.random() < 0.3 else y
        first, second = rng.choice(list("abc"), 2)
        shift = {name: (name == second) * y - (name == first) * x for name in "abc"}
        worst = max(worst, math.hypot(*(np.linalg.norm(shift[name]) * mu / 2 for name, mu in releases)))
    assert 0.99 * account < worst <= account * (1 + 1e-12)


def test_what_is_left_for_a_group_is_what_its_own_people_have_left():
    """Public groups: f spent 3 of 5, m nothing; m may still spend 5."""
    with pytest.raises(RefusedRelease, match=r"spent mu = 3, this release costs 6, left 5 of mu_total = 5"):
        spending.refuse_overspending("people", Cap(mu_total=5), [(GAUSSIAN, FEMALE)], Cost("gdp", mu=6.0), MALE)


def test_a_cap_is_met_exactly_in_spite_of_rounding():
    spent = [(Cost("gdp", mu=0.1), None)] * 9
    spending.refuse_overspending("people", Cap(mu_total=math.sqrt(10) * 0.1), spent, Cost("gdp", mu=0.1))


def test_overspending_names_spent_asked_and_left():
    with pytest.raises(RefusedRelease, match=r"'people'.*spent mu = 3, this release costs 5, left 4 of mu_total = 5"):
        spending.refuse_overspending("people", Cap(mu_total=5), [(GAUSSIAN, None)], Cost("gdp", mu=5.0))
    with pytest.raises(RefusedRelease, match=r"spent epsilon = 1, this release costs 1, left 0.5 of epsilon = 1.5"):
        spending.refuse_overspending("people", Cap(epsilon=1.5), [(PURE, None)], PURE)


def test_a_cap_on_epsilon_alone_admits_no_gaussian_release():
    with pytest.raises(RefusedRelease, match="no finite epsilon"):
        spending.refuse_overspending("people", Cap(epsilon=5), [], GAUSSIAN)


def test_pure_releases_count_towards_a_cap_on_mu():
    with pytest.raises(RefusedRelease, match=r"spent mu = 1\.2"):
        spending.refuse_overspending("people", Cap(mu_total=1.5), [(PURE, None)], PURE)


def test_releases_without_guarantee_are_counted_apart():
    found = alone(GAUSSIAN, Cost("none"))
    assert (found.mu, found.unprotected) == (3.0, 1)


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "gdp", "mu": 0.0},
        {"kind": "gdp", "mu": math.inf},
        {"kind": "gdp", "mu": math.nan},
        {"kind": "gdp", "epsilon": 1.0},
        {"kind": "pure", "epsilon": -1.0},
        {"kind": "pure", "mu": 1.0},
        {"kind": "none", "mu": 1.0},
        {"kind": "renyi", "mu": 1.0},
    ],
)
def test_costs_that_make_no_sense_are_refused(given):
    with pytest.raises(ConfigError):
        Cost(**given)
