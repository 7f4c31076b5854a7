"""A statement as an entry of a registry and as answers to a reviewer: by the schema, and never more than it says."""

import re

import jsonschema
import pytest
import yaml

from library.releases import examples
from shapedp.ledger import spending
from shapedp.privacy.accounting import cost
from shapedp.privacy.accounting.cost import Cost
from shapedp.releases.statement import conditions, forms, statement

DECLARED = {"by": "The institute", "purpose": "to compare faces", "region": "Germany, EU", "sector": "Healthcare"}
CASES = {
    "a Gaussian mean": {},
    "a pure mean": {"cost": Cost("pure", epsilon=1.0)},
    "a mean of a group": {"group": spending.Group("f", "public", "ef" * 32)},
}
ASKED = re.compile(r"^\d+\. \*\*.+\?\*\* .{4,}", re.MULTILINE)


def built(declared=None, facts=None, **asked):
    given = DECLARED if declared is None else declared
    return statement.build(examples.request(declared=given, **asked), facts or examples.stated(), [])


SCHEMA = forms.SCHEMA.read_text(encoding="utf-8")


def meets_schema(made):
    """Whether the registry.yaml of these forms does, its date included."""
    validator = jsonschema.Draft202012Validator(yaml.safe_load(SCHEMA), format_checker=jsonschema.FormatChecker())
    return validator.is_valid(yaml.safe_load(made[forms.REGISTRY]))


@pytest.mark.parametrize("case", CASES)
def test_an_entry_meets_the_registrys_schema(case):
    stated = built(**CASES[case])
    made = forms.write_forms(stated, "mean_face")
    entry = yaml.safe_load(made[forms.REGISTRY])
    assert meets_schema(made)
    assert not meets_schema({forms.REGISTRY: made[forms.REGISTRY].replace("Draft", "Ready")})
    assert entry["tier"] == 3 and entry["status"] == "Draft"
    basic = entry["deployment"]["basic"]
    assert basic["data_curators"] == ["The institute"] and basic["data_product_sector"] == "Healthcare"
    loss = entry["deployment"]["privacy_loss"]["privacy_parameters"]
    assert loss == ({"epsilon": 1.0} if "pure" in case else {"rho": stated["guarantee"]["rho"]})


def test_forms_speak_of_the_subject_that_a_statement_names():
    stated = built({**DECLARED, "purpose": "to compare knees"})
    of_faces = forms.write_forms(stated, "mean_knee")
    assert "face" in of_faces[forms.NIST] and "face" in of_faces[forms.REGISTRY]
    knees = {**stated, "settings": {**stated["settings"], "subject": "knee", "unit": "m"}}
    made = forms.write_forms(knees, "mean_knee")
    for text in (made[forms.NIST], yaml.safe_load(made[forms.REGISTRY])["deployment"]["basic"]["description"]):
        assert re.search(r"\bknee\b", text) and not re.search(r"\bfaces?\b", text)


@pytest.mark.parametrize("lacking", ["by", "purpose", "region"])
def test_what_is_required_and_not_declared_makes_a_line_and_no_file(lacking):
    stated = built({key: words for key, words in DECLARED.items() if key != lacking})
    made = forms.write_forms(stated, "mean_face")
    assert list(made) == [forms.NIST]
    assert f"privacy.statement.{lacking}" in made[forms.NIST].splitlines()[-1]


def test_a_release_without_guarantee_enters_no_registry():
    bound = (conditions.Bound("tau", 0.05, "square root of the face's area", conditions.Origin("data")),)
    stated = built(facts=examples.stated(bounds=bound))
    made = forms.write_forms(stated, "mean_face")
    assert list(made) == [forms.NIST]
    assert len(ASKED.findall(made[forms.NIST])) == 24 and "no guarantee" in made[forms.NIST]


@pytest.mark.parametrize("case", CASES)
def test_each_of_the_24_questions_is_answered_or_left_to_the_curator(case):
    text = forms.write_nist(built(**CASES[case]))
    answered = ASKED.findall(text)
    assert len(answered) == 24
    assert [line.split(".")[0] for line in answered] == [str(at) for at in range(1, 25)]
    assert text.count(f"{forms.CURATOR}.") == 3  # audit by others, access, retention


def test_epsilon_is_told_at_a_delta_of_one_over_n_squared():
    stated = built()
    n, mu, eta = stated["release"]["n"], stated["guarantee"]["mu"], stated["noise"]["eta"]
    epsilon = cost.gdp_epsilon(mu, 1 / n**2) + 2 * eta
    assert f"(epsilon, delta) = ({epsilon:.4g}, {1 / n**2:.2g})" in forms.write_nist(stated)


def test_what_laboratories_made_together_has_no_single_ledger_and_no_curator_of_all():
    """Nor has a pooled one; both say what stands in their place."""
    told = {"roster": [{"name": "bergen"}, {"name": "graz"}], "conspiring": 1, "faced": [0.7, 1.0]}
    joint, pooled = ({**built(), **more} for more in ({"laboratories": told}, {"sources": {"releases": [{}, {}, {}]}}))
    for stated, words in (
        (joint, ["Against 0 to 1 laboratories that conspire mu is 0.7, 1.", "signed the line", "at most 1 others"]),
        (pooled, ["All 3 releases that were pooled are private", "who pooled them saw releases alone"]),
    ):
        text = forms.write_nist(stated)
        assert [one for one in words if one not in text] == []
        assert "In this ledger" not in text and "It sees all records" not in text
        assert len(ASKED.findall(text)) == 24
