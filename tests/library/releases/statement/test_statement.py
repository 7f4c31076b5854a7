"""The statement says what was done and nothing that was found; its words follow from its JSON."""

import json
import math
import re
from html import escape

import pytest
import yaml
from dp_accounting.pld import privacy_loss_distribution

from library.releases import examples
from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.base.settings import checks
from shapedp.ledger import spending
from shapedp.privacy.accounting import cost
from shapedp.privacy.accounting.cost import Cost
from shapedp.releases.statement import conditions, guarantees, statement, statement_tables, statement_text
from shapedp.releases.viewer import view
from tolerances import ACCOUNTANT

DATA_BOUND = (conditions.Bound("tau", 0.0498765, "square root of the face's area", conditions.Origin("data")),)
PURE = {"cost": Cost("pure", epsilon=1.0)}


def built(asked=None, stated=None, charges=()):
    return statement.build(asked or examples.request(), stated or examples.stated(), list(charges))


def test_a_bound_from_the_data_leaves_no_trace():
    stated = built(
        stated=examples.stated(bounds=DATA_BOUND, sensitivity=0.00199506, sensitivity_inputs={"tau": 0.0498765})
    )
    text = json.dumps(stated) + statement_text.render(stated)
    assert "0.0498765" not in text and "0.04988" not in text and "0.00199" not in text
    assert stated["noise"]["grid"] is None and stated["bounds"][0]["value"] is None


def test_inputs_and_names_stay_in_the_ledger():
    asked = examples.request(inputs_digest="cd" * 32, group=spending.Group("f", "public", "ef" * 32))
    stated = built(asked)
    text = json.dumps(stated) + statement_text.render(stated)
    assert "cdcd" not in text and "efef" not in text


@pytest.mark.parametrize(
    "change",
    [
        {"settings": {"seed": 1}},
        {"settings": {"template": "face_0017"}},
        {"settings": {"bounds": {"reference_set": "/home/somebody/scans"}}},
        {"population": "people of /srv"},
    ],
)
def test_what_is_on_no_list_is_refused(change):
    with pytest.raises(RefusedRelease, match="may not be published"):
        built(examples.request(**change))


@pytest.mark.parametrize("change", [{"sensitivity": math.nan}, {"n": 1}, {"n": True}, {"clipping": "hard"}])
def test_facts_that_make_no_sense_are_refused(change):
    with pytest.raises(RefusedRelease):
        built(stated=examples.stated(**change))


@pytest.mark.parametrize("left_out", ["cap", "ledger_head", "before", "after", "holds"])
def test_a_release_of_one_ledger_says_all_that_this_ledger_knows(left_out):
    stated = built()
    del stated["budget"][left_out]
    with pytest.raises(RefusedRelease, match="budget: "):
        statement.check(stated)


def test_what_was_found_sound_vouches_for_no_other():
    """As numbers 1 and True are the same; a statement that holds the other is looked at anew."""
    stated = statement.check(built())
    with pytest.raises(RefusedRelease, match="formally_private: 1 "):
        statement.check({**stated, "formally_private": 1})


def test_a_tuple_is_no_list_though_both_are_written_alike_in_json():
    stated = statement.check(built())
    with pytest.raises(RefusedRelease, match="conditions: "):
        statement.check({**stated, "conditions": tuple(stated["conditions"])})


def test_the_guarantee_in_numbers_by_hand():
    """mu = 1: Phi(1/2) = .6915 right guesses, Phi(1 - 1.6449) = .2595 hits, rho = 1/2."""
    found = built()["guarantee"]
    assert found["right_guesses"] == pytest.approx(0.6915, abs=5e-5)
    assert found["hits"] == pytest.approx(0.2595, abs=5e-5)
    assert found["rho"] == 0.5


def test_a_pure_guarantee_in_numbers_by_hand():
    """epsilon = 1: e/(1 + e) = .7311 right guesses, .05 e = .1359 hits."""
    found = built(examples.request(**PURE))["guarantee"]
    assert found["right_guesses"] == pytest.approx(0.7311, abs=5e-5)
    assert found["hits"] == pytest.approx(0.1359, abs=5e-5)


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.2, 1.0, 2.9661])
def test_epsilon_and_delta_against_dp_accounting(mu):
    loss = privacy_loss_distribution.from_gaussian_mechanism(1 / mu, value_discretization_interval=1e-4)
    for delta in (1e-3, 1e-6):
        oracle = loss.get_epsilon_for_delta(delta)
        assert cost.gdp_epsilon(mu, delta) == pytest.approx(oracle, abs=ACCOUNTANT)


