"""Releases that are planned together: never below what they come to at least, and less than the other bounds say."""

import itertools
import json
import math
import shutil

import numpy as np
import pytest

from library.releases import examples
from shapedp.base.errors import ArtifactError, RefusedRelease
from shapedp.ledger import planned, population_ledger, restoring, spending
from shapedp.ledger.ledger_folder import Ledger
from shapedp.privacy.accounting.cost import GAUSSIAN, PURE, Cost, gdp_epsilon
from shapedp.releases.statement import guarantees, statement, statement_text

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
    least = planned.planned_epsilon(tuple(costs), DELTA, is_least=True) - 1e-9
    return min(stated(costs), planned.planned_epsilon(tuple(costs), DELTA)) < least


def random_history(rng):
    """(plan, charges) of a ledger: some planned releases in any order, some cheaper, and some outside the plan."""
    plan = random_plan(rng)
    drawn = [plan[index] for index in rng.permutation(len(plan))[: rng.integers(1, len(plan) + 1)]]
    drawn = [planned.scale_cost(cost, rng.choice([1.0, 0.7])) for cost in drawn]
    outside = random_plan(rng)[: rng.integers(0, 3)]
    history = [*drawn, *outside]
    return plan, [(history[index], None) for index in rng.permutation(len(history))]


def statement_below_least(plan, charges):
    """Whether a statement gives less for these charges than they come to at least, or than the plan does."""
    total = planned.bound_total(plan, charges, DELTA)
    least = planned.planned_epsilon(tuple(cost for cost, _ in charges), DELTA, is_least=True) - 1e-9
    found = guarantees.describe_total(spending.sum_charges(charges), spending.sum_gaussian_mu(charges), total)
    by_plan = planned.planned_epsilon(tuple(plan), DELTA, is_least=True) - 1e-9
    return found["at_delta"]["epsilon"] < least or (total is not None and total.epsilon < max(least, by_plan))


def test_no_plan_lies_below_what_its_loss_comes_to_at_least():
    rng = np.random.default_rng(3)
    assert not any(below_least(random_plan(rng)) for _ in range(20))


def test_no_statement_lies_below_what_its_ledger_comes_to_at_least():
    rng = np.random.default_rng(5)
    assert not any(statement_below_least(*random_history(rng)) for _ in range(20))


def test_gaussian_releases_come_to_what_their_mu_says():
    costs = (Cost(GAUSSIAN, mu=0.6), Cost(GAUSSIAN, mu=0.8))
    assert planned.planned_epsilon(costs, DELTA) == pytest.approx(gdp_epsilon(1.0, DELTA), abs=2e-3)


def test_many_small_pure_releases_come_to_less_than_their_sum():
    costs = (Cost(PURE, epsilon=0.1),) * 30
    assert planned.planned_epsilon(costs, DELTA) < 0.9 * stated(costs)


def delta_at(epsilon, losses):
    """delta of answers with these (probability on D, log ratio to that on D')."""
    return math.fsum(p * -math.expm1(epsilon - loss) for p, loss in losses if loss > epsilon)


def play(rng, left, p=1.0, loss=0.0):
    """Yield (probability, loss) of each end of a game in which whoever asks chooses, after each answer, which of the
    epsilons that are left to spend, and on a question that points to D or to D', or stops."""
    if not left or rng.random() < 0.15:
        yield p, loss
        return
    index, sign = rng.integers(len(left)), rng.choice([-1, 1])
    epsilon, rest = left[index], (*left[:index], *left[index + 1 :])
    for side in (sign, -sign):
        yield from play(rng, rest, p / (1 + math.exp(-side * epsilon)), loss + side * epsilon)


def test_no_order_choice_or_early_stop_of_a_plan_tells_more_than_all_of_it():
    """By enumeration of all answers, of randomized responses, the worst of all pure releases."""
    rng, epsilons = np.random.default_rng(2), (0.2, 0.5, 0.9, 1.4)
    signs = [np.array(signs) for signs in itertools.product((-1, 1), repeat=len(epsilons))]
    whole = [(float(np.prod(1 / (1 + np.exp(-side * epsilons)))), float(side @ epsilons)) for side in signs]
    games = [list(play(rng, epsilons)) for _ in range(300)]
    assert all(math.fsum(p for p, _ in game) == pytest.approx(1) for game in games)
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        most = max(delta_at(epsilon, game) for game in games)
        assert most <= delta_at(epsilon, whole) * (1 + 1e-12)
        assert most > 0.9 * delta_at(epsilon, whole)


