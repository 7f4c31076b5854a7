"""Each condition fails by its own fact and by no other, and takes the verdict with it."""

import re
import sys

import pytest

from library.releases import examples
from shapedp.privacy.accounting.cost import Cost
from shapedp.privacy.proofs import OwnProofs, Proofs
from shapedp.releases.statement import conditions, statement, statement_text

DATA = conditions.Origin("data")
BREAKS = {
    "public_bounds": {"bounds": (conditions.Bound("tau", 0.0498765, "square root of the face's area", DATA),)},
    "records_clipped": {"clipping": "none"},
    "records_within_bounds": {"within_bounds": False},
    "public_template": {"template": DATA},
    "public_reference": {"reference": DATA},
    "records_independent": {"made_of": ("curves", "mean_shape")},
    "fixed_count": {"rejected_become": "dropped"},
    "one_record_a_person": {"persons": "repeated"},
    "secret_noise": {"noise_secure": False},
    "exact_sampler": {"sampler": "mcmc"},
    "exact_arithmetic": {"exact_arithmetic": False},
    "output_grid": {"grid": None},
    "rounding_counted": {"rounding_counted": False},
    "solver_error_counted": {"solver": 0.0},
    "proved_calibration": {"calibration": "as_published"},
    "public_tuning": {"tuned_on": "data"},
}


FILE = conditions.Origin("file")
SAID = {  # facts under which somebody has something to declare, and the evidence that stands for it
    "public_records_apart": ({"reference": FILE}, "declared", "declared by whoever made the release"),
    "populations_apart": ({"disjoint_from": ("pilot_1", "b")}, "others than pilot_1, b", "others than pilot_1, b"),
    "reviewed_alone": ({"reviewed": "each_alone"}, "each_alone", "each scan looked at by itself"),
}


def test_every_condition_has_its_break():
    assert set(BREAKS) == set(conditions.CHECKS)
    assert set(SAID) == set(conditions.DECLARED_CHECKS)


@pytest.mark.parametrize("name", SAID)
def test_what_is_declared_is_a_condition_where_there_is_something_to_declare(name):
    """It stands among the last rows, with all else that was declared, and changes neither verdict nor cost."""
    changes, value, evidence = SAID[name]
    stated = statement.build(examples.request(), examples.stated(**changes), [])
    (found,) = [one for one in stated["conditions"] if one["name"] == name]
    assert (found["known"], found["value"], found["holds"]) == ("declared", value, True) and stated["formally_private"]
    assert name not in {one.name for one in conditions.check(examples.stated())}
    words = statement_text.render(stated)
    known = re.findall(r"\| yes \| ([\w ]+) \|", words[words.index("## What the verdict rests on") :])
    assert f"| {evidence} |" in words and known == sorted(known, key=lambda one: one == "declared")


def test_a_review_across_people_fails():
    (found,) = [one for one in conditions.check(examples.stated(reviewed="together")) if not one.holds]
    assert found.name == "reviewed_alone"


def test_all_conditions_hold_for_a_sound_release():
    assert all(condition.holds for condition in conditions.check(examples.stated()))


@pytest.mark.parametrize("name", BREAKS)
def test_exactly_the_broken_condition_fails(name):
    failed = [one.name for one in conditions.check(examples.stated(**BREAKS[name])) if not one.holds]
    assert failed == [name]


@pytest.mark.parametrize("name", BREAKS)
def test_the_verdict_falls_with_it_and_nothing_is_charged_as_a_guarantee(name):
    broken = examples.stated(**BREAKS[name])
    stated = statement.build(examples.request(), broken, [])
    assert not stated["formally_private"] and len(stated["reasons"]) == 1
    assert stated["guarantee"] == {"kind": "none"}
    assert stated["budget"]["after"]["unprotected"] == 1 and not stated["budget"]["holds"]
    assert statement.recorded_cost(examples.request().cost, broken) == Cost("none")


def test_a_mechanism_that_claims_nothing_fails_by_that_alone():
    """The last four conditions are the transaction's own. Three of them it enforces: it stops, see test_publishing:
    recorded_first (nothing is drawn where the ledger did not keep the intent), within_budget (overspending is refused),
    side_paths_closed (a file that may not be published is never shown)."""
    stated = statement.build(examples.request(cost=Cost("none")), examples.stated(), [])
    assert [one["name"] for one in stated["conditions"] if not one["holds"]] == ["claimed"]
    assert stated["reasons"] == ["The mechanism itself claims no guarantee."]
    assert not stated["formally_private"] and stated["guarantee"] == {"kind": "none"}


def test_every_condition_of_a_statement_is_broken_somewhere():
    names = {one["name"] for one in statement.build(examples.request(), examples.stated(), [])["conditions"]}
    assert names == {*BREAKS, "claimed", "recorded_first", "within_budget", "side_paths_closed"}


@pytest.mark.parametrize("solver", [0.0, -1e-10, float("nan")])
def test_a_solver_without_a_tolerance_fails(solver):
    failed = [one.name for one in conditions.check(examples.stated(solver=solver)) if not one.holds]
    assert failed == ["solver_error_counted"]