def test_zcdp_is_nowhere_below_the_exact_gaussian_curve():
    for mu in (0.05, 0.5, 3.0, 10.0):
        assert cost.zcdp_epsilon(mu**2 / 2, 1e-6) >= cost.gdp_epsilon(mu, 1e-6)


def test_a_total_takes_the_smallest_epsilon_that_holds():
    gaussian, pure = Cost("gdp", mu=1.0), Cost("pure", epsilon=1.0)
    by = [
        guarantees.describe_total(spending.sum_charges([(cost, None) for cost in costs]))["at_delta"]["by"]
        for costs in ([gaussian], [pure], [gaussian] + [pure] * 30)
    ]
    assert by == ["gdp", "pure", "zcdp"]


def test_pure_releases_are_added_beside_gaussian_ones_where_that_is_less():
    charges = [(Cost("gdp", mu=1.0), None), *[(Cost("pure", epsilon=1.0), None)] * 3]
    total = spending.sum_charges(charges)
    found = guarantees.describe_total(total, spending.sum_gaussian_mu(charges))["at_delta"]
    assert found["by"] == "mixed"
    assert found["epsilon"] == pytest.approx(3 + cost.gdp_epsilon(1.0, 1e-6))
    assert found["epsilon"] < 0.8 * guarantees.describe_total(total)["at_delta"]["epsilon"]
    words = statement_text.render(built(charges=charges))
    assert "by the mixed (the pure releases' epsilon added to that of the Gaussian ones) bound" in words


def test_one_unprotected_release_voids_the_totals_of_all_later_statements():
    charges = [(Cost("none"), None)]
    stated = built(charges=charges)
    assert stated["formally_private"] and not stated["budget"]["holds"]
    assert "The totals do not bound" in statement_text.render(stated)
    assert "The totals do not bound" not in statement_text.render(built())


@pytest.mark.parametrize("membership", ["public", "private"])
def test_a_group_is_explained(membership):
    words = statement_text.render(built(examples.request(group=spending.Group("f", membership, "sheet"))))
    assert {"public": "public and fixed", "private": "two groups' releases count"}[membership] in words
    assert "of the group f" in words


def test_of_private_groups_a_pure_release_is_not_said_to_count_less():
    group = spending.Group("f", "private", "sheet")
    told = (
        statement_text.render(built(examples.request(group=group, cost=one)))
        for one in (Cost("gdp", mu=1.0), Cost("pure", epsilon=1.0))
    )
    for words, expected in zip(told, ("for no more than the group that costs most", "Both count in full"), strict=True):
        assert expected in words


@pytest.mark.parametrize(
    ("asked", "taken"),
    [({}, False), ({"kind": "mean_change", "times": ["t0", "t1"]}, True), ({"time": "t0"}, True)],
)
def test_the_frame_of_the_sheet_is_said_to_be_public_and_of_times_what_a_record_is_replaced_by(asked, taken):
    stated = built(examples.request(settings={**examples.SETTINGS, **asked}))
    words = statement_text.render(stated)
    frame = "- Who is listed, at which times, and which scans the sheet leaves out"
    assert words.index("## What is not protected") < words.index(frame)
    assert ("replaced by any other that is listed at the same times; their number" in words) is taken
    assert ("replaced by any other; their number" in words) is not taken


def test_the_words_answer_who_from_what_how_strongly_and_what_not():
    words = statement_text.render(built())
    for heading in ("Who is protected, and from what", "How strongly", "What is not protected", "What has been spent"):
        assert f"## {heading}" in words
    assert words.index("formally_private: true") < 120


def test_strength_words_follow_the_guess():
    cases = {0.2: "strong", 0.7: "fair", 1.0: "moderate", 2.9661: "weak", 5.0: "very weak"}
    for mu, word in cases.items():
        words = statement_text.render(built(examples.request(cost=Cost("gdp", mu=mu))))
        assert f"We call this **{word}**" in words
        assert words.index(f"**Strength: {word}.**") < 200, "a board reads the first lines"