PLAN = (Cost(GAUSSIAN, mu=0.5), *[Cost(PURE, epsilon=0.2)] * 12)
ALL = [(cost, None) for cost in PLAN]


def by_plan(plan=PLAN, charges=ALL):
    return planned.bound_total(plan, charges, DELTA)


def test_a_release_takes_the_least_planned_cost_that_suffices_and_each_is_taken_once():
    plan = [Cost(GAUSSIAN, mu=1.0), Cost(GAUSSIAN, mu=2.0), Cost(PURE, epsilon=1.0)]
    costs = [Cost(GAUSSIAN, mu=0.9), Cost(GAUSSIAN, mu=0.9), Cost(GAUSSIAN, mu=0.9), Cost(PURE, epsilon=1.1)]
    assert planned.select_outside(plan, costs) == costs[2:]
    assert planned.select_outside(plan, [Cost(GAUSSIAN, mu=2.0), Cost(GAUSSIAN, mu=1.5)]) == [Cost(GAUSSIAN, mu=1.5)]
    assert planned.select_outside(plan, [Cost(PURE, epsilon=1.0 + 1e-15)]) == []


def test_the_whole_plan_counts_from_the_first_release_on_and_in_any_order():
    first, last = by_plan(charges=ALL[:2]), by_plan(charges=ALL[::-1])
    assert first == last == by_plan() and first.outside == 0


def test_what_lies_outside_the_plan_is_added():
    gaussian, pure = (Cost(GAUSSIAN, mu=1.0), None), (Cost(PURE, epsilon=0.7), None)
    assert by_plan(charges=[*ALL, pure]).epsilon == pytest.approx(by_plan().epsilon + 0.7)
    wider = by_plan(charges=[*ALL, gaussian])
    assert wider.outside == 1
    assert wider.epsilon == pytest.approx(planned.planned_epsilon((*PLAN, gaussian[0]), DELTA), abs=1e-3)
    rounded = (Cost(PURE, epsilon=0.2), None), (Cost(GAUSSIAN, mu=0.5, eta=0.01), None)
    assert by_plan(charges=rounded).epsilon == pytest.approx(by_plan().epsilon + 0.02)


GROUP = spending.Group("a", "public", "sheet")
WITHOUT_PLAN = {
    "no plan": ((), ALL),
    "a charge of a group": (PLAN, [*ALL, (Cost(PURE, epsilon=0.2), GROUP)]),
    "a release without guarantee": (PLAN, [*ALL, (Cost("none"), None)]),
    "Gaussian releases alone": (PLAN, [ALL[0], ALL[0]]),
    "a single release": (PLAN, ALL[1:2]),
    "more than anybody promises": ((*PLAN, Cost(PURE, epsilon=200.0)), ALL),
}


@pytest.mark.parametrize("case", WITHOUT_PLAN)
def test_where_a_plan_says_nothing_the_other_bounds_stand(case):
    assert by_plan(*WITHOUT_PLAN[case]) is None


def test_without_the_accountant_the_other_bounds_stand(monkeypatch):
    monkeypatch.setattr(planned, "is_available", lambda: False)
    assert by_plan() is None


SETTINGS = {
    "privacy": {"population": {"faces": "people", "shapes": "people"}},
    "faces": {
        "curves": {"count": 2},
        "releases": [{"budget": {"mu": [0.25, 0.5, 0.25]}}, {"budget": {"mu_total": 9.0}, "group": "a"}],
    },
    "shapes": {"releases": [{"budget": {"epsilon": 1.0}}]},
}


def test_a_plan_holds_all_releases_of_everybody_that_are_charged_to_one_population():
    assert planned.price_plan(SETTINGS, "shapes") == (
        Cost(GAUSSIAN, mu=0.75**0.5),
        Cost(PURE, epsilon=1.0),
    )
    others = SETTINGS | {"privacy": {"population": {"faces": "people", "shapes": "others"}}}
    assert planned.price_plan(others, "shapes") == (Cost(PURE, epsilon=1.0),)
    assert planned.price_plan(SETTINGS | {"faces": None}, "shapes") == (Cost(PURE, epsilon=1.0),)