@pytest.mark.parametrize("truthy", ["yes", 1.0, "False", None])
def test_only_true_is_true(truthy):
    """A fact that was forgotten or misread must not pass."""
    for name in ("noise_secure", "within_bounds", "rounding_counted"):
        assert not all(one.holds for one in conditions.check(examples.stated(**{name: truthy})))


def test_no_bound_at_all_fails():
    assert not conditions.check(examples.stated(bounds=()))[0].holds


def test_one_bound_from_the_data_among_public_ones_fails():
    public = examples.stated().bounds[0]
    mixed = examples.stated(bounds=(public, *BREAKS["public_bounds"]["bounds"]))
    assert not conditions.check(mixed)[0].holds


OF_THE_LIBRARY = [(branch, name, one) for branch, known in statement.LIBRARY.items() for name, one in known.items()]


def sections_of(root):
    """{number: text} of the mathematics."""
    parts = re.split(r"(?m)^## (\d+)\.", (root / "docs/mathematics.md").read_text(encoding="utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def told_by(mechanism):
    """What the modules say of themselves in which a mechanism, or what it is made of, is written."""
    modules = [sys.modules[one.__module__] for one in mechanism.__mro__ if "shapedp" in one.__module__]
    return " ".join(one.__doc__ or "" for one in modules)


def names_of(mechanism):
    """A pattern of what a test may call a mechanism: its name, its class or one that it specialises, its module."""
    made = [one for one in mechanism.__mro__ if isinstance(getattr(one, "name", None), str)]
    words = *(one.name for one in made), *(one.__name__ for one in made), mechanism.__module__.rpartition(".")[2]
    return rf"\b({'|'.join(words)})\b"


@pytest.mark.parametrize(("branch", "name", "mechanism"), OF_THE_LIBRARY)
def test_what_holds_by_construction_names_proofs_and_tests_of_this_mechanism(root, branch, name, mechanism):
    """the software's mathematics, sections 11 and 14; its test test_differences"""
    known, facts = sections_of(root), examples.stated(branch=branch, mechanism=name)
    found = {one.name: one for one in conditions.check(facts) if one.known == conditions.BY_CONSTRUCTION}
    del found["solver_error_counted"]
    for condition, one in found.items():
        named = r"the software's mathematics, sections? ([\d and]+); its test (test_\w+)"
        sections, test = re.fullmatch(named, one.source).groups()
        (path,) = [*(root / "tests/library").rglob(f"{test}.py")] or (root / "tests/scripts").rglob(f"{test}.py")
        named_there = [f"{path.relative_to(root)}::" in known[number] for number in sections.split(" and ")]
        assert any(named_there), (condition, "no such section names this test")
        if condition in ("records_clipped", "proved_calibration"):
            assert re.search(names_of(mechanism), path.read_text(encoding="utf-8"), re.IGNORECASE), condition
            cited = set(re.findall(r"\((\d+)\.\d+\)|section (\d+)", told_by(mechanism)))
            assert set(sections.split(" and ")) <= {number for pair in cited for number in pair}, condition


def test_what_a_later_stage_follows_from_besides_public_inputs_is_told():
    told = {one.name: one.requirement for one in conditions.check(examples.stated())}
    for name in ("public_bounds", "records_independent"):
        assert told[name].endswith("noised answers that this release pays for.")


def test_who_solves_names_the_proof_of_the_solver_and_an_own_mechanism_its_class(root):
    facts = examples.stated(solver=1e-10)
    (found,) = [one for one in conditions.check(facts) if one.name == "solver_error_counted"]
    assert found.source == "the software's mathematics, sections 4 and 6; its test test_certified_mean"
    assert "test_certified_mean.py::" in sections_of(root)["4"]
    own = [one for one in conditions.check(examples.stated(mechanism="toy")) if one.known == conditions.BY_CONSTRUCTION]
    assert {one.source for one in own} == {"the mechanism's class"}


def test_an_own_mechanism_states_where_its_own_proof_is():
    proofs = OwnProofs.from_proofs(Proofs(moved=("Lemma 2", "test_lemma")))
    found = {one.name: one.source for one in conditions.check(examples.stated(mechanism="toy", proofs=proofs))}
    assert found["records_clipped"] == "the mechanism's class: Lemma 2; its test test_lemma"
    assert conditions.machine_checked(proofs, found["records_clipped"]) == []


def test_who_is_one_person_is_declared_where_no_sheet_names_persons():
    known = {
        persons: next(one for one in conditions.check(examples.stated(persons=persons)) if "person" in one.name)
        for persons in ("refuse", "declared", "repeated")
    }
    assert {name: (one.known, one.holds, one.source[:2]) for name, one in known.items()} == {
        "refuse": ("checked", True, "na"),
        "declared": ("declared", True, "no"),
        "repeated": ("checked", False, "na"),
    }
    stated = statement.build(examples.request(), examples.stated(persons="declared"), [])
    assert "| declared | declared by whoever made the release |" in statement_text.render(stated)


def test_no_cell_says_done_stated_or_a_code_name():
    for change in ({}, *BREAKS.values()):
        words = statement_text.render(statement.build(examples.request(), examples.stated(**change), []))
        cells = {cell.strip() for line in words.splitlines() if line.startswith("|") for cell in line.split("|")}
        assert not cells & {"done", "stated", "gdp", "enforced", "True", "reference", "refuse"}