DECLARED = {
    "by": "Institute of Anatomy, Ann Example",
    "contact": "ann@example.org",
    "purpose": "a reference for surgery (2026)",
    "consent": "informed consent; the board agreed",
    "licence": "CC BY 4.0",
    "sources": {"settings": "as shipped", "template": "a statue", "bounds": "40 statues"},
}


def test_what_is_declared_is_printed_as_given():
    stated = built(examples.request(declared=DECLARED))
    words = statement_text.render(stated)
    assert stated["declared"] == DECLARED
    for text in [*DECLARED.values(), *DECLARED["sources"].values()]:
        assert isinstance(text, dict) or f": {text}\n" in words
    assert f"- Date: {stated['date']}" in words


def test_what_nobody_declared_is_told_as_missing():
    assert "- Purpose: not given" in statement_text.render(built())


@pytest.mark.parametrize("text", ["see [me](http://x)", "a\nb", "<script>", "x" * 401, ""])
def test_declared_words_cannot_become_more_than_words(text):
    with pytest.raises(ConfigError, match="declared by"):
        built(examples.request(declared={"by": text}))


def test_both_schemas_know_the_same_words(root):
    stated = json.loads((root / "workflow/schemas/statement.schema.json").read_text())
    settings = yaml.safe_load((root / "workflow/schemas/config.schema.yaml").read_text())
    patterns = {stated["$defs"]["given"]["pattern"], settings["$defs"]["words"]["pattern"], checks.PATTERN}
    assert len(patterns) == 1
    assert stated["$defs"]["cell"]["pattern"] == settings["$defs"]["cell"]["pattern"]


@pytest.mark.parametrize("name", ["age 10-12", "traité", "hot_summer", "a|b", "*x* _y_ [z](http://x) <b>&amp;`\\"])
def test_any_group_and_time_is_stated_and_shown_as_it_is(name):
    asked = {"group": spending.Group(name, "public", "ef" * 32), "settings": {"time": name, "times": [name, "après"]}}
    found = built(examples.request(**asked))
    assert found["release"]["group"]["name"] == name and f"of group {name}," in statement_text.caption(found)
    title = view.to_html(statement_text.render(found)).splitlines()[0]
    assert title == f"<h1>Privacy statement: mean face of the group {escape(name, False)} of 100 people listed</h1>"


@pytest.mark.parametrize("name", [" a", "a\n", "a\u200bb", "\u202ea", "x" * 201])
def test_a_group_that_does_not_show_is_not_stated(name):
    with pytest.raises(RefusedRelease, match="may not be published"):
        built(examples.request(group=spending.Group(name, "public", "ef" * 32)))


def test_a_sensitivity_agrees_with_the_formula_beside_it():
    """2 tau/n = 2 x .05/100, and at mu = 1 the noise is as wide."""
    words = statement_text.render(built())
    assert "2 tau/n = 0.001; the noise's standard deviation is 0.001." in words


def after_a_first_stage(branch, mechanism, widened, shares, **noise):
    """The words on a release whose first stage told that people lie so many times as far as public ones."""
    facts = {"branch": branch, "mechanism": mechanism, "widened": widened, "settled_sd": 0.00123, **noise}
    inputs = {"n": 100, "tau": 0.05, "w": shares}
    return statement_text.render(built(stated=examples.stated(**facts, sensitivity_inputs=inputs)))


@pytest.mark.parametrize("widened", [0.7, 1.0, 1.6])
def test_of_a_bound_that_followed_the_noise_that_is_stated_is_that_of_the_mechanism(widened):
    """Not 2 tau/n times `widened`: the bound is multiplied by another number, which the mechanism knows."""
    for branch, mechanism, shares in (("faces", "shaped", [0.05, 0.95]), ("shapes", "shaped_with_spread", [0.05] * 3)):
        words = after_a_first_stage(branch, mechanism, widened, shares)
        assert "2 tau/n = 0.001; with the one that followed the noise's standard deviation is 0.00123." in words


def test_of_an_earlier_statement_whose_bound_followed_no_noise_is_guessed():
    stated = built(
        stated=examples.stated(mechanism="shaped", widened=1.6, sensitivity_inputs={"n": 100, "w": [0.05, 0.95]})
    )
    del stated["noise"]["settled_sd"]
    assert "2 tau/n = 0.001.\n" in statement_text.render(statement.check(stated))


