"""What is left is what the ledger would still admit, and what is foretold is what it then charges."""

import json
import math
import shutil
from unittest import mock

import pytest

from library.releases import examples
from shapedp.app.forecast import budgets
from shapedp.base.errors import RefusedRelease
from shapedp.ledger import planned, spending
from shapedp.ledger.ledger_folder import Ledger
from shapedp.people.samples import Sample
from shapedp.privacy.accounting.cost import GAUSSIAN, PURE, Cost
from shapedp.releases import protocol

SPENT = [(Cost(GAUSSIAN, mu=1.2), None), (Cost(PURE, epsilon=0.5), None)]
FACES = {"curves": {"count": 4}}


def budget(mu_total=2.0, epsilon=None):
    return budgets.Budget("people", spending.Cap(mu_total, epsilon), tuple(SPENT))


def admitted(one, cost):
    """What the ledger itself says."""
    try:
        spending.refuse_overspending("people", one.cap, SPENT, cost)
    except RefusedRelease:
        return False
    return True


@pytest.mark.parametrize("epsilon", [None, 0.7, 3.0])
@pytest.mark.parametrize(
    "cost", [Cost(GAUSSIAN, mu=1.0), Cost(GAUSSIAN, mu=1.9), Cost(PURE, epsilon=0.19), Cost(PURE, epsilon=1.0)]
)
def test_the_ledger_admits_what_the_forecast_allows(cost, epsilon):
    one = budget(epsilon=epsilon)
    assert one.after(cost)[1] == admitted(one, cost)


def test_all_that_is_left_may_be_spent_and_nothing_more():
    one = budget()
    left, allowed = one.after(Cost(GAUSSIAN, mu=one.left))
    assert allowed
    assert admitted(one, Cost(GAUSSIAN, mu=one.left))
    assert left == pytest.approx(0, abs=1e-7)
    assert not one.after(Cost(GAUSSIAN, mu=one.left * (1 + 1e-6)))[1]


def test_without_a_cap_nothing_is_refused():
    left, allowed = budget(mu_total=None).after(Cost(GAUSSIAN, mu=50.0))
    assert (left, allowed) == (math.inf, True)


@pytest.mark.parametrize(
    ("asked", "mu"),
    [({"mu_total": 1.5}, 1.5), ({"mu": [0.3, 0.4, 1.2]}, math.sqrt(4 * (0.09 + 0.16 + 1.44)))],
)
def test_an_entry_costs_what_its_curves_cost_together(asked, mu):
    assert planned.price_entry({"budget": asked}, FACES).mu == pytest.approx(mu)


def settings(releases, folder, cap=2.0):
    return {
        "faces": {**FACES, "releases": releases},
        "shapes": None,
        "privacy": {"ledger": str(folder), "population": {"faces": "people"}, "cap": {"faces": {"mu_total": cap}}},
    }


def test_releases_are_charged_one_after_the_other_and_the_one_too_many_is_foretold(tmp_path):
    asked = [{"name": name, "budget": {"mu_total": 1.2}} for name in ("a", "b", "c")]
    head, first, second, third = budgets.describe_spending(settings(asked, tmp_path / "ledger"), tmp_path)
    assert head == "faces: population 'people' has spent mu = 0 of 2; mu = 2 is left (mu adds up in quadrature)"
    assert first == "  'a' will spend mu = 1.2; then mu = 1.6 is left"
    assert second.endswith("then mu = 1.058 is left")
    assert third == "  'c' asks for mu = 1.2, more than the mu = 1.058 left: it will be refused"
    assert not (tmp_path / "ledger").exists(), "asking makes nothing"


SIZES = {"a": 2, "b": 2}
MEMBERS = [Sample(who, "", who, group) for who, group in zip("1234", "aabb", strict=True)]


