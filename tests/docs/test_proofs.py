"""The proofs are whole, their page is that of their list, and the code computes what they bound."""

import ast
import re
import shutil

import numpy as np
import pytest

from docs import proof_ties, proof_witnesses
from shapedp.privacy.differences import ShapedWithSpread
from shapedp.releases.statement import conditions, statement

COUNT = 200  # random points; the extreme ones come besides


@pytest.fixture(scope="module")
def prove():
    return proof_ties.load_prove()


@pytest.mark.slow
@pytest.mark.thorough
def test_coq_accepts_every_proof_and_the_page_is_that_of_the_list(prove, root):
    if not shutil.which("coqc"):
        pytest.skip("coqc is missing: the Debian package coq is not installed")
    assert (root / "docs/proofs.md").read_text(encoding="utf-8") == prove.page(prove.checked()), "run make prove"


def test_the_page_is_that_of_the_list(prove, root):
    shown = (root / "docs/proofs.md").read_text(encoding="utf-8")
    assumed = set(re.findall(r"`([\w.]+)`", shown.split("together: ")[1].split("|")[0]))
    assert assumed <= prove.OF_THE_REALS
    assert shown == prove.page(assumed), "run make prove"
    assert (root / "workflow/schemas/proofs.json").read_text(encoding="utf-8") == prove.proved(), "run make prove"


def test_a_gap_or_a_further_axiom_is_seen(prove):
    assert prove.gaps("Lemma a : False. Admitted.") == ["Admitted"]
    assert prove.gaps(prove.source()) == []
    assert prove.axioms("Axioms:\nSensitivity.false : False\n  : more\nA.b\n  : forall x, x\n") == {
        "Sensitivity.false",
        "A.b",
    }


def test_every_name_of_the_list_exists(prove, root):
    proofs, page = prove.source(), (root / "docs/mathematics.md").read_text(encoding="utf-8")
    for entry in prove.statements():
        assert f"\\tag{{{entry['number']}}}" in page
        assert ("theorems" in entry) != ("paper" in entry), entry["number"]
        for name in entry.get("theorems", []):
            assert f"Theorem {name} :" in proofs
        for test in [*entry["tied"], *(one["test"] for one in entry["outside"])]:
            file, name = test.split("::")
            tree = ast.parse((root / file).read_text(encoding="utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, test


def test_statements_name_what_a_machine_checked_of_their_mechanism(prove):
    listed = {}
    for entry in prove.statements():
        for mechanism in entry["mechanisms"] if "theorems" in entry else ():
            listed.setdefault(mechanism, []).append(entry["number"])
    known = {}
    for name, mechanism in statement.list_all_mechanisms():
        numbers = mechanism.proofs.machine_checked if mechanism.proofs else ()
        known[name] = sorted({*known.get(name, ()), *numbers}, key=lambda number: [*map(int, number.split("."))])
    assert {name: numbers for name, numbers in known.items() if numbers} == listed
    _, source = conditions.proof("11 and 14", "test_differences")
    assert conditions.machine_checked(ShapedWithSpread.proofs, source) == ["11.1", "11.4", "14.2", "14.6", "14.8"]
    assert conditions.machine_checked(None, source) == []


def test_every_theorem_that_the_list_may_name_is_named(prove):
    assert set(re.findall(r"Theorem (eq_\w+) :", prove.source())) == set(prove.theorems())


def test_the_sensitivity_of_a_mean_is_the_proved_one():
    assert proof_ties.apart(proof_ties.of_means, np.random.default_rng(1), COUNT) == []


def test_the_sensitivity_of_whole_numbers_is_the_proved_one():
    assert proof_ties.apart(proof_ties.of_whole_numbers, np.random.default_rng(1), COUNT) == []


def test_the_sensitivity_of_the_moment_of_shapes_is_the_proved_one():
    assert proof_ties.apart(proof_ties.of_moment, np.random.default_rng(1), COUNT) == []


def test_the_sensitivity_of_each_sum_of_a_model_is_the_proved_one():
    assert proof_ties.apart(proof_ties.of_each_sum, np.random.default_rng(1), COUNT) == []


def test_the_joint_sensitivity_of_a_model_is_the_proved_one():
    assert proof_ties.apart(proof_ties.of_model, np.random.default_rng(1), COUNT) == []


def test_the_joint_sensitivity_of_growth_is_the_proved_one():
    assert proof_ties.apart(proof_ties.of_growth, np.random.default_rng(1), COUNT) == []


def test_eta_is_what_the_proved_factor_comes_to():
    assert proof_ties.apart(proof_ties.of_discrete_law, np.random.default_rng(1), COUNT) == []


def test_the_rounding_of_a_gradient_is_the_proved_one():
    assert proof_ties.apart(proof_ties.of_gradients, np.random.default_rng(1), COUNT) == []


def test_the_sensitivity_of_a_frechet_mean_is_the_proved_one():
    assert proof_ties.apart(proof_ties.of_frechet_means, np.random.default_rng(1), COUNT) == []


def test_the_budgets_of_releases_add_up_as_proved():
    assert proof_ties.apart(proof_ties.of_budgets, np.random.default_rng(1), COUNT) == []


def test_who_changes_the_group_pays_the_proved_share():
    assert proof_ties.apart(proof_ties.of_movers, np.random.default_rng(1), COUNT) == []


def test_the_filter_of_the_papers_mechanism_keeps_to_the_proved_half():
    assert proof_ties.apart(proof_ties.of_filter, np.random.default_rng(1), COUNT) == []


def test_coordinates_at_the_ends_of_their_ranges_make_the_proved_length():
    assert proof_ties.apart(proof_ties.of_coordinates, np.random.default_rng(1), COUNT) == []


def test_the_stages_of_a_difference_spend_what_is_proved():
    assert proof_ties.apart(proof_ties.of_stages, np.random.default_rng(1), COUNT) == []


def test_every_formula_that_says_a_hundredth_less_is_seen():
    assert set(proof_ties.FORMULAS) == set(proof_ties.TIES)
    assert proof_ties.misses_smaller() == []


def test_a_pair_of_people_meets_each_bound_that_is_marked_tight(prove):
    assert {entry["number"] for entry in prove.statements() if entry["tight"]} == set(proof_witnesses.WITNESSES)
    shares = {number: witness() for number, witness in proof_witnesses.WITNESSES.items()}
    assert {number: share for number, share in shares.items() if not 1 - 1e-6 <= share <= 1 + 1e-12} == {}