def test_where_people_lie_as_public_ones_do_the_bound_of_faces_follows_too_and_all_stages_are_counted():
    """Of faces it is lowered there, in another norm; of landmarks it stays."""
    five = [0.05, 0.1, 0.05, 0.2, 0.6]
    faces = after_a_first_stage("faces", "shaped_with_spread", 1.0, five, undone=1.2)
    assert "can be told: the bound, the norm that it is in, and the noise with them, followed, before" in faces
    assert "all 5 stages are in the guarantee" in faces and "Far people" not in faces
    asked = after_a_first_stage("faces", "shaped_with_spread", 1.0, [0.05, 0.1, 0.03, 0.08, 0.2, 0.54], undone=1.2)
    assert "all 6 stages are in the guarantee" in asked and "Far people: 0.08 of mu² was spent" in asked
    assert "0.1 of mu² was spent on asking for a first mean" in asked and "0.2 and 0.54 on asking again" in asked
    landmarks = after_a_first_stage("shapes", "shaped_with_spread", 1.0, [0.05, 0.04, 0.91])
    assert "the bound stayed as it was, before" in landmarks and "all 3 stages are in the guarantee" in landmarks
    wider = after_a_first_stage("shapes", "shaped_with_spread", 1.6, [0.05, 0.04, 0.91])
    assert "1.6 times as far as public people: the bound and the noise with it followed" in wider


@pytest.mark.parametrize(("branch", "unit"), [("faces", "mm"), ("shapes", "radian")])
@pytest.mark.parametrize(("mechanism", "of_model"), [("moments", True), ("shaped", False)])
def test_how_far_the_clip_moved_the_mean_is_told_and_that_noise_is_not_the_whole_error(
    branch, unit, mechanism, of_model
):
    facts = {"branch": branch, "mechanism": mechanism, "undone": 1.5, "clip_moved": 0.0123}
    for unlike in (True, False):
        stated = built(stated=examples.stated(**facts, unlike=unlike))
        words = statement_text.render(stated)
        assert stated["noise"]["clip_moved"] == 0.0123 and stated["differs_from_public_set"] is unlike
        assert f"clipping people to the bound moved their mean by about 0.012 {unit}, as" in words
        assert ("**This cohort differs from the public set**" in words) is unlike
        assert ("Noise is then not the whole error" in words) is unlike
        assert ("odes are those of clipped people" in words) is of_model
        assert ("What it took of effects is put back" in words) is (of_model and branch == "faces")
        assert ("Effects and modes are" in words) is (of_model and branch == "shapes")
        assert ("is in the stated errors of modes" in words) is of_model


@pytest.mark.parametrize("mechanism", ["moments", "shaped"])
def test_the_error_of_a_mean_of_shapes_has_a_line_that_names_it(mechanism):
    stated = built(stated=examples.stated(branch="shapes", mechanism=mechanism, error_radian=0.01234))
    words = statement_text.render(stated)
    assert stated["noise"]["error_radian"] == 0.01234
    assert "- Error: the mean is expected to lie 0.0123 radian from these people's own mean" in words
    assert "is expected to lie" not in statement_text.render(built())


@pytest.mark.parametrize("cell", ["done", "stated", "gdp", "covered", "none", "1"])
def test_no_cell_of_the_conditions_is_a_code_word(cell):
    words = statement_text.render(built())
    assert f"| {cell} |" not in words[words.index("## What the verdict rests on") :]


def test_a_name_that_stands_for_a_mechanism_in_each_branch_keeps_both_their_words():
    stated = statement._validator(statement.VERSION, statement.list_all_mechanisms()).schema["properties"]["mechanism"][
        "properties"
    ]
    named = statement.list_all_mechanisms()
    assert len({one for name, one in named if name == "shaped"}) == 2
    for _, one in named:
        assert one.formula in stated["sensitivity"]["properties"]["formula"]["enum"]
        assert one.words in stated["words"]["enum"]


def test_each_inequality_that_a_condition_links_to_is_told():
    text = statement_text.render(built(examples.request()))
    before, told = text.split(f"## {statement_tables.PROVED}\n")
    linked = {
        number
        for words in re.findall(r"by machine: \[(.*?)\]\(#what-a-machine-checked\)", before)
        for number in words.split(", ")
    }
    assert linked == set(re.findall(r"^\| (\([\d.]+\)) \|", told, flags=re.MULTILINE)) != set()