@pytest.mark.parametrize("membership", [spending.PRIVATE, spending.PUBLIC])
def test_groups_are_foretold_as_the_ledger_counts_them(tmp_path, membership):
    """One release of each of two groups costs what one does; what is of everybody comes on top: (2.7)."""
    names = [{"name": group, "group": group} for group in SIZES] + [{"name": "all"}]
    asked = settings([one | {"budget": {"mu_total": 1.2}} for one in names], tmp_path / "ledger")
    asked["privacy"]["groups"] = {"membership": membership, "sizes": SIZES}
    _, *told = budgets.describe_spending(asked, tmp_path, members=MEMBERS)
    assert [line.split("then ")[1] for line in told] == [f"mu = {left} is left" for left in ("1.6", "1.6", "1.058")]
    key, part_of = Ledger(tmp_path / "ledger").key(), protocol.select_part
    charged = part_of("a", asked["privacy"], key, [one.person for one in MEMBERS], [one.group for one in MEMBERS]).group
    begun = budgets.Budget("people", spending.Cap(2.0), ((Cost(GAUSSIAN, mu=1.2), charged),), ("a",))
    with mock.patch.object(budgets, "read_budget", lambda branch, privacy: begun):
        *_, second, everybody = budgets.describe_spending(asked, tmp_path, members=MEMBERS)
    assert second.endswith("then mu = 1.6 is left") and everybody.endswith("then mu = 1.058 is left")


def test_releases_that_exceed_the_cap_together_are_refused_before_the_first(tmp_path):
    asked = [{"name": name, "budget": {"mu_total": 1.2}} for name in ("a", "b", "c")]
    budgets.refuse_together(settings(asked[:2], tmp_path / "ledger"), tmp_path)
    with pytest.raises(RefusedRelease, match=r"'c' asks for mu = 1.2.*nothing spent"):
        budgets.refuse_together(settings(asked, tmp_path / "ledger"), tmp_path)


def test_a_release_that_the_ledger_knows_is_not_charged_again(tmp_path, monkeypatch):
    known = budgets.Budget("people", spending.Cap(2.0), ((Cost(GAUSSIAN, mu=1.9), None),), ("a",))
    monkeypatch.setattr(budgets, "read_budget", lambda branch, privacy: known)
    asked = settings([{"name": "a", "budget": {"mu_total": 1.9}}], tmp_path)
    assert "'a' is in the ledger: the same release is returned" in list(budgets.describe_spending(asked, tmp_path))[1]
    budgets.refuse_together(asked, tmp_path)


def test_what_is_released_spends_nothing_more(tmp_path):
    made = tmp_path / "release/faces/a"
    made.mkdir(parents=True)
    (made / "statement.json").write_text("{}")
    asked = [{"name": "a", "budget": {"mu_total": 1.2}}]
    for stated in ({}, {"budget": {"population": "people"}}):
        (made / "statement.json").write_text(json.dumps(stated))
        assert "  'a' is released and spends nothing more" in budgets.describe_spending(
            settings(asked, tmp_path / "l"), tmp_path
        )
    assert "  faces.releases is empty: nothing will be spent" in budgets.describe_spending(
        settings([], tmp_path / "l"), tmp_path
    )


def test_a_folder_with_another_populations_release_is_not_said_to_be_this_one(tmp_path):
    made = tmp_path / "release/faces/a"
    made.mkdir(parents=True)
    (made / "statement.json").write_text(json.dumps({"budget": {"population": "others"}}))
    asked = [{"name": "a", "budget": {"mu_total": 1.2}}, {"name": "b", "budget": {"mu_total": 1.2}}]
    _, first, second = budgets.describe_spending(settings(asked, tmp_path / "l"), tmp_path)
    assert "a release of population 'others'" in first and first.endswith(
        "give it another name; nothing of it is spent"
    )
    assert second == "  'b' will spend mu = 1.2; then mu = 1.6 is left"


def test_a_run_says_at_its_opening_what_the_ledger_lacks(tmp_path):
    ledger, asked = tmp_path / "ledger", [{"name": "b", "budget": {"mu_total": 1.2}}]
    examples.publish(Ledger(ledger), examples.request(), examples.stated(), examples.Draw(), examples.output(tmp_path))
    whole = list(budgets.describe_spending(settings(asked, ledger), tmp_path / "results"))
    assert not any("stands in no line" in line for line in whole)
    shutil.rmtree(ledger)
    _, behind, *_ = budgets.describe_spending(settings(asked, ledger), tmp_path / "results")
    assert "shapedp ledger restore people --from" in behind and not ledger.exists()


def test_a_plan_says_what_its_releases_come_to_together():
    prices = [(Cost(GAUSSIAN, mu=1.0), None), *[(Cost(PURE, epsilon=1.0), None)] * 3]
    (words,) = budgets.describe_total(prices)
    assert words == "  these 4 together reveal at most epsilon = 7.887 at delta = 1e-06"
    assert list(budgets.describe_total(prices[:1])) == list(budgets.describe_total([prices[0]] * 3)) == []
    group = spending.Group("a", "public", "sheet")
    assert list(budgets.describe_total([prices[0], (prices[1][0], group)])) == []