class House:
    """A ledger, and releases of a plan that are made of it one after the other."""

    def __init__(self, folder):
        self.folder, self.ledger = folder, Ledger(folder / "ledger")
        self.path = folder / "ledger/people.jsonl"

    def publish(self, name, cost, plan=PLAN):
        """Make a release; its statement."""
        asked = examples.request(name=name, cost=cost, inputs_digest=name)
        shown = examples.output(self.folder, name)
        examples.publish(self.ledger, asked, examples.stated(), examples.Draw(), shown, plan=plan)
        return json.loads((shown / "statement.json").read_text())

    def publish_plan(self, plan=PLAN):
        """Make all releases of PLAN; what the last statement says of all of them."""
        for index, cost in enumerate(PLAN):
            stated_last = self.publish(f"number_{index}", cost, plan)
        return stated_last["budget"]["after"]["at_delta"]


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def test_the_first_charge_alone_carries_the_plan_and_the_statement_says_why_it_counts(house):
    found = house.publish_plan()
    lines = [json.loads(line) for line in house.path.read_text().splitlines()]
    planned_lines = [line for line in lines if "plan" in line]
    assert [line["event"] for line in planned_lines] == ["intent"] and len(lines) == 1 + 2 * len(PLAN)
    assert population_ledger.read_plan(planned_lines[0]) == PLAN
    assert found == {
        "delta": DELTA,
        "epsilon": by_plan().epsilon,
        "by": "planned",
        "unplanned": pytest.approx(stated(PLAN)),
        "plan": {"mu": [0.5], "epsilon": [0.2] * 12, "outside": 0},
    }
    assert found["epsilon"] < 0.95 * found["unplanned"]
    words = (examples.output(house.folder, "number_12") / "statement.md").read_text()
    assert "by what all planned releases tell together, made or not: Gaussian ones with mu = 0.5; pure ones" in words
    assert "these costs stood in the ledger before any noise was drawn" in words
    early = (examples.output(house.folder, "number_1") / "statement.md").read_text()
    assert "It counts the releases that were begun so far, not those that are only planned." in early


def test_a_plan_that_came_after_the_first_charge_is_no_plan(house):
    house.publish("before", Cost(GAUSSIAN, mu=0.01), plan=())
    assert house.publish_plan()["by"] != "planned"
    assert not any("plan" in json.loads(line) for line in house.path.read_text().splitlines())


def test_releases_that_were_added_to_the_settings_later_lie_outside_the_plan(house):
    house.publish_plan(PLAN[:-3])
    total = house.publish("later", Cost(PURE, epsilon=0.01), plan=PLAN * 2)["budget"]["after"]["at_delta"]
    assert total["by"] != "planned" or total["plan"]["outside"] == 4


def test_a_plan_that_was_changed_in_the_ledger_stops_everything(house):
    house.publish_plan()
    lines = house.path.read_text()
    changed = lines.replace('"epsilon":0.2,"kind":"pure"}]', '"epsilon":0.1,"kind":"pure"}]')
    assert changed != lines
    house.path.write_text(changed)
    with pytest.raises(ArtifactError, match="changed, moved or damaged"):
        house.publish("more", PLAN[1])


def test_of_a_ledger_that_was_entered_from_statements_no_plan_is_known(house):
    house.publish_plan()
    backup = house.folder / "backup"
    shutil.copytree(house.ledger.folder, backup)
    house.publish("more", Cost(PURE, epsilon=0.01))
    shutil.rmtree(house.ledger.folder)
    backup.rename(house.ledger.folder)
    shown = restoring.read_published(house.folder / "results/release")
    with house.ledger.open_book("people") as book:
        restoring.restore(book, shown)
    with house.ledger.read_book("people") as book:
        assert population_ledger.read_plan(book.list_intents()[0]) == PLAN and book.find_plan() == ()
    assert house.publish("last", Cost(PURE, epsilon=0.01))["budget"]["after"]["at_delta"]["by"] != "planned"


@pytest.mark.parametrize("lost", ["plan", "unplanned"])
def test_a_statement_by_a_plan_that_it_does_not_name_is_refused(house, lost):
    house.publish_plan()
    found = json.loads((examples.output(house.folder, "number_12") / "statement.json").read_text())
    statement_text.render(statement.check(found))
    del found["budget"]["after"]["at_delta"][lost]
    with pytest.raises(RefusedRelease, match=r"at_delta: .*\(required\)"):
        statement.check(found)
